"""Runs a suite in the solution's own process: the fast mode, safe against every accident but not against intent."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from .load import Sources, public_names
from .names import given_names
from .plan import Reading
from .report import Emit, Report
from .suite import read_suite, run_suite


def inprocess(job: dict[str, Any], emit: Emit) -> None:
    """Load the solution, then run its suite; every outcome is told through `emit`."""
    sources = Sources(job)
    report = Report(emit, sources.files, job)
    reading = read_suite(job, report)
    if reading is None:
        return
    sources.install()
    if job.get("coverage"):
        from .measure import Measure  # noqa: PLC0415 - costs 100 ms, and few runs ask for it

        measure = Measure(sources.sources)
        measure.start()
        _run(sources, reading, report)
        measured = measure.record(report.programs)
        if measured:
            emit(measured)
    else:
        _run(sources, reading, report)
    report.done()


def _run(sources: Sources, reading: Reading, report: Report) -> None:
    try:
        given = {} if reading[1].program_only else _given(sources.load(), reading[2])
    except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
        report.fault(problem)
    else:
        run_suite(reading, given, report)


def _given(solution: ModuleType, mentioned: frozenset[str]) -> dict[str, Any]:
    names = given_names(public_names(solution), mentioned)
    return {name: getattr(solution, name) for name in names if hasattr(solution, name)}
