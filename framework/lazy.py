"""Opens something once, for its first user, on the event loop that is running then."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from .shielded import shielded

T = TypeVar("T")


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
