"""So many at a time, whichever event loop or thread they are in, in order of arrival."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from types import TracebackType


class Slots:
    """A semaphore of the whole process; asyncio's own belongs to one event loop."""

    def __init__(self, size: int) -> None:
        self._free = size
        self._lock = threading.Lock()
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()

    @property
    def busy(self) -> bool:
        """The next caller has to wait."""
        return self._free < 1

    async def __aenter__(self) -> None:
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return
            mine: asyncio.Future[None] = loop.create_future()
            self._waiting.append((loop, mine))
        try:
            await mine
        except BaseException:
            self._leave(mine)
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give()

    def _leave(self, mine: asyncio.Future[None]) -> None:
        """Stop waiting; a slot that was given meanwhile goes to the next."""
        with self._lock:
            waited = [entry for entry in self._waiting if entry[1] is mine]
            for entry in waited:
                self._waiting.remove(entry)
        if not waited:
            self._give()

    def _give(self) -> None:
        """Hand the slot to who waits longest, in their own loop; a loop that is gone waits no more."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._free += 1
                    return
                loop, future = self._waiting.popleft()
            try:
                loop.call_soon_threadsafe(_wake, future)
            except RuntimeError:
                continue
            return


def _wake(future: asyncio.Future[None]) -> None:
    """Its waiter is gone only where it was cancelled in this very moment; it then gives the slot back itself."""
    if not future.done():
        future.set_result(None)
