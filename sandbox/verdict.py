"""From how a process ended and what it reported to a status; nothing a program prints or exits with makes a pass."""

from __future__ import annotations

import signal
from typing import Any

from .report import Report
from .times import IDLE_FACTOR
from .types import Limits, Status

Head = dict[str, Any]
_ENDED_BY_LIMIT: dict[int, Status] = {
    int(getattr(signal, "SIGXCPU", 24)): "timeout",
    int(getattr(signal, "SIGXFSZ", 25)): "error",
    int(signal.SIGKILL): "memory",
}
_REFUSED = ("PermissionError",)
BUSY = "the machine was too busy to run it"


def death(limits: Limits, head: Head, report: Report) -> tuple[Status, str]:
    """What ended a process before it had said everything: (status, one line)."""
    cause = head["cause"]
    if cause == "cpu":
        return "timeout", f"no end within {limits.timeout:g} s of computing"
    if cause == "idle":
        return "timeout", f"it waited for more than {IDLE_FACTOR * limits.timeout:g} s without computing"
    if cause == "budget":
        return "timeout", "the time for the whole run was used up"
    if cause == "starved":
        return "broken", BUSY
    if cause == "overfull":
        return "error", "more files or bytes were written than a run may leave"
    if cause == "forged":
        return "error", "the report of the run is not whole"
    number = head["signal"] or head["second_signal"]
    if number is None:
        return "error", _ended_itself(head)
    return _by_signal(limits, number, head["peak_kb"] >> 10, report)


def _by_signal(limits: Limits, number: int, peak_mb: int, report: Report) -> tuple[Status, str]:
    status = _ENDED_BY_LIMIT.get(number, "crash")
    if status == "timeout":
        return "timeout", f"no end within {limits.timeout:g} s of computing"
    if status == "error":
        return "error", f"a file grew beyond {limits.file_mb} MB"
    if status == "memory" and 2 * peak_mb >= limits.memory_mb:
        return "memory", f"killed when it had taken {peak_mb} MB of memory; {limits.memory_mb} MB are allowed"
    return "crash", report.error or f"ended by signal {number} ({_name(number)})"


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _ended_itself(head: Head) -> str:
    code = head["second_code"] if head["exit_code"] is None or head["cause"] == "done" else head["exit_code"]
    return f"the program ended itself (exit code {code})"


def by_type(kind: str) -> Status:
    """Status of a run or check that ended by an exception of that class."""
    if kind == "MemoryError":
        return "memory"
    return "blocked" if kind in _REFUSED else "error"


def of_script(limits: Limits, head: Head, report: Report) -> tuple[Status, str]:
    """A program that was run as such."""
    if head["cause"] != "exit" or head["signal"] is not None:
        return death(limits, head, report)
    if head["exit_code"] == 0:
        return "ok", ""
    return by_type(report.error_type), report.error or f"exit code {head['exit_code']}"
