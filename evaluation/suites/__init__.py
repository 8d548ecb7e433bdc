"""Benchmark suites: problems whose hidden tests the agent never sees; one file each, one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from . import bundled, humaneval, mbpp, quixbugs, repair, scenarios
from .problem import BadSuite, Problem, Wrong, chosen

Loader = Callable[[Path | None], list[Problem]]

SUITES: Mapping[str, Loader] = {
    "bundled": bundled.load,
    "humaneval": humaneval.load,
    "mbpp": mbpp.load,
    "quixbugs": quixbugs.load,
    "repair": repair.load,
    "scenarios": scenarios.load,
}

__all__ = ["SUITES", "BadSuite", "Loader", "Problem", "Wrong", "chosen"]
