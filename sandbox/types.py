"""The types that the sandbox takes and returns. Every other room uses the sandbox through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol

Status = Literal["pass", "fail", "error", "timeout", "memory", "crash", "blocked", "unverifiable", "broken", "ok"]
"""pass: at least one check that asserts something passed, and every other one passed or was skipped by the tests
themselves. fail: a check's assertion failed. error: something raised, the program had a check skipped, or no check that
asserts something passed. timeout, memory: a limit was hit. crash: a signal killed the process. blocked: the program was
refused a forbidden act and ended by it. unverifiable: the suite passes in one process with the program, but not in
another process, so neither run is believed. broken: the sandbox itself failed, or the machine was too busy; it says
nothing about the program. ok: a script run without tests exited with 0."""

CheckStatus = Literal["pass", "fail", "error", "timeout", "not_run", "skipped"]
"""error: the check raised, or its process died. timeout: it computed or waited beyond its limit. not_run: it never ran,
or the machine was too busy to run it; this is neither failure nor pass. skipped: it asked to be skipped."""
Mode = Literal["auto", "inprocess", "split"]
Level = Literal["container", "namespaces", "walled", "filtered", "limits"]
LEVELS: tuple[Level, ...] = ("container", "namespaces", "walled", "filtered", "limits")
"""Strongest first."""


SELF_ANSWERED = "an answer inside a check came from a special method"
"""Prefix of `Execution.unconfirmed_reason` when objects of the solution judged themselves."""


class SandboxBroken(Exception):
    """The sandbox failed, not the program. A model is never told of it as a failure of its program."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 503


class LevelTooLow(Exception):
    """This machine cannot reach the isolation level that was asked for."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 503


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one program."""

    timeout: float = 5.0
    """CPU seconds of one step: loading the program, one check, a whole script, all of `calls`. A step that sleeps or is
    stuck is ended after three times as many seconds; a whole suite gets twelve times as many."""
    memory_mb: int = 512
    output_kb: int = 64
    """Kilobytes kept of stdout and of stderr, each."""
    file_mb: int = 16


@dataclass(frozen=True, slots=True)
class Linked:
    """A data file that stays where it lies on this machine. Runs read it there and cannot write to it."""

    path: str
    """Absolute, with all links resolved."""
    size: int
    sha256: str
    """SHA-256 of its bytes when it was given."""

    def __len__(self) -> int:
        return self.size


FileData = bytes | Linked


@dataclass(frozen=True, slots=True)
class Program:
    """One thing to run. Exactly one of `solution` (a module) and `package` (several) holds the code."""

    solution: str = ""
    """Source of `solution.py`."""
    package: Mapping[str, str] = field(default_factory=dict[str, str])
    """Path inside the package directory -> source, such as {"shop/__init__.py": ...}; the first folder is the
    package."""
    tests: str | None = None
    """pytest source, which sees the solution's public names and may import the module. None runs a script, or
    `calls`."""
    calls: tuple[str, ...] = ()
    """Expressions over the solution's names. Each is evaluated on its own, and its canonical output comes back."""
    call_timeout: float = 1.0
    """CPU seconds for each of `calls`."""
    files: Mapping[str, FileData] = field(default_factory=dict[str, FileData])
    """Data files put into the run folder, by relative path. A linked file raises the limits of memory and time."""
    argv: tuple[str, ...] = ()
    stdin: str = ""
    packages: tuple[str, ...] = ()
    """Distributions to install for this run, from wheels; only in a sandbox that was opened with a folder for them."""
    mode: Mode = "auto"
    limits: Limits = Limits()
    coverage: bool = False
    """Whether to measure branch coverage of the solution, which is slower."""
    fail_fast: bool = False
    """Whether to stop at the first check that does not pass; the mutation check needs no more."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    name: str
    """As pytest collects it: `test_x`, `test_x[2-3]`."""
    status: CheckStatus
    message: str = ""
    """For a failure, the assertion with expected and actual values, shortened. For a pass, why it shows nothing."""

    @property
    def shows(self) -> bool:
        """Whether it passed and asserts something. One that only calls the program passes, as under plain pytest, and
        shows no more than that nothing was raised."""
        return self.status == "pass" and not self.message

    @property
    def holds(self) -> bool:
        """Whether it passed, or asked for nothing because it was skipped."""
        return self.status in ("pass", "skipped")


@dataclass(frozen=True, slots=True)
class CallOutput:
    """The output of one of `Program.calls`."""

    kind: Literal["value", "exception", "timeout", "opaque", "not_run"]
    """opaque: a value without a canonical form, which equals nothing. not_run: the run ended before this call."""
    text: str
    """Canonical repr of the value (sets and dict keys in a stable order), or the exception's class name."""

    @property
    def comparable(self) -> bool:
        """Whether the output says anything; a call without an answer neither agrees nor disagrees with another."""
        return self.kind in ("value", "exception")

    def __str__(self) -> str:
        """Returns the output in words, for a person or a model."""
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
    """What probing found to hold on this machine, in words, per axis; "open: ..." for what does not hold."""

    level: Level
    network: str
    files: str
    memory: str
    disk: str
    processes: str
    environment: str


@dataclass(frozen=True, slots=True)
class Execution:
    """The executor's own record of a run. The supervisor counts it; what the program prints plays no part."""

    status: Status
    isolation: Isolation
    confirmed: bool = False
    """Whether the split runner repeated the pass with only plain values crossing."""
    unconfirmed_reason: str = ""
    """Why a pass could not be confirmed, in one line."""
    checks: tuple[CheckResult, ...] = ()
    outputs: tuple[CallOutput, ...] = ()
    """One per `Program.calls`, in order."""
    error: str = ""
    """One short text for error, crash, blocked, memory, timeout, broken: exception and place, or the limit that was
    hit."""
    missing_packages: tuple[str, ...] = ()
    """Distribution names of imports that are not installed."""
    installed: tuple[str, ...] = ()
    """What was installed for the run: "name==version sha256:..." over the files of each distribution."""
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    truncated: bool = False
    duration_ms: float = 0.0
    """Wall time in milliseconds, over all processes of the run."""
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
        """Runs the program and returns its record. Nothing that the program does makes this raise. Cancelling the task
        ends the program, even one that ignores every signal."""
        ...

    async def describe(self) -> Isolation:
        """Returns what probing found on this machine."""
        ...

    async def packages(self) -> tuple[str, ...]:
        """Returns the third-party distributions that programs can import, so that the model can be told."""
        ...

    async def install(self, packages: Sequence[str]) -> str:
        """Installs what a program may ask for in `packages`. Returns why that cannot be done; "" when it is done."""
        ...

    async def aclose(self) -> None: ...
