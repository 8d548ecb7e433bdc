"""From how a run ended and what it reported to its status; nothing a program prints or exits with makes a pass."""

from __future__ import annotations

import signal
from typing import Any

from .report import Report
from .types import Program, Status

Head = dict[str, Any]
_ENDED_BY_LIMIT = {
    getattr(signal, "SIGXCPU", 24): "timeout",
    getattr(signal, "SIGXFSZ", 25): "error",
    signal.SIGKILL: "memory",
}
_REFUSED = ("PermissionError",)


def judge(program: Program, head: Head, report: Report) -> tuple[Status, str]:
    """(status, one line of explanation) of a run with the worker's facts in `head`."""
    ended = _ended_early(program, head, report)
    if ended is not None:
        return ended
    if program.tests is not None:
        return _of_checks(head, report)
    if program.calls:
        return _of_calls(program, head, report)
    return _of_script(head, report)


def _ended_early(program: Program, head: Head, report: Report) -> tuple[Status, str] | None:
    """Limits and deaths."""
    limits = program.limits
    if head["cause"] == "timeout":
        return "timeout", f"no end within {limits.timeout:g} s"
    if head["cause"] == "overfull":
        return "error", "more files or bytes were written than a run may leave"
    number = head["signal"] or head["second_signal"]
    if number is None:
        return None
    status = _ENDED_BY_LIMIT.get(number, "crash")
    if status == "timeout":
        return "timeout", f"no end within {limits.timeout:g} s of computing"
    if status == "error":
        return "error", f"a file grew beyond {limits.file_mb} MB"
    if status == "memory":
        return "memory", f"killed: more memory than {limits.memory_mb} MB"
    return "crash", report.error or f"ended by signal {number} ({_name(number)})"


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _of_checks(head: Head, report: Report) -> tuple[Status, str]:
    if report.error:
        return _by_type(report.error_type), report.error
    if head["report_cut"] or report.forged:
        return "error", "the report of the run is not whole"
    if report.done is None or report.collected is None:
        return "error", f"the program ended itself (exit code {head['exit_code']}) before its checks had finished"
    if not report.collected:
        return "error", "no check was collected"
    return _count(report)


def _count(report: Report) -> tuple[Status, str]:
    total, finished = len(report.collected or ()), len(report.checks)
    statuses = [check.status for check in report.checks]
    if "fail" in statuses:
        return "fail", ""
    if "error" in statuses:
        at = statuses.index("error")
        return _by_type(report.kinds[at]), report.checks[at].message.split("\n", 1)[0]
    if report.done != finished or finished != total or len({check.name for check in report.checks}) != total:
        return "error", f"{finished} of {total} checks finished"
    if "skip" in statuses:
        return "error", f"{statuses.count('skip')} of {total} checks did not run or check nothing"
    return "pass", ""


def _by_type(kind: str) -> Status:
    if kind == "MemoryError":
        return "memory"
    return "blocked" if kind in _REFUSED else "error"


def _of_calls(program: Program, head: Head, report: Report) -> tuple[Status, str]:
    if report.error:
        return _by_type(report.error_type), report.error
    if report.done != len(program.calls) or len(report.outputs) != len(program.calls):
        return "error", f"the program ended itself (exit code {head['exit_code']}) before its calls had finished"
    return "ok", ""


def _of_script(head: Head, report: Report) -> tuple[Status, str]:
    if head["exit_code"] == 0:
        return "ok", ""
    return _by_type(report.error_type), report.error or f"exit code {head['exit_code']}"
