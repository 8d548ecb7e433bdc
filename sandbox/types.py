"""What the sandbox takes and what it gives back; every other room speaks to it in these words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol

Status = Literal["pass", "fail", "error", "timeout", "memory", "crash", "blocked", "unverifiable", "broken", "ok"]
"""pass: every collected check ran and passed. fail: a check's assertion failed. error: something raised, or nothing was
collected. blocked: the program was refused a forbidden act and ended by it. unverifiable: the suite passes in one
process with the program, but not apart from it, or cannot be run apart from it; neither is believed. broken: the
sandbox itself failed, or the machine was too busy; says nothing about the program. ok: a script run without tests that
exited 0."""

CheckStatus = Literal["pass", "fail", "error", "timeout", "not_run", "skipped"]
"""error: it raised, or its process died. timeout: it computed or waited beyond its limit. not_run: it never ran, or
the machine was too busy to run it; neither failure nor pass. skipped: by its own wish, or because it holds nothing that
could fail."""
Mode = Literal["auto", "inprocess", "split"]
Level = Literal["container", "namespaces", "walled", "filtered", "limits"]
LEVELS: tuple[Level, ...] = ("container", "namespaces", "walled", "filtered", "limits")
"""Strongest first."""


SELF_ANSWERED = "an answer inside a check came from a special method"
"""How `Execution.unconfirmed_reason` begins where objects of the solution judged themselves."""


class SandboxBroken(Exception):
    """The sandbox, not the program, failed; never shown to a model as a program's failure."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 503


class LevelTooLow(Exception):
    """This machine cannot reach the isolation level that was asked for."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 503


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one program."""

    timeout: float = 5.0
    """CPU seconds of one step: loading the program, one check, a whole script, all of `calls`. What sleeps or is stuck
    ends after three times as many seconds, and a whole suite after twelve times as many."""
    memory_mb: int = 512
    output_kb: int = 64
    """Bytes kept of stdout and of stderr, each."""
    file_mb: int = 16


@dataclass(frozen=True, slots=True)
class Linked:
    """A data file that stays where it lies on this machine: runs read it there, and none can write to it."""

    path: str
    """Absolute, without links."""
    size: int
    sha256: str
    """Of its bytes when it was given."""

    def __len__(self) -> int:
        return self.size


FileData = bytes | Linked


@dataclass(frozen=True, slots=True)
class Program:
    """One thing to run. Exactly one of `solution` (a module) and `package` (several) holds the code."""

    solution: str = ""
    """Source of `solution.py`."""
    package: Mapping[str, str] = field(default_factory=dict[str, str])
    """Path inside the package directory -> source, e.g. {"shop/__init__.py": ...}; the first folder is the package."""
    tests: str | None = None
    """pytest source; sees the solution's public names and may import the module. None: run as a script, or `calls`."""
    calls: tuple[str, ...] = ()
    """Expressions over the solution's names, each evaluated on its own; their canonical outputs come back."""
    call_timeout: float = 1.0
    """CPU seconds for each of `calls`."""
    files: Mapping[str, FileData] = field(default_factory=dict[str, FileData])
    """Data files put into the run folder, by relative path. A linked one adds to the limits of memory and time."""
    argv: tuple[str, ...] = ()
    stdin: str = ""
    packages: tuple[str, ...] = ()
    """Distributions to install for this run, from wheels; only in a sandbox that was opened with a folder for them."""
    mode: Mode = "auto"
    limits: Limits = Limits()
    coverage: bool = False
    """Measure branch coverage of the solution (slower)."""
    fail_fast: bool = False
    """Stop at the first check that does not pass (mutation check)."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    name: str
    """As collected: `test_x`, `test_x[2-3]`."""
    status: CheckStatus
    message: str = ""
    """For a failure: the assertion with expected and actual values, shortened."""


@dataclass(frozen=True, slots=True)
class CallOutput:
    """What one of `Program.calls` gave."""

    kind: Literal["value", "exception", "timeout", "opaque", "not_run"]
    """opaque: a value without a canonical form; equal to nothing. not_run: nobody asked for it before the run ended."""
    text: str
    """Canonical repr of the value (sets and dict keys in a stable order), or the exception's class name."""

    @property
    def comparable(self) -> bool:
        """Whether it says anything: silence is equal to nothing and different from nothing."""
        return self.kind in ("value", "exception")

    def __str__(self) -> str:
        """In words, for a person or a model."""
        return _IN_WORDS.get(self.kind, "{}").format(self.text)


_IN_WORDS = {
    "exception": "raises {}",
    "timeout": "no end in time",
    "opaque": "a value that cannot be compared",
    "not_run": "not run",
}


@dataclass(frozen=True, slots=True)
class Artifact:
    name: str
    """Path relative to the run folder."""
    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Coverage:
    branches: int
    branches_taken: int
    lines: int
    lines_run: int
    missing: tuple[int, ...]
    """Line numbers of the solution that never ran."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What was probed to hold, in words, per axis; "open" where nothing holds it."""

    level: Level
    network: str
    files: str
    memory: str
    disk: str
    processes: str
    environment: str


@dataclass(frozen=True, slots=True)
class Execution:
    """The executor's own record of a run; counted by the supervisor, never printed by the program."""

    status: Status
    isolation: Isolation
    confirmed: bool = False
    """A pass that the split runner repeated with only plain values crossing."""
    unconfirmed_reason: str = ""
    """Why a pass could not be confirmed, in one line."""
    checks: tuple[CheckResult, ...] = ()
    outputs: tuple[CallOutput, ...] = ()
    """One per `Program.calls`, in order."""
    error: str = ""
    """One short text for error, crash, blocked, memory, timeout, broken: exception and place, or the limit hit."""
    missing_packages: tuple[str, ...] = ()
    """Distribution names of imports that are not installed."""
    installed: tuple[str, ...] = ()
    """What was installed for the run: "name==version sha256:..." over the files of each distribution."""
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    truncated: bool = False
    duration_ms: float = 0.0
    """Wall time, over all the processes that it took."""
    cpu_ms: float = 0.0
    peak_mb: float = 0.0
    signal: int | None = None
    artifacts: tuple[Artifact, ...] = ()
    coverage: Coverage | None = None

    @property
    def passed(self) -> bool:
        return self.status == "pass"


class Sandbox(Protocol):
    async def run(self, program: Program) -> Execution:
        """Never raises for what the program does. Cancelling the task ends the program, also one that ignores
        every signal."""
        ...

    async def describe(self) -> Isolation:
        """What probing found on this machine."""
        ...

    async def packages(self) -> tuple[str, ...]:
        """Importable third-party distributions, to be told to the model."""
        ...

    async def install(self, packages: Sequence[str]) -> str:
        """Makes ready what a program may ask for as its `packages`. Returns why that cannot be, "" where it is done."""
        ...

    async def aclose(self) -> None: ...
