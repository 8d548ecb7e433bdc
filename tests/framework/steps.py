"""What tests of runs share: steps that wait or fail, and short ways to watch a run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from framework.engine import Envelope
from framework.runs import Runs

from .toy import Happened, Step, ToyContext

Open = Callable[..., Awaitable[Runs[Happened]]]


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
    return [item.event.text async for item in runs.tail(run_id, after) if isinstance(item, Envelope)]


async def paused(runs: Runs[Happened]) -> tuple[str, str]:
    """A run that waits for an answer: its id and its question's."""
    run_id = await runs.submit({"ask": True}, title="t")
    await texts(runs, run_id)
    pending = await runs.pending(run_id)
    assert pending
    return run_id, pending.id
