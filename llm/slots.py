"""So many at a time, whichever event loop or thread they are in, in order of arrival."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import tempfile
import threading
from collections import deque
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

POLL_S = 0.05


class Slots:
    """A semaphore of the whole process; asyncio's own belongs to one event loop."""

    def __init__(self, size: int) -> None:
        self._free = size
        self._lock = threading.Lock()
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()

    @property
    def busy(self) -> bool:
        """Tells whether the next caller has to wait."""
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
        """Stops waiting; a slot that was given meanwhile goes to the next."""
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


class MachineSlots(Slots):
    """Slots of a server of one's own, which every process of this user shares: one lock file each.

    The system frees a lock with its holder, so a process that is killed keeps no slot. Where lock files cannot be
    written, processes do not know of each other.
    """

    def __init__(self, size: int, server: str) -> None:
        """`server` names what is asked, such as its address."""
        super().__init__(size)
        owner = os.getuid() if hasattr(os, "getuid") else "one"
        self._folder = Path(tempfile.gettempdir(), f"model-slots-{owner}")
        name = hashlib.sha256(server.encode()).hexdigest()[:16]
        self._free_files = [FileLock(self._folder / f"{name}-{n}", thread_local=False) for n in range(size)]
        self._held: list[FileLock] = []

    @property
    def busy(self) -> bool:
        """Tells whether the next caller has to wait for somebody in this process or another."""
        if super().busy:
            return True
        if taken := self._take():
            self._put_back()
        return not taken

    async def __aenter__(self) -> None:
        await super().__aenter__()
        try:
            while True:
                if self._take():
                    return
                await asyncio.sleep(POLL_S)  # another process cannot wake this one
        except BaseException:
            self._give()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._put_back()
        self._give()

    def _take(self) -> bool:
        """Lock one of the files that no other process holds."""
        with self._lock:
            for file in self._free_files:
                try:
                    self._folder.mkdir(mode=0o700, exist_ok=True)
                    file.acquire(blocking=False)
                except Timeout:
                    continue
                except OSError as error:
                    logging.getLogger(__name__).warning("slots are not shared with other processes: %s", error)
                self._free_files.remove(file)
                self._held.append(file)
                return True
        return False

    def _put_back(self) -> None:
        """Any of the files held will do: they are alike."""
        with self._lock:
            file = self._held.pop()
            file.release()
            self._free_files.append(file)


def _wake(future: asyncio.Future[None]) -> None:
    """Gives a waiter its slot. One that was cancelled in this very moment gives the slot back itself."""
    if not future.done():
        future.set_result(None)
