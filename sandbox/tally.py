"""Combines what the processes of one run reported into one result per check, whatever became of the other checks.

A check that hangs, dies or exhausts the memory costs only itself: a fresh process runs the checks behind it, and this
module says which. A check that never ran has the status not_run, which is neither a failure nor a pass."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Any

from .child.reporter import NOT_LOADED, SKIPPED_BY_PROGRAM
from .report import ProcessReport
from .times import IDLE_FACTOR, MAX_HUNG
from .types import CallOutput, CheckResult, Limits, Program, Status

_LOADING = -1
"""The position that stands for loading the suite, before the first check."""
_MAX_DEATHS = 50
"""The most checks of one run that may kill their process. Each one costs a fresh process, so there has to be an end."""
Todo = tuple[int, ...] | None
"""Positions of checks or calls that are still to be run, in order; None for all, while their number is unknown."""


class Tally:
    """The results of a run's checks, or of its calls, by position."""

    def __init__(self, program: Program, names: Sequence[str] = ()) -> None:
        """`names` lists the checks in the suite's source; they are reported as not run if the suite is never loaded."""
        self._program = program
        self._stated = names
        self._names: list[str] | None = list(program.calls) if program.calls else None
        self._checks: dict[int, CheckResult] = {}
        self._kinds: dict[int, str] = {}
        self._outputs: dict[int, CallOutput] = {}
        self._hung = self._died = 0
        self._ended_in_program: set[int] = set()
        """Steps of a split run that ended in the program's own code."""
        self._starved: set[int] = set()
        self._ended: tuple[Status, str] | None = None
        """What ended the run as a whole: status and message."""
        self._why_unrun = ""
        """Why the remaining checks were not run."""
        self._status_if_unrun: Status = "error"
        """The status of the run if some checks were not run and nothing worse happened."""

    def add(self, head: Head, report: ProcessReport, wanted: Todo) -> Todo:
        """Adds what one process did with the checks in `wanted`. Returns what a fresh process should do; () for
        nothing."""
        order = self._order(report, wanted)
        finished = self._take(report, order)
        if self._ended is not None:
            return ()
        if head["cause"] == "done" and (report.error or not report.gone):
            return self._said_everything(head, report, order, finished)
        if head["cause"] == "forged" or report.forged:
            return self._end("error", "the report of the run is not whole")
        return self._after_death(head, report, order, finished, wanted)

    def _order(self, report: ProcessReport, wanted: Todo) -> tuple[int, ...]:
        if report.collected is not None and not self._program.calls:
            if self._names is None:
                self._names = report.collected
                if len(set(self._names)) < len(self._names):
                    self._end("error", "two checks have the same name")
            elif self._names != report.collected:
                self._end("error", "the suite holds other checks each time it is loaded")
        return wanted if wanted is not None else tuple(range(len(self._names or ())))

    def _take(self, report: ProcessReport, order: tuple[int, ...]) -> int:
        """Takes over the results of the process. Returns how many steps of `order` it finished."""
        if self._program.calls:
            done = [position for position in order if position in report.outputs]
            self._outputs.update({position: report.outputs[position] for position in done})
            return len(done)
        for position, check, kind in zip(order, report.checks, report.kinds, strict=False):
            if self._names is None or self._names[position] != check.name:
                self._end("error", "the report of the run is not whole")
                break
            self._checks[position], self._kinds[position] = check, kind
        return len(report.checks)

    def _said_everything(self, head: Head, report: ProcessReport, order: tuple[int, ...], finished: int) -> Todo:
        if report.error_type == "SolutionEnded" and (head["second_signal"], head["second_code"]) != (None, None):
            self._ended_in_program |= {_LOADING} if head["own"] else set()
            return self._end(*death(self._program.limits, head, ProcessReport()))
        if report.error:
            own = NOT_LOADED if report.error_type == "CollectError" else ""
            return self._end(by_type(report.error_type), f"{own}{report.error}")
        if report.forged or report.done != finished:
            return self._end("error", "the report of the run is not whole")
        if not order:
            return self._end("error", "no check was collected")
        if finished == len(order):
            return ()
        if self._program.fail_fast:
            return self._stop("a check before it did not pass")
        return self._end("error", f"{finished} of {len(order)} checks finished")

    def _after_death(
        self, head: Head, report: ProcessReport, order: tuple[int, ...], finished: int, wanted: Todo
    ) -> Todo:
        """Handles a process that ended before it had reported everything. The step to blame is the one after the last
        finished step. If only the solution's process died, the check that noticed has reported itself and is the one to
        blame."""
        status, message = death(self._program.limits, head, report)
        loading = self._names is None or (report.collected is None and not self._program.calls)
        noticed = bool(report.gone) and finished > 0
        at = _LOADING if loading else order[finished - 1] if noticed else next(iter(order[finished:]), _LOADING)
        rest = wanted if loading else order[finished + (0 if noticed else 1) :]
        if head["own"] and head["cause"] not in ("starved", "budget"):
            self._ended_in_program.add(at)
        if head["cause"] == "starved" and (loading or at != _LOADING):
            return self._after_starving(at, wanted if loading else order[finished:])
        if at == _LOADING:
            own = NOT_LOADED if loading and report.loading and not head["own"] else ""
            return self._end(status, f"{own}{message}")
        if head["cause"] == "budget":
            return self._stop(message, status)
        self._lose(at, status, message)
        if self._names is not None and (limit := report.limits.pop("", "")):
            report.limits[self._names[at]] = limit
        if self._program.fail_fast:
            return self._stop("a check before it did not pass")
        if self._hung >= MAX_HUNG:
            return self._stop(f"{MAX_HUNG} before it had no end")
        return rest if self._died < _MAX_DEATHS else self._stop(f"{_MAX_DEATHS} before it ended their process")

    def _lose(self, at: int, status: Status, message: str) -> None:
        hung = status == "timeout"
        self._hung, self._died = self._hung + hung, self._died + (not hung)
        if self._program.calls:
            raised = "MemoryError" if status == "memory" else "Crash"
            self._outputs[at] = CallOutput("timeout", "") if hung else CallOutput("exception", raised)
            return
        assert self._names is not None
        told = CheckResult(self._names[at], "timeout" if hung else "error", message)
        self._checks[at], self._kinds[at] = told, "MemoryError" if status == "memory" else status

    def _after_starving(self, at: int, again: Todo) -> Todo:
        """Repeats a starved step once, then gives up: a busy machine says nothing about the program."""
        if at in self._starved:
            return self._stop(BUSY, "broken")
        self._starved.add(at)
        return again

    def _end(self, status: Status, message: str) -> Todo:
        self._ended = self._ended or (status, message)
        return self._stop(f"the run ended before: {message}")

    def _stop(self, why: str, status: Status = "error") -> Todo:
        self._why_unrun, self._status_if_unrun = why, status
        return ()

    @property
    def starving(self) -> bool:
        """Whether a step that is to be run now was starved before."""
        return bool(self._starved)

    @property
    def settled(self) -> bool:
        """Whether a run in one process could only repeat this one: every check that did not pass, or the loading, ended
        in the program's own code."""
        if self._ended is not None:
            return _LOADING in self._ended_in_program
        missed = {at for at, check in self._checks.items() if not check.holds}
        return bool(missed) and missed <= self._ended_in_program

    def checks(self) -> tuple[CheckResult, ...]:
        """Returns one result for every check, in order; calls are no checks."""
        if self._program.calls:
            return ()
        names = self._names if self._names is not None else self._stated
        missing = f"not run: {self._why_unrun}"
        return tuple(self._checks.get(at, CheckResult(name, "not_run", missing)) for at, name in enumerate(names))

    def outputs(self) -> tuple[CallOutput, ...]:
        """Returns one output for every call, in order."""
        return tuple(self._outputs.get(at, CallOutput("not_run", "")) for at in range(len(self._program.calls)))

    def failing(self) -> tuple[int, ...]:
        """Returns the positions of the checks whose assertion failed."""
        return tuple(at for at, check in self._checks.items() if check.status == "fail")

    def status(self) -> tuple[Status, str]:
        """Returns the status of the run and one line. A failure counts more than a limit, and a limit more than an
        error."""
        if self._program.calls:
            return self._ended or ("ok", "")
        found = {check.status for check in self._checks.values()}
        if "fail" in found:
            return "fail", ""
        if self._ended is not None:
            return self._ended
        for status in ("timeout", "error"):
            if status in found:
                at = next(at for at, check in sorted(self._checks.items()) if check.status == status)
                return self._status_of_check(at)
        return self._status_of_the_rest()

    def _status_of_check(self, at: int) -> tuple[Status, str]:
        check, kind = self._checks[at], self._kinds[at]
        first = check.message.split("\n", 1)[0]
        if check.status == "timeout":
            return "timeout", f"{check.name}: {first}"
        return ("crash", first) if kind == "crash" else (by_type(kind), first)

    def _status_of_the_rest(self) -> tuple[Status, str]:
        checks = self.checks()
        left = sum(check.status == "not_run" for check in checks)
        if left:
            return self._status_if_unrun, f"{left} of {len(checks)} checks did not run: {self._why_unrun}"
        evaded = next((check.name for at, check in enumerate(checks) if self._kinds[at] == SKIPPED_BY_PROGRAM), None)
        if evaded:
            return "error", f"{evaded}: the program itself skipped it"
        none = f"of {len(checks)} checks, none passed that asserts something"
        return ("pass", "") if any(check.shows for check in checks) else ("error", none)


