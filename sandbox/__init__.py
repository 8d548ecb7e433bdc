"""Runs untrusted programs behind walls and says what became of them."""

from __future__ import annotations

import importlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .supervisor import LocalSandbox, open_sandbox, run
    from .types import (
        LEVELS,
        Artifact,
        CallOutput,
        CheckResult,
        CheckStatus,
        Coverage,
        Execution,
        Isolation,
        Level,
        LevelTooLow,
        Limits,
        Mode,
        Program,
        Sandbox,
        SandboxBroken,
        Status,
    )

__all__ = [
    "LEVELS",
    "Artifact",
    "CallOutput",
    "CheckResult",
    "CheckStatus",
    "Coverage",
    "Execution",
    "Isolation",
    "Level",
    "LevelTooLow",
    "Limits",
    "LocalSandbox",
    "Mode",
    "Program",
    "Sandbox",
    "SandboxBroken",
    "Status",
    "open_sandbox",
    "run",
]


NO_FORK = "programs are forked, which this system cannot do; use WSL, or run the app in a container"


def __getattr__(name: str) -> object:
    """The room's own names, loaded when one is first asked for: `python -m sandbox` must be able to hear Ctrl-C from
    its first moment, and this module comes before that one's first line. Raises ImportError where no
    program can be run."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = ".supervisor" if name in ("LocalSandbox", "open_sandbox", "run") else ".types"
    if home == ".supervisor" and not hasattr(os, "fork"):
        raise ImportError(NO_FORK)
    return getattr(importlib.import_module(home, __name__), name)
