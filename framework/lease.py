"""The right to drive a run: an operating-system lock on a file, so that it ends with its process, however that dies."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from pathlib import Path

from filelock import FileLock, Timeout

_PATIENCE = 0.2
_POLL = 0.02


def holder() -> str:
    """This process, in words."""
    return f"pid {os.getpid()} on {socket.gethostname()}"


class Lease:
    """Held from `take` until `release` or the end of the process."""

    def __init__(self, directory: Path, run_id: str) -> None:
        self._lock = FileLock(directory / f"{run_id}.lock", thread_local=False)

    async def take(self, patience: float = _PATIENCE) -> bool:
        """False if another holder keeps it for `patience` seconds (a probe holds it for microseconds)."""
        deadline = time.monotonic() + patience
        while not self._try():
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(_POLL)
        return True

    def _try(self) -> bool:
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            return False
        return True

    async def wait(self, patience: float) -> None:
        """Until nobody holds it, at most `patience` seconds."""
        if await self.take(patience):
            self.release()

    def is_free(self) -> bool:
        """Probes without keeping it."""
        if self._try():
            self._lock.release()
            return True
        return False

    def release(self) -> None:
        self._lock.release()
