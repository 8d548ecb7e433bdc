"""Benchmark suites: problems whose hidden tests the agent never sees; one file each, one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from . import bundled, humaneval, mbpp
from .problem import BadSuite, Problem

Loader = Callable[[Path | None], list[Problem]]

SUITES: Mapping[str, Loader] = {
    "bundled": bundled.load,
    "humaneval": humaneval.load,
    "mbpp": mbpp.load,
}

__all__ = ["SUITES", "BadSuite", "Loader", "Problem"]
