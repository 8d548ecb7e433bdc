"""Runs untrusted programs behind walls and says what became of them."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from .environments import Environments
from .supervisor import LocalSandbox
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
]


def open_sandbox(
    workers: int | None = None, min_level: Level | None = None, environments: Path | None = None
) -> LocalSandbox:
    """A sandbox with so many runs at a time (None: one per core). Its workers start in the background of the running
    event loop, else with the first run, which raises LevelTooLow where this machine cannot reach `min_level`; until
    `aclose` they stay warm. `environments`: a folder where packages that programs ask for are installed, from wheels
    only; None: programs may not ask."""
    sandbox = LocalSandbox(workers, min_level, environments=Environments(environments) if environments else None)
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        sandbox.start()
    return sandbox
