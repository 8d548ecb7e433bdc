"""A plugin of pytest that writes down which tests run which lines of the rooms: `-p tests.mutants.recorder`."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from typing import Any

import pytest
from coverage import Coverage

ROOMS, INTO = "MUTANTS_ROOMS", "MUTANTS_INTO"
"""Names in the environment: the folders whose lines are written down, and the file that they are written to."""


class Recorder:
    """Only tests that pass are kept: one that fails in any case would notice every change."""

    def __init__(self, rooms: list[str], into: str) -> None:
        self.into, self.seconds, self.failed = into, dict[str, float](), set[str]()
        self.coverage = Coverage(data_file=None, source=rooms, config_file=False)
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self.coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if not report.passed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        tests = [test for test in self.seconds if test not in self.failed]
        numbers = {test: number for number, test in enumerate(tests)}
        lines = {
            os.path.relpath(file): {
                line: [numbers[context] for context in contexts if context in numbers]
                for line, contexts in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        told = {"tests": tests, "seconds": [self.seconds[test] for test in tests], "lines": lines}
        with open(self.into, "w", encoding="utf-8") as file:
            json.dump(told, file)


def pytest_configure(config: pytest.Config) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ or not config.option.numprocesses:
        into = os.environ[INTO] + os.environ.get("PYTEST_XDIST_WORKER", "")
        config.pluginmanager.register(Recorder(os.environ[ROOMS].split(":"), into))
