"""Brings a run's events to a screen no faster than the screen can take them, and never holds back the last one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Generic, TypeVar

T = TypeVar("T")


class _Reader(Generic[T]):
    """Drains a source in a task of its own, so that waiting for the next item can time out without cancelling the
    source."""

    def __init__(self, source: AsyncGenerator[T]) -> None:
        self.items: list[T] = []
        self.arrived = asyncio.Event()
        self.task = asyncio.create_task(self._drain(source))
        # This wakes the waiting screen when the source ends, however it ends.
        self.task.add_done_callback(lambda _: self.arrived.set())

    async def _drain(self, source: AsyncGenerator[T]) -> None:
        async with aclosing(source):
            async for item in source:
                self.items.append(item)
                self.arrived.set()

    async def wait(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self.arrived.wait()
        except TimeoutError:
            return

    def take(self) -> list[T]:
        batch, self.items = self.items, []
        if not self.task.done():
            self.arrived.clear()
        return batch


async def in_batches(
    source: AsyncGenerator[T], *, interval: float = 0.1, heartbeat: float | None = None
) -> AsyncGenerator[list[T]]:
    """Yields lists of the items that arrived: the first at once, then at most one list in `interval` seconds, and the
    last in any case.

    With `heartbeat`, it yields an empty list after that many seconds without an item. Closing this generator closes the
    source. An error of the source is raised here, after the items that came before it.
    """
    reader = _Reader(source)
    try:
        while not reader.task.done() or reader.items:
            await reader.wait(heartbeat)
            batch = reader.take()
            if batch or not reader.task.done():
                yield batch
            if batch and not reader.task.done():
                await asyncio.wait([reader.task], timeout=interval)
        await reader.task
    finally:
        reader.task.cancel()
        await asyncio.wait([reader.task])
