"""Lists what can go wrong in the framework. The message of each error is one line for a person."""

from __future__ import annotations

from typing import ClassVar


class FrameworkError(Exception):
    """The root of these errors. A command ends with `exit_code`, and a web app answers with `http_status`."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 500


class SettingsError(FrameworkError):
    """A variable has an unusable value; the message names it."""

    exit_code: ClassVar[int] = 2


class StoreError(FrameworkError):
    """The store (the state directory or the database server) cannot be used."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 503


class StoreBroken(StoreError):
    """What is stored cannot be read any more; a person has to bring it back."""


class StoreBusy(StoreError):
    """Another process has kept the store locked, or the server has not answered, for as long as a caller waits."""


class RunError(FrameworkError):
    """A run cannot do what was asked."""


class UnknownRun(RunError):
    """There is no run of that id."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 404


class RunExists(RunError):
    """That run id is taken."""


class RunBusy(RunError):
    """The run is live, here or in another process; the message names its owner."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 409


class TooManyRuns(RunError):
    """As many runs are live or queued as are allowed."""

    http_status: ClassVar[int] = 429


class NotResumable(RunError):
    """The run waits for an answer, is done, or another version of the program stored it."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 409


class OtherVersion(RunError):
    """Another version of the program stored the run, and its events cannot be read here."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 409


class StaleAnswer(RunError):
    """The question is not open, or not open any more."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 409
