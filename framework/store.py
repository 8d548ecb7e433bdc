"""What is kept of runs: journal, list, paid work, artifacts, checkpoints, and the right to drive each."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from .clerk import Clerk, Write
from .database.base import Database
from .errors import StoreError
from .journal import Journal
from .lease import Lock
from .records import Blobs, Memo, RunTable
from .secret import Secret
from .shielded import shielded

P = ParamSpec("P")
R = TypeVar("R")
LEASE_PATIENCE = 0.2
"""Seconds."""
_POLL = 0.02


class Store:
    """Its parts may be called from any thread, one call at a time; `do` calls them without holding the event loop."""

    def __init__(self, database: Database, types: Iterable[tuple[str, str]] = ()) -> None:
        self.journal = Journal(database)
        self.runs = RunTable(database)
        self.memo = Memo(database)
        self.blobs = Blobs(database)
        self.database = database
        self._leases: dict[str, Lease] = {}
        self._clerk = Clerk(database, self._check, self._undone)
        self.checkpointer = database.open_saver(types, self._clerk)

    @classmethod
    def open(cls, directory: Path, types: Iterable[tuple[str, str]] = (), *, url: Secret | None = None) -> Store:
        """`types`: (module, class name) of every class of ours that the graph's state holds; others are not revived.
        `url`: of a PostgreSQL database; None keeps all in SQLite below `directory`.

        Raises StoreError, in one line, if it is unwritable, unreachable, corrupt or too new.
        """
        database = open_database(directory, url)
        try:
            return cls(database, types)
        except BaseException:
            database.close()
            raise

    def submit(self, act: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> Future[R]:
        """Has something done with the store in its own thread, after all that was asked for before."""
        return self._clerk.submit(act, *arguments, **named)

    async def do(self, act: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Waits for it without holding the event loop."""
        return await asyncio.wrap_future(self._clerk.submit(act, *arguments, **named))

    def write(self, run_id: str, write: Write[R]) -> Future[R]:
        """Has something written for a run, together with what else is waiting. Of a run that is driven here, every
        later write is refused after one that failed: a checkpoint must not count events that are not there. So is each
        if the right to drive the run was lost, for another process may have it now."""
        return self._clerk.write(run_id, write)

    async def settled(self, run_id: str) -> None:
        """Waits until all that was written for a run that is driven here is stored. Raises the error of the first write
        that failed."""
        await self.do(self._look, run_id)

    def _look(self, run_id: str) -> None:
        if lease := self._leases.get(run_id):
            lease.look()

    def lease(self, run_id: str) -> Lease:
        return Lease(self, run_id)

    def _check(self, run_id: str) -> None:
        """Raises StoreError where a run that is driven here may write no more, and what its first failure was."""
        if lease := self._leases.get(run_id):
            lease.check()

    def _undone(self, run_id: str, error: Exception | None) -> None:
        self.checkpointer.forget(run_id)
        if error and (lease := self._leases.get(run_id)):
            lease.failure = error

    def register(self, lease: Lease) -> bool:
        """False while another one of the run is not released: whoever lost that may still be ending a drive of it."""
        return self._leases.setdefault(lease.run_id, lease) is lease

    def unregister(self, lease: Lease) -> None:
        if self._leases.get(lease.run_id) is lease:
            del self._leases[lease.run_id]

    def delete_run(self, run_id: str) -> None:
        """Removes everything about a run; the caller holds its lease."""
        with self.database.transaction():
            self.checkpointer.delete_thread(run_id)
            self.runs.delete(run_id)
        self.database.forget_run(run_id)

    def close(self) -> None:
        """Does what was still to be done, and closes."""
        self._clerk.close()
        self.database.close()


class Lease:
    """The right to drive a run."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self.run_id = run_id
        self.lock: Lock = store.database.run_lock(run_id)
        self.failure: Exception | None = None
        """Of the first write of the run that failed."""

    def try_take(self) -> bool:
        if not self._store.register(self):
            return False
        try:
            held = self.lock.acquire()
        except BaseException:
            self._store.unregister(self)
            raise
        if not held:
            self._store.unregister(self)
        return held

    def look(self) -> None:
        """Raises the error of the first write that failed."""
        if self.failure is not None:
            # Each refusal would add to what is kept of the way that it took.
            raise self.failure.with_traceback(None)

    def check(self) -> None:
        """Raises StoreError where it was lost, or of the first write that failed."""
        self.look()
        self._store.database.revive()
        if self.is_lost():
            raise StoreError("the database was away; the run can be continued from its last step")

    def hold(self, holder: str) -> int:
        """Names who drives the run from now on, who has this right to it still; the number of the drive. Raises
        StoreError."""
        with self._store.database.lock:
            self.check()
            return self._store.runs.hold(self.run_id, holder)

    async def take(self, patience: float = LEASE_PATIENCE) -> bool:
        """False if another holder keeps it for `patience` seconds (with SQLite, a look holds it for microseconds)."""
        for _ in range(max(1, round(patience / _POLL))):
            trying = self._store.submit(self.try_take)
            try:
                if await shielded(asyncio.wrap_future(trying)):
                    return True
            except asyncio.CancelledError:
                self._store.submit(self.release)
                raise
            await asyncio.sleep(_POLL)
        return False

    def is_free(self) -> bool:
        """Looks without keeping it."""
        return self.lock.is_free()

    def is_lost(self) -> bool:
        """Whether it was taken, not released, and is held no more."""
        return self.lock.is_lost()

    def release(self) -> None:
        self._store.unregister(self)
        # What cannot be reached any more holds nothing.
        with suppress(StoreError):
            self.lock.release()


def open_database(directory: Path, url: Secret | None) -> Database:
    """Raises StoreError."""
    if url is None:
        return importlib.import_module("framework.database.sqlite").SqliteDatabase(directory)
    try:
        postgres: Any = importlib.import_module("framework.database.postgres")
    except ImportError:
        raise StoreError(
            "DATABASE_URL needs psycopg: pip install 'psycopg[binary]' langgraph-checkpoint-postgres"
        ) from None
    return postgres.PostgresDatabase(url)
