"""What can go wrong in the plumbing; the message of each is one line for a person.

FrameworkError
  SettingsError            a variable has an unusable value
  StoreError               the state directory cannot be used
    StoreBroken            and no waiting will mend it
    StoreBusy              and whoever else waits for it now waits in vain, too
  RunError
    UnknownRun             no such run
    RunExists              that id is taken
    RunBusy                the run is live, here or in another process
    TooManyRuns            no room for one more live run
    NotResumable           the run waits for an answer, is done, or was stored by another version
    StaleAnswer            the question is not (or no longer) open
"""

from __future__ import annotations

from typing import ClassVar


class FrameworkError(Exception):
    """The root of this tree. `exit_code` and `http_status`: how a command and a web app tell it."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 500


class SettingsError(FrameworkError):
    """A variable has an unusable value; the message names it."""

    exit_code: ClassVar[int] = 2


class StoreError(FrameworkError):
    """The state directory cannot be used."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 503


class StoreBroken(StoreError):
    """What is stored cannot be read any more; a person has to bring it back."""


class StoreBusy(StoreError):
    """Another process has kept it locked, or the server has not answered, for as long as anybody waits."""


class RunError(FrameworkError):
    """A run cannot do what was asked."""


class UnknownRun(RunError):
    """There is no run of that id."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 404


class RunExists(RunError):
    """That id is taken."""


class RunBusy(RunError):
    """The run is live, here or in another process; the message names its owner."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 409


class TooManyRuns(RunError):
    """As many runs as are allowed are live already."""

    http_status: ClassVar[int] = 429


class NotResumable(RunError):
    """The run waits for an answer, is done, or another version of the program stored it."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 409


class StaleAnswer(RunError):
    """The question is not, or no longer, open."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 409
