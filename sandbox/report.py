"""Reads the reports of a run's processes. Only records with the run's nonce count; a program that writes to the report
without knowing the nonce is caught."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .types import CallOutput, CheckResult, Coverage
from .worker.frames import GONE, HEADER, RECORD, STEP

_JSON = (RECORD, STEP, GONE)
_CHECK = ("pass", "fail", "error", "not_run", "skipped")
_KINDS = ("value", "exception", "timeout", "opaque")
_MESSAGE, _REASON = 4000, 500
"""The most characters kept of a message and of a reason."""


@dataclass(slots=True)
class ProcessReport:
    """The genuine records of one process of a run."""

    loading: bool = False
    """Whether the suite began to load; the program was loaded by then."""
    collected: list[str] | None = None
    checks: list[CheckResult] = field(default_factory=list[CheckResult])
    kinds: list[str] = field(default_factory=list[str])
    """Exception class of each check, in order; "" for a check that passed."""
    outputs: dict[int, CallOutput] = field(default_factory=dict[int, CallOutput])
    error_type: str = ""
    error: str = ""
    missing: list[str] = field(default_factory=list[str])
    coverage: Coverage | None = None
    doubts: list[str] = field(default_factory=list[str])
    """Why a pass cannot be confirmed: an answer came from the solution itself."""
    limits: dict[str, str] = field(default_factory=dict[str, str])
    """Check that did not pass -> what its tests do that cannot be done between two processes. The key "" stands for the
    check that was still running when its process ended."""
    limited: bool = False
    """Whether the tests did any such thing, in a check that passed too."""
    needs: str = ""
    """The flavour of worker in which this program has to be repeated; "" when this one fits."""
    gone: str = ""
    """Why the solution's process of a split run could not be asked any more. The check that noticed is the last one."""
    done: int | None = None
    """How many checks finished, as the runner says."""
    forged: bool = False
    """Whether something was written to the report that is no genuine record."""


def read_records(data: bytes, nonce: str) -> tuple[list[dict[str, Any]], bool]:
    """Returns the records in order, up to the first that is not genuine, and whether all were genuine. A last record
    that is cut short is ignored: its process was killed while writing."""
    expected = bytes.fromhex(nonce)
    records: list[dict[str, Any]] = []
    at = 0
    while at + HEADER.size <= len(data):
        size, kind, seen = HEADER.unpack_from(data, at)
        at += HEADER.size
        if seen != expected:
            return records, False
        if at + size > len(data):
            break
        try:
            if kind in _JSON:
                records.append(dict(json.loads(data[at : at + size])))
        except (ValueError, TypeError, RecursionError):
            return records, False
        at += size
    return records, True


def read_report(data: bytes, nonce: str) -> ProcessReport:
    """Parses what a process reported. Whatever was written there, this does not raise but sets `forged`."""
    records, genuine = read_records(data, nonce)
    report = ProcessReport(forged=not genuine)
    for record in records:
        try:
            _add(report, record)
        except (ValueError, TypeError, KeyError, AttributeError):
            report.forged = True
            break
    return report


def _add(report: ProcessReport, record: dict[str, Any]) -> None:
    """Adds one record to the report. Malformed values raise ValueError, TypeError, KeyError or AttributeError."""
    for name, value in record.items():
        if name in _FIELDS:
            setattr(report, name, _FIELDS[name](value))
        elif name in _READERS:
            _READERS[name](report, value, record)


def _read_check(report: ProcessReport, value: Any, record: dict[str, Any]) -> None:
    status = record["status"]
    if status not in _CHECK:
        raise ValueError(status)
    report.checks.append(CheckResult(str(value), status, str(record.get("message", ""))[:_MESSAGE]))
    report.limits.pop("", "")
    report.kinds.append("" if status == "pass" else str(record.get("type", "")))


def _read_limit(report: ProcessReport, value: Any, _: dict[str, Any]) -> None:
    name, why = value
    report.limits[str(name)] = str(why)[:_REASON]
    report.limited = True


def _read_output(report: ProcessReport, value: Any, _: dict[str, Any]) -> None:
    index, kind, text = value
    if kind not in _KINDS:
        raise ValueError(kind)
    report.outputs.setdefault(int(index), CallOutput(kind, str(text)))


def _read_error(report: ProcessReport, value: Any, _: dict[str, Any]) -> None:
    name = str(value.get("type", ""))
    report.error_type = str(value.get("kind", name))
    place = str(value.get("place", ""))
    text = f"{name}: {value.get('text', '')}".rstrip(": ")
    report.error = (f"{text} ({place})" if place else text)[:_MESSAGE]


def _coverage(value: Any) -> Coverage:
    counts = {name: int(value[name]) for name in ("branches", "branches_taken", "lines", "lines_run")}
    return Coverage(**counts, missing=tuple(int(line) for line in value["missing"]))


_FIELDS: dict[str, Callable[[Any], object]] = {
    "loading": bool,
    "collected": lambda names: [str(name) for name in names],
    "coverage": _coverage,
    "needs": str,
    "gone": lambda why: str(why)[:_REASON] or "gone",
    "done": int,
}
"""Field of a report and of a record -> how its value is read."""
_READERS: dict[str, Callable[[ProcessReport, Any, dict[str, Any]], object]] = {
    "check": _read_check,
    "output": _read_output,
    "error": _read_error,
    "missing": lambda report, names, _: report.missing.extend(str(name) for name in names),
    "unconfirmable": lambda report, why, _: report.doubts.append(str(why)[:_REASON]),
    "limit": _read_limit,
}
