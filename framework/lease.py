"""The right to drive a run: a lock that ends with the process or the connection that holds it, however that dies.

With SQLite it is the operating system's lock on a file. With PostgreSQL it is an advisory lock of the very session that
writes the run. A heartbeat row would do, too, but it trusts clocks, lets a run rest until the row is stale, and whoever
slept through that would have to be kept from writing by a check in every statement: a session that lost this lock has
lost its way to the tables with it. The price is that nothing may stand between that gives one session to several
clients (a pooler in transaction mode).
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

WORKER = "worker "
"""How the words for a worker begin."""


def holder(*, worker: bool = False) -> str:
    """This process, in words."""
    return f"{WORKER if worker else ''}pid {os.getpid()} on {socket.gethostname()}"


class Lock(Protocol):
    """Held from `acquire` until `release`, the end of the process, or that of its way to the database."""

    def acquire(self) -> bool:
        """False if another one holds it; does not wait."""
        ...

    def is_free(self) -> bool:
        """Looks without keeping it."""
        ...

    def is_lost(self) -> bool:
        """Whether it was acquired, not released, and is held no more."""
        ...

    def release(self) -> None: ...


class FileRunLock:
    """A lock on a file."""

    def __init__(self, path: Path) -> None:
        self._lock = FileLock(path, thread_local=False)

    def acquire(self) -> bool:
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            return False
        return True

    def is_free(self) -> bool:
        if self._lock.is_locked or not self.acquire():
            return False
        self._lock.release()
        return True

    def is_lost(self) -> bool:
        return False

    def release(self) -> None:
        self._lock.release()
