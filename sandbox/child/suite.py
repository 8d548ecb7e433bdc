"""Takes a suite from its source to its outcome, with whichever runner it needs."""

from __future__ import annotations

import contextlib
from types import ModuleType
from typing import Any

from .collect import MODULE_CHECK, Suite
from .letters import know_utf8
from .load import tests_module
from .plain import run_plain
from .plan import FILENAME, Reading, read, unpack
from .report import NOTHING, Report
from .service import given_service
from .words import remember_source


def read_suite(job: dict[str, Any], report: Report) -> Reading | None:
    """The suite of `job`, planned before or read now; None once the report says why there is nothing to run here."""
    source = job.get("tests") or ""
    packed, explain = job.get("plan"), bool(job.get("explain"))
    remember_source(FILENAME, source)
    if explain and job.get("flavour") == "bare":
        report.emit({"needs": "pytest"})
        return None
    try:
        reading = unpack(packed) if packed else read(source, explain)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        report.fault(problem)
        report.done()
        return None
    suite = reading[1]
    if suite.pytest and job.get("flavour") == "bare":
        report.emit({"needs": "pytest"})
        return None
    if not (suite.tests or suite.module_check or suite.pytest):
        report.collected([])
        report.emit({"error": NOTHING})
        report.done()
        return None
    return reading


def run_suite(reading: Reading, given: dict[str, Any], report: Report) -> None:
    """Run a suite with the names of `given` as its globals."""
    code, suite, names = reading
    if "hypothesis" in names:
        _calm_hypothesis()
    module = tests_module({**given, **given_service(report.emit, report.programs.append)})
    try:
        exec(code, module.__dict__)
    except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
        _not_loaded(problem, suite, report)
    else:
        _run_tests(module, suite, frozenset(map(id, given.values())), report)


def _calm_hypothesis() -> None:
    """Same examples each time, and no limit on the wall's clock: a check must say the same on a busy machine."""
    try:
        from hypothesis import HealthCheck, settings  # noqa: PLC0415 - only for suites that use it
    except ImportError:
        return
    settings.register_profile(
        "sandbox", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("sandbox")
    with contextlib.suppress(ImportError, AttributeError):
        know_utf8()


def _run_tests(module: ModuleType, suite: Suite, foreign: frozenset[int], report: Report) -> None:
    if suite.pytest:
        from .full import run_full  # noqa: PLC0415 - costs 200 ms where it was not imported before the fork

        run_full(module, suite, report)
    else:
        run_plain(module, suite, foreign, report)


def _not_loaded(problem: BaseException, suite: Suite, report: Report) -> None:
    status, message = report.verdict(problem)
    report.collected(suite.checks)
    if suite.module_check:
        report.check(MODULE_CHECK, status, message, type(problem).__name__)
    for name in suite.tests:
        report.check(name, "skipped" if status == "skipped" else "error", f"the suite did not load: {message}")
    if status == "error" or not suite.module_check:
        report.fault(problem)
