"""Managers over one state directory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio

from framework.runs import Runs

from .steps import Open
from .toy import Happened, ToyEngine


@pytest_asyncio.fixture(loop_scope="function")
async def opened(tmp_path: Path) -> AsyncIterator[Open]:
    """Opens managers over one state directory and closes them in the end."""
    managers: list[Runs[Happened]] = []

    async def open_runs(engine: ToyEngine | None = None, **options: Any) -> Runs[Happened]:
        managers.append(await Runs.open(tmp_path, engine or ToyEngine(), **options))
        return managers[-1]

    yield open_runs
    for manager in managers:
        await manager.aclose()
