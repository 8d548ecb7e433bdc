"""Takes a suite from its source to its outcome, with whichever runner it needs."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Any

from .collect import MODULE_CHECK, Suite, study
from .load import parse_tests, run_tests_module, tests_module
from .plain import run_plain
from .report import NOTHING, Report
from .service import given_service

Reading = tuple[ast.Module, Suite]


def read_suite(job: dict[str, Any], report: Report) -> Reading | None:
    """The suite of `job`; None once the report says why there is nothing to run here."""
    try:
        tree = parse_tests(job.get("tests") or "")
        suite = study(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        report.fault(problem)
        report.done()
        return None
    if suite.pytest and job.get("flavour") == "bare":
        report.emit({"needs": "pytest"})
        return None
    if not (suite.tests or suite.module_check or suite.pytest):
        report.collected([])
        report.emit({"error": NOTHING})
        report.done()
        return None
    return tree, suite


def names_used(tree: ast.Module) -> set[str]:
    """Every name that the suite's source mentions, parameters included."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return names | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


def run_suite(reading: Reading, given: dict[str, Any], report: Report) -> None:
    """Run a suite with the names of `given` as its globals."""
    tree, suite = reading
    module = tests_module({**given_service(report.emit), **given})
    if not _loads(module, tree, suite, report):
        return
    if suite.pytest:
        from .full import run_full  # noqa: PLC0415 - costs 200 ms where it was not imported before the fork

        run_full(module, suite, report)
    else:
        run_plain(module, suite, frozenset(map(id, given.values())), report)


def _loads(module: ModuleType, tree: ast.Module, suite: Suite, report: Report) -> bool:
    try:
        run_tests_module(module, tree)
    except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
        _not_loaded(problem, suite, report)
        return False
    return True


def _not_loaded(problem: BaseException, suite: Suite, report: Report) -> None:
    status, message = report.verdict(problem)
    report.collected([MODULE_CHECK, *suite.tests] if suite.module_check else suite.tests)
    if suite.module_check:
        report.check(MODULE_CHECK, status, message)
    for name in suite.tests:
        report.check(name, "skip" if status == "skip" else "error", f"not run, the suite did not load: {message}")
    if status == "error" or not suite.module_check:
        report.fault(problem)