Head = dict[str, Any]
_ENDED_BY_LIMIT: dict[int, Status] = {
    int(getattr(signal, "SIGXCPU", 24)): "timeout",
    int(getattr(signal, "SIGXFSZ", 25)): "error",
    int(signal.SIGKILL): "memory",
}
BUSY = "the machine was too busy to run it"
_DEATHS: dict[str, tuple[Status, str]] = {
    "budget": ("timeout", "the time for the whole run was used up"),
    "starved": ("broken", BUSY),
    "overfull": ("error", "more files or bytes were written than a run may leave"),
    "forged": ("error", "the report of the run is not whole"),
}


def death(limits: Limits, head: Head, report: ProcessReport) -> tuple[Status, str]:
    """Returns the status and one line for a process that ended before it had reported everything."""
    cause = head["cause"]
    if cause == "cpu":
        return "timeout", f"no end within {limits.timeout:g} s of computing"
    if cause == "idle":
        return "timeout", f"it waited for more than {IDLE_FACTOR * limits.timeout:g} s without computing"
    if cause in _DEATHS:
        return _DEATHS[cause]
    number = head["signal"] or head["second_signal"]
    if number is None:
        code = head["second_code"] if head["exit_code"] is None or cause == "done" else head["exit_code"]
        if code is None:
            return "error", f"the program cannot be asked any more: {report.gone}"
        return "error", f"the program ended itself (exit code {code})"
    return _by_signal(limits, number, head["peak_kb"] >> 10, report)


