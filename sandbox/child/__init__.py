"""Holds the code that runs behind the walls: it is sent to the worker as code and imports nothing of the project. This
module has its entry points, and `warm`, which a worker calls once before it forks."""

from __future__ import annotations

from .calls import evaluate
from .pretended import pretend
from .proxy.examiner import examine
from .proxy.solution_side import serve
from .rehearsal import rehearse
from .script import script
from .suite.run import inprocess
from .words import refuse_commands

__all__ = ["evaluate", "examine", "inprocess", "rehearse", "script", "serve", "warm"]


def warm(flavour: str) -> None:
    """Imports and prepares what runs of this flavour need ("bare", "pytest", "data")."""
    refuse_commands()
    pretend()
    if flavour != "bare":
        from . import measure  # noqa: PLC0415 - brings coverage, which a bare worker does without
        from .suite.under_pytest import warm as warm_pytest  # noqa: PLC0415 - 200 ms that a bare worker does without

        measure.warm()
        warm_pytest()
