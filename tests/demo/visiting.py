"""Handlers of one page, asked one by one: an engine that answers when it is let, and runs that stand still."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import gradio as gr
from starlette.requests import HTTPConnection

from demo.desk import Desk
from demo.options import UiOptions
from demo.presses.admission import Admission, Stored
from demo.view.shot import Shot


def of(page: str) -> Any:
    """A request of this page."""
    connection = HTTPConnection({"type": "http", "headers": []})
    client = SimpleNamespace(host="127.0.0.1")
    return SimpleNamespace(headers={}, client=client, session_hash=page, request=connection, query_params={})


PAGE = of("page")
OPTIONS = UiOptions(storage_secret="browser")


class Slow(Desk):
    """Tells the events of a run when it is let; watched, every run stands still and is told by its title."""

    def __init__(self) -> None:
        super().__init__(no_workshop)
        self.asked, self.answers = asyncio.Event(), asyncio.Event()

    async def owner(self, run_id: str) -> None:
        """No other run is there."""

    async def runs(self) -> Any:
        return self

    async def events(self, run_id: str) -> list[Any]:
        self.asked.set()
        await self.answers.wait()
        return []

    async def watch(self, run_id: str) -> AsyncGenerator[Shot]:
        yield Shot(run_id, title=f"the task of {run_id}")


async def no_workshop() -> Any:
    raise AssertionError("nothing is asked of the engine")


class Anybody(Admission):
    """To whom every run is there."""

    async def shot(self, ref: str, stored: Stored | None, request: gr.Request) -> Shot:
        return Shot("r", title="the end")

    async def see(self, ref: str, stored: Stored | None, request: gr.Request) -> str:
        return ref

    async def standing(self, ref: str, stored: Stored | None, request: gr.Request) -> dict[str, Any]:
        return {}


class Started:
    """What starts a run, in its own time."""

    def __init__(self) -> None:
        self.times = 0
        self.asked, self.may = asyncio.Event(), asyncio.Event()

    async def run(self, task: str, request: gr.Request) -> tuple[str, Stored]:
        self.times += 1
        self.asked.set()
        await self.may.wait()
        return task, {"owner": "me"}


def pick(run_id: str) -> gr.EventData:
    """A press on a run of the list."""
    return gr.EventData(None, {"name": run_id})


async def told(frames: AsyncGenerator[list[object]]) -> str:
    return str([frame async for frame in frames])
