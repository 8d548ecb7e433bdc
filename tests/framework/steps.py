"""What tests of runs share: steps that wait or fail, and short ways to watch a run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn

from framework.engine import Envelope
from framework.errors import StoreError
from framework.runs import Runs
from framework.storage.store import Store

from .places import Place, hold_all_writes
from .toy import Happened, Step, ToyContext, reply

Open = Callable[..., Awaitable[Runs[Happened]]]
OUTCOME = "reply for plan, reply for branch 1, reply for branch 2, reply for join"
"""What a run of `ToyEngine` says last."""


class Gate:
    """A step that waits in one node until it is opened, and tells when somebody waits."""

    def __init__(self, node: str) -> None:
        self._node = node
        self.reached = asyncio.Event()
        self.open = asyncio.Event()
        self.cancelled = 0

    async def __call__(self, _context: ToyContext, node: str, _task_id: str) -> None:
        if node == self._node:
            self.reached.set()
            try:
                await self.open.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise


def fails_in(node: str, times: int = 1) -> Step:
    left = times

    async def step(_context: ToyContext, name: str, _task_id: str) -> None:
        nonlocal left
        if name == node and left:
            left -= 1
            raise ValueError(f"{name} broke")

    return step


async def texts(runs: Runs[Happened], run_id: str, after: int = -1) -> list[str]:
    return [item.event.text async for item in runs.follow(run_id, after) if isinstance(item, Envelope)]


async def paused(runs: Runs[Happened]) -> tuple[str, str]:
    """A run that waits for an answer: its id and its question's."""
    run_id = await runs.submit({"ask": True}, title="t")
    await texts(runs, run_id)
    pending = await runs.pending(run_id)
    assert pending
    return run_id, pending.id


async def ends_well(runs: Runs[Happened], run_id: str) -> None:
    """The run is continued and is then what an undisturbed one would be."""
    assert await runs.status(run_id) == "stopped"
    await runs.resume(run_id)
    told = await texts(runs, run_id)
    assert told[-1] == OUTCOME
    work = [text for text in told if ":" not in text and text != "stopped"]
    assert len(work) == len(set(work)) == 16
    assert [one.seq for one in runs.store.journal.events(run_id)] == list(range(len(told)))
    assert await runs.status(run_id) == "done"


class Payer:
    """A paid call. From the first one in `join` on the database is locked for all that is written, until `release`."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.paid: list[str] = []
        self._release: Callable[[], None] | None = None

    def __call__(self, node: str) -> str:
        self.paid.append(node)
        if node == "join" and self._release is None:
            self._release = hold_all_writes(self._place)
        return reply(node)

    def release(self) -> None:
        assert self._release
        self._release()


def hurry(store: Store, place: Place) -> None:
    """Lets this store wait for a locked database for a moment only."""
    store.database.execute("SET lock_timeout = '50ms'" if place.url else "PRAGMA busy_timeout = 50")


def still_away(*_: object) -> NoReturn:
    raise StoreError("still away")
