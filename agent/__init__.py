"""Writes a program for a task, tests and repairs it, and says what was verified: `from agent import solve`."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api import solve, solve_async
    from .config import RunOptions
    from .events.conclusion import Evidence, Outcome
    from .state import Task
    from .task.refusals import REFUSALS
    from .task.reply import PersonReply
    from .task.request import BadInput

__all__ = [
    "REFUSALS", "BadInput", "Evidence", "Outcome", "PersonReply", "RunOptions", "Task", "solve", "solve_async",
]  # fmt: skip
_HOMES = {
    "BadInput": ".task.request", "Evidence": ".events.conclusion", "Outcome": ".events.conclusion",
    "PersonReply": ".task.reply", "REFUSALS": ".task.refusals", "RunOptions": ".config", "Task": ".state",
}  # fmt: skip


def __getattr__(name: str) -> object:
    """Loads a public name of this package when it is first asked for. Python imports this module before the first line
    of `agent/__main__.py`, so heavy imports here would keep `python -m agent` from handling Ctrl-C."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES.get(name, ".api"), __name__), name)
