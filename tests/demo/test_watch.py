"""A viewer of a run sees what changes about it although the run itself says nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn
from unittest.mock import AsyncMock

import gradio as gr
import pytest
from fastapi.testclient import TestClient
from starlette.requests import HTTPConnection
from starlette.websockets import WebSocketDisconnect

from demo.desk import Desk
from demo.doors.gate import Gate
from demo.doors.rest import rest_app
from demo.options import UiOptions
from demo.presses.admission import Admission
from demo.ui import Handlers
from demo.view import watch
from framework.errors import OtherVersion, StoreBroken, StoreError
from framework.settings import RunLimits
from framework.storage.records import RunRow

from .player import PlayedRuns, Player


async def test_the_place_in_the_line_is_told_as_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(watch, "BEAT", 0.01)
    runs = await PlayedRuns.open(tmp_path, Player(), limits=RunLimits(running=1))
    _, second, third = [await runs.submit({"text": "hold"}, title="t") for _ in range(3)]
    async with asyncio.timeout(30), aclosing(watch.watch(runs, third)) as shots:
        while (await anext(shots)).queued != 1:
            """The first run has not got its slot yet."""
        await runs.stop(second)
        while (await anext(shots)).queued != 0:
            """A shot from before."""
    await runs.aclose()


async def test_a_page_keeps_what_it_shows_while_the_database_is_away_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(watch, "BEAT", 0.01)
    monkeypatch.setattr("framework.follow._AWAY_S", 0.0)
    monkeypatch.setattr("framework.follow._TRIES", 10**9)
    runs = await PlayedRuns.open(tmp_path, Player())
    run_id = await runs.submit({"text": "hold"}, title="t")
    away, refused, get = False, 0, runs.store.runs.get

    def look(asked: str) -> RunRow | None:
        nonlocal refused
        if away:
            refused += 1
            raise StoreError("away")
        return get(asked)

    monkeypatch.setattr(runs.store.runs, "get", look)
    async with asyncio.timeout(30), aclosing(watch.watch(runs, run_id)) as shots:
        while (await anext(shots)).status != "running":
            """It has not got its slot yet."""
        away = True
        await runs.driver.cancel(run_id)
        while refused < 9:
            assert (await anext(shots)).status == "running"
        away = False
        while (await anext(shots)).status != "stopped":
            """A shot from before."""
    await runs.aclose()


async def test_the_end_of_a_run_is_shown_although_the_database_was_away_when_it_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("framework.follow._AWAY_S", 0.0)
    runs = await PlayedRuns.open(tmp_path, Player())
    run_id = await runs.submit({"text": "t"}, title="t")
    async for _ in runs.follow(run_id):
        """Until it has ended."""
    follow, developed, to_come, refused = watch._follow, watch._developed, True, False

    async def told(*asked: Any) -> AsyncGenerator[Any]:
        nonlocal to_come
        async for item in follow(*asked):
            yield item
        to_come = False

    async def away_at_last(*asked: Any) -> Any:
        nonlocal refused
        if to_come or not refused:
            refused = not to_come
            raise StoreError("away")
        return await developed(*asked)

    monkeypatch.setattr(watch, "_follow", told)
    monkeypatch.setattr(watch, "_developed", away_at_last)
    async with asyncio.timeout(30), aclosing(watch.watch(runs, run_id)) as shots:
        assert [shot.status async for shot in shots] == ["done"]
    await runs.aclose()


class Unreadable(Desk):
    """Knows of runs, and can read none."""

    async def owner(self, run_id: str) -> str:
        return ""

    async def shares_ended(self, run_id: str) -> int:
        return 0

    async def workshop(self) -> Any:
        return SimpleNamespace(runs=self)

    async def follow(self, run_id: str, after: int = -1) -> AsyncGenerator[Any]:
        raise StoreBroken(f"the state file {'x' * 200} cannot be used")
        yield


async def _not_asked() -> NoReturn:
    raise AssertionError("what is broken is not asked")


async def test_whoever_watches_a_run_that_cannot_be_read_is_told_so_at_every_door():
    options = UiOptions(storage_secret="x")
    desk, gate = Unreadable(_not_asked), Gate(options)
    line = f"The state file {'x' * 200} cannot be used"
    client = TestClient(rest_app(desk, gate))
    assert client.get("/api/runs/r/events").text == f'event: end\ndata: {{"error": "{line}"}}\n\n'
    with client.websocket_connect("/api/runs/r/events") as socket, pytest.raises(WebSocketDisconnect) as closed:
        socket.receive_text()
    assert (closed.value.code, closed.value.reason) == (1011, line[:120])
    request: Any = SimpleNamespace(
        headers={}, session_hash="page", request=HTTPConnection({"type": "http", "headers": []})
    )
    with pytest.raises(gr.Error, match=line):
        _ = [frame async for frame in Handlers(desk, Admission(desk, gate), options).viewer.show(0, "r", None, request)]


async def test_a_list_names_a_run_that_another_version_stored():
    class Old(Desk):
        async def runs(self) -> Any:
            row = SimpleNamespace(run_id="r", title="t", created=1.0, scripted=False)
            store = SimpleNamespace(do=AsyncMock(return_value=[row]), runs=SimpleNamespace(list=None))
            events = AsyncMock(side_effect=OtherVersion("another version stored it"))
            return SimpleNamespace(store=store, status=AsyncMock(return_value="done"), events=events)

    [listed], _ = await Old(_not_asked).page("somebody", "", "", 5)
    assert (listed.title, listed.verdict, listed.error) == ("t", "", "another version stored it")
