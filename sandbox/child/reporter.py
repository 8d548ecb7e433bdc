"""Counts what finished and reports it. This is the one place where a check's status is put into words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .words import MESSAGE_LIMIT, clean, fault, headline, place, tell, told_as, trail

MODULE_CHECK = "module"
"""Name of the check that stands for the suite's module, if that asserts something itself."""
Emit = Callable[[dict[str, Any]], None]
TOOTHLESS = "it asserts nothing: no assert, raise or expected exception"
NOTHING = {"type": "NothingCollected", "text": "the suite holds no check", "place": ""}
NOT_LOADED = "the suite did not load: "
"""How it is told that a suite, not the program, ended before its first check."""
TRAIL = "_handle_trail"
"""Attribute of an exception that came from another process: its traceback there, in words."""
_SKIPPING = ("Skipped", "SkipTest")
SKIPPED_BY_PROGRAM = "SkippedByProgram"
"""What is reported as the class of an exception by which the program, not the tests, asked to skip a check."""
_FAILING = ("Failed",)


def _skips(problem: BaseException) -> bool:
    """Returns whether an exception asks to skip a check, also by a class that derives from one that does."""
    return any(owner.__name__ in _SKIPPING for owner in type(problem).__mro__)


class Reporter:
    """Emits the records of one run."""

    def __init__(self, emit: Emit, files: tuple[str, ...], job: dict[str, Any]) -> None:
        self.emit = emit
        self.files = files
        """Paths of the program's modules that are in this process, and of the suite, which is the last."""
        self.program: str = job["module"]
        self.private: str = job.get("private") or ""
        """Folder of the process that holds the tests."""
        self.finished = 0
        self._fail_fast = bool(job.get("fail_fast"))
        self._wanted: list[int] | None = job.get("wanted")
        self.failed = False
        self.programs: list[Any] = []
        """Which lines each program that the tests ran has run (see `Measure.arcs`); None for a program that told
        nothing."""

    @property
    def stopped(self) -> bool:
        """Whether a check did not pass and the job asked to stop there."""
        return self._fail_fast and self.failed

    def wants(self, position: int) -> bool:
        """Returns whether the check or call at this position is to run here; the others were settled by an earlier
        process."""
        return self._wanted is None or position in self._wanted

    def collected(self, names: Iterable[str]) -> None:
        self.emit({"collected": list(names)})

    def loaded(self, names: Iterable[str], module_check: bool) -> None:
        """Reports that the module of a suite that holds these tests ran to its end, which is a check of its own if it
        asserts."""
        self.collected([MODULE_CHECK, *names] if module_check else names)
        if module_check and self.wants(0):
            self.passed(MODULE_CHECK, toothless=False)

    def will_run(self, test: Any) -> None:
        """Hears of each function that is to run as a check."""

    def check(self, name: str, status: str, message: str = "", kind: str = "") -> None:
        """Reports a check. `kind` is the class name of the exception that ended it, "" if none did."""
        self.finished += 1
        self.failed = self.failed or status not in ("pass", "skipped")
        record = {"check": name, "status": status, "message": message}
        self.emit({**record, "type": kind} if kind else record)

    def passed(self, name: str, toothless: bool) -> None:
        """Reports a check that ran to its end. Of one that nothing but an error could have failed it is told."""
        self.check(name, "pass", TOOTHLESS if toothless else "")

    def raised(self, name: str, problem: BaseException) -> None:
        status, message = self.verdict(problem)
        self.check(name, status, message, self.kind(problem))

    def kind(self, problem: BaseException) -> str:
        """Returns the class name as which the exception that ended a check is reported."""
        if not (_skips(problem) or type(problem).__name__ == "XFailed"):
            return told_as(problem)
        suite, before = self.files[-1], problem.__context__
        # unittest tells a skip to pytest by raising another one
        asked = before if before is not None and _skips(before) else problem
        by_program = TRAIL in asked.__dict__ or not (place(asked, self.files) or suite).startswith(suite)
        return SKIPPED_BY_PROGRAM if by_program else told_as(problem)

    def verdict(self, problem: BaseException) -> tuple[str, str]:
        """Returns status and message of a check that ended by `problem`."""
        kind = type(problem).__name__
        if _skips(problem):
            return "skipped", tell(problem)
        way = "\n".join(filter(None, (trail(problem, self.files), problem.__dict__.get(TRAIL))))
        if isinstance(problem, AssertionError) or kind in _FAILING:
            return "fail", clean(f"{tell(problem) or kind}\n{way}", MESSAGE_LIMIT)
        return "error", clean(f"{headline(problem)}\n{way}", MESSAGE_LIMIT)

    def fault(self, problem: BaseException) -> None:
        """Reports that the run as a whole ended by `problem`."""
        self.emit(fault(problem, self.files))

    def done(self) -> None:
        self.emit({"done": self.finished})
