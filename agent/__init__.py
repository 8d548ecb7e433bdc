"""Write a program for a task, test it, repair it, and say what was verified: `from agent import solve`."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api import Evidence, Outcome, solve, solve_async
    from .config import AgentConfig
    from .state import Task
    from .task.request import BadInput

__all__ = ["AgentConfig", "BadInput", "Evidence", "Outcome", "Task", "solve", "solve_async"]
_HOMES = {"AgentConfig": ".config", "BadInput": ".task.request", "Task": ".state"}


def __getattr__(name: str) -> object:
    """The room's public names, loaded when one is first asked for: `python -m agent` must be able to hear Ctrl-C from
    its first moment, and this module comes before that one's first line."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES.get(name, ".api"), __name__), name)
