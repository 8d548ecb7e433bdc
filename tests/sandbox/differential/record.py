"""Runs plain pytest in the folders that it reads from stdin, and writes down what became of each check.

A line names a folder and the file to write. Each run is a process of its own, forked from this one, which has read
pytest and two plugins and nothing else before.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Generator
from typing import Any

import pytest

ARGUMENTS = ["-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "--hypothesis-seed=0", "test_solution.py"]
"""As a person calls it who tests asynchronous functions, and always with the same random examples: of several faults of
a program, others would show each time."""
_PLUGINS = ("pytest_asyncio.plugin", "_hypothesis_pytestplugin")
"""What the corpus needs. Each run would load others that are installed here, which takes it longer than its checks."""
_SKIPPING = ("Skipped", "SkipTest")
_WORSE = {"pass": 0, "skip": 1, "fail": 2, "error": 2}


class Recorder:
    """Name of each check -> pass, fail (an assertion), error (another exception) or skip."""

    def __init__(self) -> None:
        self.checks: dict[str, str] = {}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.checks["(collection)"] = "error"

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.checks.update({item.nodeid.partition("::")[2]: "pass" for item in session.items})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report = yield
        self._add(item.nodeid.partition("::")[2], judge(call, report))
        return report

    def _add(self, name: str, status: str) -> None:
        if _WORSE[status] > _WORSE[self.checks[name]]:
            self.checks[name] = status


def judge(call: pytest.CallInfo[None], report: pytest.TestReport) -> str:
    """What one phase of a check says about it."""
    if hasattr(report, "wasxfail"):
        return "skip"
    if call.excinfo is None:
        return "pass" if report.passed else "fail"
    kind = call.excinfo.type
    if kind.__name__ in _SKIPPING:
        return "skip"
    failed = issubclass(kind, AssertionError) or kind.__name__ == "Failed"
    return "fail" if failed and call.when == "call" else "error"


def main() -> None:
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for name in _PLUGINS:
        importlib.import_module(name)
    for line in sys.stdin:
        folder, written = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            _run(folder, written)
            os._exit(0)
        print(os.waitpid(child, 0)[1], flush=True)


def _run(folder: str, written: str) -> None:
    """As `python -m pytest` does: the current folder stands first among those that are imported from."""
    os.chdir(folder)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    sys.path[0] = folder
    recorder = Recorder()
    pytest.main([*ARGUMENTS, *(f"-p{name}" for name in _PLUGINS)], plugins=[recorder])
    with open(written, "w", encoding="utf-8") as file:
        json.dump(recorder.checks, file)


if __name__ == "__main__":
    main()
