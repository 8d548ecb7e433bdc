"""Limits how many calls go on at a time.

The limit holds across event loops, threads and processes; within a process, calls go in order of arrival.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import tempfile
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

POLL_S = 0.05
"""The seconds between two looks for a free place."""


class _Slot:
    """One place. Every process of this user shares a place with a `file`. The system frees the file's lock with its
    holder, so a killed process keeps no place. If lock files cannot be written, processes do not know of each other."""

    def __init__(self, file: Path | None) -> None:
        self._own = threading.Lock()
        self._file = FileLock(file, thread_local=False) if file else None

    def acquire(self) -> bool:
        """Takes the place if it is free. Returns whether it was."""
        if not self._own.acquire(blocking=False):
            return False
        try:
            if self._file is not None:
                Path(self._file.lock_file).parent.mkdir(mode=0o700, exist_ok=True)
                self._file.acquire(blocking=False)
        except Timeout:
            self._own.release()
            return False
        except OSError as error:
            logging.getLogger(__name__).warning("slots are not shared with other processes: %s", error)
        return True

    def release(self) -> None:
        if self._file is not None:
            self._file.release()
        self._own.release()


class Slots:
    """A semaphore for many event loops; asyncio's own belongs to one. `server` names what is asked, e.g. its address,
    if all processes of this user share the places; "": this process has the places for itself."""

    def __init__(self, size: int, server: str = "") -> None:
        owner = os.getuid() if hasattr(os, "getuid") else "one"
        folder = Path(tempfile.gettempdir(), f"model-slots-{owner}")
        name = hashlib.sha256(server.encode()).hexdigest()[:16]
        self._slots = [_Slot(folder / f"{name}-{n}" if server else None) for n in range(size)]
        self._held: list[_Slot] = []
        self._lock = threading.Lock()
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, object]] = deque()

    @property
    def busy(self) -> bool:
        """Whether the next caller has to wait for somebody in this process or another."""
        if self._waiting or not self._take():
            return True
        self._give()
        return False

    async def __aenter__(self) -> None:
        mine = asyncio.get_running_loop(), object()
        self._waiting.append(mine)
        try:
            while True:
                if self._next() is mine and self._take():
                    return
                await asyncio.sleep(POLL_S)  # another process or event loop cannot wake this one
        finally:
            with suppress(ValueError):
                self._waiting.remove(mine)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give()

    def _next(self) -> object:
        """Returns who has waited longest. An event loop that is closed does not count."""
        with self._lock:
            while self._waiting[0][0].is_closed():
                self._waiting.popleft()
            return self._waiting[0]

    def _take(self) -> bool:
        slot = next((slot for slot in self._slots if slot.acquire()), None)
        if slot is not None:
            self._held.append(slot)
        return slot is not None

    def _give(self) -> None:
        """Gives back any of the places held, because they are all alike."""
        self._held.pop().release()
