"""Runs plain suites (functions without fixtures, parameters or marks) without the cost of pytest."""

from __future__ import annotations

from types import FunctionType, ModuleType

from .collect import MODULE_CHECK, Suite
from .report import Report


def run_plain(module: ModuleType, suite: Suite, foreign: frozenset[int], report: Report) -> None:
    """Run the test functions that `module` holds once it is loaded; `foreign` are ids of values it was given."""
    tests = {
        name: value
        for name, value in module.__dict__.items()
        if name.startswith("test") and type(value) is FunctionType and id(value) not in foreign
    }
    report.collected([MODULE_CHECK, *tests] if suite.module_check else tests)
    if suite.module_check and report.wants(0):
        report.passed(MODULE_CHECK, toothless=False)
    for position, (name, test) in enumerate(tests.items(), start=int(suite.module_check)):
        if report.stopped:
            return
        if not report.wants(position):
            continue
        try:
            test()
        except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
            report.raised(name, problem)
        else:
            report.passed(name, name in suite.toothless)