def _by_signal(limits: Limits, number: int, peak_mb: int, report: ProcessReport) -> tuple[Status, str]:
    status = _ENDED_BY_LIMIT.get(number, "crash")
    if status == "timeout":
        return "timeout", f"no end within {limits.timeout:g} s of computing"
    if status == "error":
        return "error", f"a file grew beyond {limits.file_mb} MB"
    if status == "memory" and 2 * peak_mb >= limits.memory_mb:
        return "memory", f"killed when it had taken {peak_mb} MB of memory; {limits.memory_mb} MB are allowed"
    name = next((known.name for known in signal.Signals if known == number), "unknown")
    return "crash", report.error or f"ended by signal {number} ({name})"


def by_type(kind: str) -> Status:
    """Returns the status of a run or check that ended with an exception of this class."""
    if kind == "MemoryError":
        return "memory"
    return "blocked" if kind == "PermissionError" else "error"


def of_script(limits: Limits, head: Head, report: ProcessReport) -> tuple[Status, str]:
    """Returns the status and one line for a program that was run as a script."""
    if head["cause"] != "exit" or head["signal"] is not None:
        return death(limits, head, report)
    if head["exit_code"] == 0:
        return "ok", ""
    return by_type(report.error_type), report.error or f"exit code {head['exit_code']}"
