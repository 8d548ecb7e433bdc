"""Runs untrusted programs behind walls and says what became of them."""

from __future__ import annotations

import importlib

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


def __getattr__(name: str) -> object:
    """The room's own names, loaded when one is first asked for: `python -m sandbox` must be able to hear Ctrl-C from
    its first moment, and this module comes before that one's first line."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = ".supervisor" if name in ("LocalSandbox", "open_sandbox", "run") else ".types"
    return getattr(importlib.import_module(home, __name__), name)
