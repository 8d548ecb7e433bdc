"""A plugin of pytest that writes down which tests run which lines of the rooms: `-p tests.mutants.recorder`."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from coverage import Coverage

from tests.mutants.behind import Behind

ROOMS, INTO = "MUTANTS_ROOMS", "MUTANTS_INTO"
"""Names in the environment: the folders whose lines are written down, and the file that they are written to."""


class Recorder:
    """Only tests that pass are kept: one that fails in any case would notice every change."""

    def __init__(self, rooms: list[str], into: str) -> None:
        self.into, self.seconds, self.failed = into, dict[str, float](), set[str]()
        self.behind = Behind() if any(room.startswith("sandbox") for room in rooms) else None
        self.told = defaultdict[tuple[str, int], list[str]](list)
        """By file and line, the tests that ran it behind the walls of the sandbox."""
        self.coverage = Coverage(data_file=None, source=rooms, config_file=False)
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self.coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.coverage.switch_context("")
            for line in self.behind.taken() if self.behind else ():
                self.told[line].append(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if not report.passed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        tests = [test for test in self.seconds if test not in self.failed]
        numbers = {test: number for number, test in enumerate(tests)}
        lines = defaultdict[str, dict[int, list[int]]](dict)
        for file, line, contexts in self._found():
            lines[file].setdefault(line, []).extend(numbers[one] for one in contexts if one in numbers)
        told = {"tests": tests, "seconds": [self.seconds[test] for test in tests], "lines": lines}
        with open(self.into, "w", encoding="utf-8") as file:
            json.dump(told, file)

    def _found(self) -> Iterator[tuple[str, int, list[str]]]:
        """Yields files and their lines with the tests that ran them."""
        data = self.coverage.get_data()
        for file in data.measured_files():
            for line, contexts in data.contexts_by_lineno(file).items():
                yield os.path.relpath(file), line, contexts
        for (file, line), tests in self.told.items():
            yield file, line, tests


def pytest_configure(config: pytest.Config) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ or not config.option.numprocesses:
        into = os.environ[INTO] + os.environ.get("PYTEST_XDIST_WORKER", "")
        config.pluginmanager.register(Recorder(os.environ[ROOMS].split(":"), into))
