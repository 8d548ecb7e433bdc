"""Defines the lock that gives the right to drive a run.

It ends with the process or the connection that holds it, however that dies.

With SQLite it is the operating system's lock on a file. With PostgreSQL it is an advisory lock of the session that
writes the run. A row with a heartbeat would do, too. But it trusts clocks and leaves a run idle until the row is stale,
and every statement would need a check against an old holder that wakes up late. A session that loses its advisory lock
has lost its connection with it, and cannot write. The price is that no pooler in transaction mode, which gives one
session to several clients, may stand between this process and the server.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

WORKER = "worker "
"""How `holder` begins for a worker."""


def holder(*, worker: bool = False) -> str:
    """Names this process in words, e.g. "pid 12 on host"."""
    return f"{WORKER if worker else ''}pid {os.getpid()} on {socket.gethostname()}"


class Lock(Protocol):
    """A lock that is held from `acquire` until `release`, or until its process or its connection ends."""

    def acquire(self) -> bool:
        """Returns False if another holder has the lock. It does not wait."""
        ...

    def is_free(self) -> bool:
        """Returns whether nobody holds the lock, without keeping it."""
        ...

    def is_lost(self) -> bool:
        """Returns whether the lock was acquired, not released, and is not held any more."""
        ...

    def release(self) -> None: ...


class FileRunLock:
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
