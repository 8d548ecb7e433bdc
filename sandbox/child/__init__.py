"""What runs behind the walls: sent to the worker as source, and importing nothing of the project. Here are its entries,
and what a worker does once before it forks."""

from __future__ import annotations

from _socket import socketpair
from typing import Any

from .calls import evaluate
from .pretended import pretend
from .proxy.judge import judge
from .proxy.solution_side import SolutionSide, serve
from .proxy.tests_side import TestsSide
from .script import script
from .suite.run import inprocess
from .words import refuse_commands

__all__ = ["evaluate", "inprocess", "judge", "script", "serve", "warm"]


_REHEARSALS = 20
"""So often has code to run until the interpreter has adapted it; what is adapted here, no child has to copy."""


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
