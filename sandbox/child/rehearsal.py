"""Has a worker do once what its children will do. What is imported, looked up or adapted for the first time is written
to memory, and a forked child has to copy each page that it writes to."""

from __future__ import annotations

import linecache
import sys
from _socket import socketpair
from typing import Any

from .load import TESTS
from .proxy.solution_side import SolutionSide
from .proxy.tests_side import TestsSide
from .suite.plan import plan
from .suite.run import inprocess

_TIMES = 20
"""So often has code to run until the interpreter has adapted it."""
_SUITE = "def check(same):\n    assert same(1) == 1\n\n\ndef test_same():\n    check(same)\n"
_JOB = {"module": "solution", "solution": "def same(value):\n    return value\n", "tests": _SUITE, "plan": plan(_SUITE)}


def rehearse() -> None:
    """Run a suite of our own, and let the two sides of a split run talk to each other."""
    path, finders = [*sys.path], [*sys.meta_path]
    for _ in range(_TIMES):
        inprocess(_JOB, lambda _: None)
        sys.path[:], sys.meta_path[:] = path, finders
        for name in ("solution", TESTS):
            del sys.modules[name]
    linecache.cache.clear()
    _converse()


def _converse() -> None:
    """By two ends that no run uses."""

    def same(value: Any) -> Any:
        return value

    ours, theirs = socketpair()
    tests, solution = TestsSide(), SolutionSide()
    solution.begin(theirs.fileno(), ())
    tests.begin(ours.fileno(), ())
    mirrored = tests.codec.decode(solution.codec.encode(same))
    for _ in range(_TIMES):
        tests.ask({"~": tests.mirrors.number(mirrored)}, ([1, "a", (2.5, None)],), {})
        solution.answer(solution.wire.receive())
        tests.reply()
    ours.close()
    theirs.close()
