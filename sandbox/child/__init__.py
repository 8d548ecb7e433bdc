"""What runs behind the walls: sent to the worker as source, and importing nothing of the project. Here are its entries,
and what a worker does once before it forks."""

from __future__ import annotations

import linecache
import sys
from _socket import socketpair
from typing import Any

from .calls import evaluate
from .pretended import pretend
from .proxy.judge import judge
from .proxy.solution_side import SolutionSide, serve
from .proxy.tests_side import TestsSide
from .reporter import Emit
from .script import script
from .suite.plan import plan
from .suite.run import inprocess
from .words import refuse_commands

__all__ = ["evaluate", "inprocess", "judge", "rehearse", "script", "serve", "warm"]


_REHEARSALS = 20
"""So often has code to run until the interpreter has adapted it; what is adapted here, no child has to copy."""
_TESTS = "def test_f():\n    assert f(1) == 1"
_JOB = {"module": "solution", "solution": "def f(x):\n    return x", "tests": _TESTS, "plan": plan(_TESTS)}


def warm(flavour: str) -> None:
    """Import and touch what runs of this flavour need ("bare", "pytest", "data")."""
    refuse_commands()
    pretend()
    _converse()
    if flavour != "bare":
        from . import measure  # noqa: PLC0415 - brings coverage, which a bare worker does without
        from .suite.under_pytest import warm as warm_pytest  # noqa: PLC0415 - 200 ms that a bare worker does without

        measure.warm()
        warm_pytest()


def rehearse(emit: Emit) -> None:
    """Run a job that leaves nothing, in a child that waits for its own: the pages of memory that every run writes to
    are then copied before anybody waits for them. `emit` sends nothing."""
    modules, paths, finders = set(sys.modules), sys.path[:], sys.meta_path[:]
    inprocess(_JOB, emit)
    for name in sys.modules.keys() - modules:
        del sys.modules[name]
    sys.path[:], sys.meta_path[:] = paths, finders
    linecache.clearcache()


def _converse() -> None:
    """Lets two ends that no run uses talk to each other once, so that what they import is loaded before the fork."""

    def same(value: Any) -> Any:
        return value

    ours, theirs = socketpair()
    tests, solution = TestsSide(), SolutionSide()
    solution.begin(theirs.fileno(), ())
    tests.begin(ours.fileno(), ())
    mirrored = tests.codec.decode(solution.codec.encode(same))
    for _ in range(_REHEARSALS):
        tests.ask({"~": tests.mirrors.number(mirrored)}, ([1, "a", (2.5, None)],), {})
        solution.answer(solution.wire.receive())
        tests.reply()
    ours.close()
    theirs.close()
