"""Measures which lines and branches of the solution a suite ran."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from types import FrameType
from typing import Any

from coverage.collector import Collector
from coverage.config import CoverageConfig
from coverage.core import Core
from coverage.disposition import disposition_init
from coverage.exceptions import CoverageException
from coverage.parser import PythonParser
from coverage.types import TFileDisposition

Arcs = set[tuple[int, int]]


def warm() -> None:
    """Imports before the fork what measuring imports only when it is used, and makes what the first run takes."""
    Measure({"warm.py": "if 1:\n    pass\n"}).record()
    _ready.append(_Collected())


def _nothing(*_: Any, **__: Any) -> None:
    """Ignores everything else that the collector reports."""


class _Collected:
    """The collector inside `coverage.Coverage` and its results, without the rest of that class, which looks up the
    folders of all packages and keeps data in a database. Make it before the fork, because a new collector looks through
    all modules for who made it."""

    def __init__(self) -> None:
        self.traced: Collection[str] = ()
        """Paths of the files to trace."""
        self.arcs: Mapping[str, Collection[tuple[int, int]]] = {}
        """Steps from line to line, by path, once the collector has flushed them."""
        config = CoverageConfig()
        config.branch = True
        self._core = Core(warn=_nothing, debug=None, config=config, dynamic_contexts=False)
        self.collector = Collector(
            core=self._core,
            should_trace=self._looked_at,
            check_include=lambda path, _: path in self.traced,
            should_start_context=None,
            file_mapper=str,
            branch=True,
            warn=_nothing,
            concurrency=["thread"],
        )
        data: Any = self
        self.collector.use_data(data, None)

    def _looked_at(self, path: str, _: FrameType) -> TFileDisposition:
        """Returns the collector's decision for a file; it asks once for each."""
        answer = disposition_init(self._core.file_disposition_class, path)
        answer.source_filename, answer.trace = path, path in self.traced
        return answer

    set_context = add_file_tracers = staticmethod(_nothing)

    def add_arcs(self, arcs: Mapping[str, Collection[tuple[int, int]]]) -> None:
        self.arcs = arcs


_ready: list[_Collected] = []


class Measure:
    """Traces the files of the solution from now on."""

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources
        self._collected = _ready.pop() if _ready else _Collected()
        self._collected.traced = sources
        # otherwise a process that the program starts would discard its data
        self._collected.collector.pid = os.getpid()
        self._collected.collector.start()

    def arcs(self) -> list[list[Any]]:
        """Stops, and returns for each source the steps from line to line that were made in it."""
        self._collected.collector.stop()
        self._collected.collector.flush_data()
        return [[*self._collected.arcs.get(path, ())] for path in self._sources]

    def record(self, elsewhere: Sequence[Any] = ()) -> dict[str, Any]:
        """Stops, and returns the `coverage` record: sums over the files, and missing lines of the first. `elsewhere`
        holds what `arcs` gave in other processes that ran these sources, None for one that ended before it told.
        Returns {} if a source is no Python or something is not known."""
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
