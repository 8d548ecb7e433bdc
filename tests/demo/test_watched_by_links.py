"""Who looks at a run by a link: as long as it stands, however slowly they read, and past a database that is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from starlette.requests import HTTPConnection
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from demo.desk import Desk
from demo.doors.gate import Gate
from demo.doors.owners import while_shown
from demo.options import UiOptions
from demo.presses.admission import Admission
from demo.screens.run import frame
from demo.ui import Handlers
from demo.view.shot import Shot
from framework.errors import StoreError

from . import story
from .conftest import OTHER_KEY, Served


async def nothing() -> Any:
    raise AssertionError("the routes are listed without the engine")


@pytest.mark.parametrize("door", ["events", "socket"])
def test_who_watches_by_a_link_that_is_taken_back_sees_no_more(
    served: Served, monkeypatch: pytest.MonkeyPatch, door: str
):
    monkeypatch.setattr("demo.doors.owners._LOOK_S", 0.05)
    with served.client() as owner, served.client(OTHER_KEY) as other:
        live = owner.post("/api/runs", json={"task": f"hold {story.TASK}"}).json()["run_id"]
        ref = owner.post(f"/api/runs/{live}/share").json()["run_id"]
        address = f"/api/runs/{ref}/events"
        if door == "events":
            with other.stream("GET", address) as stream:
                lines = stream.iter_lines()
                assert next(lines).startswith("data: ")
                owner.delete(f"/api/runs/{live}/share")
                assert [line for line in lines if "There is no run" in line] == [
                    f'data: {{"error": "There is no run {live}"}}'
                ]
        else:
            key = {"X-API-Key": OTHER_KEY}
            with connect(served.address.replace("http", "ws") + address, additional_headers=key) as socket:
                socket.recv()
                owner.delete(f"/api/runs/{live}/share")
                while not _is_over(socket):
                    pass
                assert socket.close_code == 1008
        assert owner.get(f"/api/runs/{live}").json()["status"] == "running"
        owner.delete(f"/api/runs/{live}")


def _is_over(socket: ClientConnection) -> bool:
    try:
        socket.recv(20)
    except ConnectionClosed:
        return True
    return False


async def test_a_page_that_shows_a_run_by_a_link_is_emptied_when_that_is_taken_back(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("demo.doors.owners._LOOK_S", 0.01)
    options = UiOptions(storage_secret="x")
    gate, ended = Gate(options), 0

    class Showing(Desk):
        async def owner(self, run_id: str) -> str:
            return "somebody"

        async def shares_ended(self, run_id: str) -> int:
            return ended

        async def watch(self, run_id: str) -> AsyncGenerator[Shot]:
            yield Shot(run_id, title="a secret")
            await asyncio.Event().wait()

    request: Any = SimpleNamespace(
        headers={}, session_hash="page", request=HTTPConnection({"type": "http", "headers": []})
    )
    desk = Showing(nothing)
    shown = Handlers(desk, Admission(desk, gate), options).viewer.show(0, gate.share("r", 0), None, request)
    assert "a secret" in str(await anext(shown))
    ended = 1
    assert await anext(shown) == frame(Shot())
    with pytest.raises(gr.Error, match="There is no run r"):
        await anext(shown)


async def test_an_owner_who_reads_slowly_is_not_sent_what_was_new_long_ago():
    made: list[int] = []

    async def shots() -> AsyncGenerator[int]:
        for number in range(9):
            made.append(number)
            yield number
            await asyncio.sleep(0)

    options = UiOptions(storage_secret="x")
    async with aclosing(while_shown(Desk(nothing), Gate(options), "r", shots())) as shown:
        assert await anext(shown) == 0
        for _ in range(30):
            await asyncio.sleep(0)
        assert made == [0]


async def test_whoever_looks_by_a_share_stays_while_the_database_is_away(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("framework.follow._AWAY_S", 0.0)
    looks = 0

    class Away(Desk):
        async def shares_ended(self, run_id: str) -> int:
            nonlocal looks
            looks += 1
            if looks < 9:
                raise StoreError("away")
            return 0

    async def shots() -> AsyncGenerator[int]:
        yield 1

    gate = Gate(UiOptions(storage_secret="x"))
    async with aclosing(while_shown(Away(nothing), gate, gate.share("r", 0), shots())) as shown:
        assert [item async for item in shown] == [1]
