"""Runs untrusted programs behind walls and reports what became of them. The agent's runs and the evaluation execute
every program through this room."""

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
    """Loads a public name of this room when it is first asked for. Python imports this module before the first line of
    `sandbox/__main__.py`, so heavy imports here would keep `python -m sandbox` from handling Ctrl-C. Raises ImportError
    when this system cannot fork and so cannot run programs."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = ".supervisor" if name in ("LocalSandbox", "open_sandbox", "run") else ".types"
    if home == ".supervisor" and not hasattr(os, "fork"):
        raise ImportError(NO_FORK)
    return getattr(importlib.import_module(home, __name__), name)
