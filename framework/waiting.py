"""Holds three helpers around asyncio.

`shielded` awaits a future that goes on although its waiter is cancelled, `Lazy` opens something once for its first
user, and `in_batches` hands items on no faster than a screen can take them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Generic, TypeVar

T = TypeVar("T")


def shielded(going_on: asyncio.Future[T]) -> asyncio.Future[T]:
    """Returns a future to await, as `asyncio.shield` does. `asyncio.shield` alone would log a later error of `going_on`
    as one that nobody saw if its waiter is cancelled meanwhile."""
    going_on.add_done_callback(_retrieve_error)
    return asyncio.shield(going_on)


def _retrieve_error(ended: asyncio.Future[Any]) -> None:
    """Takes the error of a future that has ended, so that asyncio does not log it as one that nobody saw."""
    if not ended.cancelled():
        ended.exception()


class Lazy(Generic[T]):
    """Holds what `open_it` opens. Any number of handlers of one loop may await `get`; after a failure the next one
    opens it again."""

    def __init__(self, open_it: Callable[[], Awaitable[T]]) -> None:
        self._open = open_it
        self._opening: asyncio.Task[T] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def get(self) -> T:
        """Returns what was opened. Raises what opening raises, and RuntimeError on another loop than the first
        caller's."""
        loop = asyncio.get_running_loop()
        if self._loop not in (None, loop):
            raise RuntimeError("this was opened on another event loop and cannot be shared with this one")
        if self._opening is None or _failed(self._opening):
            self._loop = loop
            self._opening = asyncio.ensure_future(self._run())
        # A handler that is cancelled while it waits must not cancel the opening for the others.
        return await shielded(self._opening)

    async def _run(self) -> T:
        return await self._open()

    def opened(self) -> T | None:
        """Returns what was opened; None if opening has not ended or failed."""
        task = self._opening
        return task.result() if task and task.done() and not _failed(task) else None


def _failed(task: asyncio.Task[T]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


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
