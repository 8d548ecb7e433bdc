"""Measures which lines and branches of the solution a suite ran."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import coverage
from coverage.exceptions import CoverageException
from coverage.parser import PythonParser

Arcs = set[tuple[int, int]]


def warm() -> None:
    """Read once, before the fork, what measuring imports only when it is used."""
    measure = Measure({"warm.py": "if 1:\n    pass\n"})
    measure.start()
    measure.record()


class Measure:
    """Traces the files of the solution from `start` on."""

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources
        self._tracer = coverage.Coverage(data_file=None, branch=True, config_file=False, include=list(sources))
        self._tracer.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured", "trace-changed"])

    def start(self) -> None:
        self._tracer.start()

    def arcs(self) -> list[list[Any]]:
        """Stop, and give for each source the steps from line to line that were made in it."""
        self._tracer.stop()
        data = self._tracer.get_data()
        return [[*(data.arcs(path) or ())] for path in self._sources]

    def record(self, elsewhere: Sequence[Any] = ()) -> dict[str, Any]:
        """Stop, and give the `coverage` record: sums over the files, missing lines of the first. `elsewhere`: what
        `arcs` gave in other processes that ran these sources, None for one that ended before it told. {} for no Python,
        and where not all is known."""
        all_arcs = [self.arcs(), *elsewhere]
        if None in all_arcs:
            return {}
        ran: list[Arcs] = [{(arc[0], arc[1]) for arcs in told for arc in arcs} for told in zip(*all_arcs, strict=True)]
        try:
            told = [_count(source, path, arcs) for (path, source), arcs in zip(self._sources.items(), ran, strict=True)]
        except CoverageException:
            return {}
        sums = {key: sum(part[key] for part in told) for key in ("branches", "branches_taken", "lines", "lines_run")}
        return {"coverage": {**sums, "missing": told[0]["missing"] if told else []}}


def _count(source: str, path: str, ran: Arcs) -> dict[str, Any]:
    parser = PythonParser(text=source, filename=path)
    parser.parse_source()
    lines = parser.statements
    lines_run = parser.translate_lines({abs(line) for arc in ran for line in arc if line > 0}) & lines
    forks = {line for line, exits in parser.exit_counts().items() if exits > 1}
    possible = {arc for arc in parser.arcs() if arc[0] in forks}
    return {
        "branches": len(possible),
        "branches_taken": len(possible & set(parser.translate_arcs(ran))),
        "lines": len(lines),
        "lines_run": len(lines_run),
        "missing": sorted(lines - lines_run),
    }
