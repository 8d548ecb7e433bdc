"""Managers over one place, which is SQLite in one pass of each test and PostgreSQL in the other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from framework.runs import Runs

from .places import Place
from .postgres import MISSING, Server, server
from .steps import Open
from .toy import Happened, ToyEngine


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server | None]:
    with server() as running:
        yield running


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return Place(tmp_path)
    running: Server | None = request.getfixturevalue("postgres_server")
    if running is None:
        pytest.skip(MISSING)
    return Place(tmp_path, running.fresh())


@pytest_asyncio.fixture(loop_scope="function")
async def opened(place: Place) -> AsyncIterator[Open]:
    """Opens managers over one place and closes them in the end."""
    managers: list[Runs[Happened]] = []

    async def open_runs(engine: ToyEngine | None = None, **options: Any) -> Runs[Happened]:
        managers.append(await place.runs(engine or ToyEngine(), **options))
        return managers[-1]

    yield open_runs
    for manager in managers:
        await manager.aclose()
