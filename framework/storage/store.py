"""Keeps runs: journal, list of runs, paid work, files, checkpoints, and the right to drive each."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from ..errors import StoreError
from ..secret import Secret
from ..waiting import shielded
from .clerk import Clerk, Write
from .database.base import Database
from .journal import Journal
from .lease import Lock
from .records import Blobs, Memo, RunTable

P = ParamSpec("P")
R = TypeVar("R")
LEASE_PATIENCE = 0.2
"""The seconds that a caller waits for a lease by default."""
_POLL = 0.02
"""The seconds between two tries to take a lease."""


class Store:
    """The store of one process. Its parts may be called from any thread, one call at a time; `do` calls them without
    blocking the event loop."""

    def __init__(self, database: Database, types: Iterable[tuple[str, str]] = ()) -> None:
        self.journal = Journal(database)
        self.runs = RunTable(database)
        self.memo = Memo(database)
        self.blobs = Blobs(database)
        self.database = database
        self._leases: dict[str, Lease] = {}
        self._clerk = Clerk(database, self._check, self._rolled_back)
        self.checkpointer = database.open_saver(types, self._clerk)

    @classmethod
    def open(cls, directory: Path, types: Iterable[tuple[str, str]] = (), *, url: Secret | None = None) -> Store:
        """Opens the store: PostgreSQL if `url` is given, else SQLite below `directory`. `types` are the (module, class
        name) of all our classes in the graph's state; other classes are not revived.

        Raises StoreError, with a message in one line, if the store is unwritable, unreachable, corrupt or too new.
        """
        database = open_database(directory, url)
        try:
            return cls(database, types)
        except BaseException:
            database.close()
            raise

    def submit(self, act: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> Future[R]:
        """Queues a call for the store's own thread, behind all earlier calls, and returns its future."""
        return self._clerk.submit(act, *arguments, **named)

    async def do(self, act: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Calls `act` in the store's thread and returns what it returns, without blocking the event loop."""
        return await asyncio.wrap_future(self._clerk.submit(act, *arguments, **named))

    def write(self, run_id: str, write: Write[R]) -> Future[R]:
        """Queues a write for a run, to be stored together with others that wait, and returns its future. If one write
        of a run that is driven here fails, every later one is refused, because a checkpoint must not count events that
        are missing. Writes are also refused if the lease is lost, because another process may drive the run now."""
        return self._clerk.write(run_id, write)

    async def settled(self, run_id: str) -> None:
        """Waits until all writes so far for a run that is driven here are stored. Raises the error of the first write
        that failed."""
        await self.do(self._raise_failure, run_id)

    def _raise_failure(self, run_id: str) -> None:
        """Raises the first failure of a run that is driven here."""
        if lease := self._leases.get(run_id):
            lease.look()

    def lease(self, run_id: str) -> Lease:
        return Lease(self, run_id)

    def _check(self, run_id: str) -> None:
        """Raises the first failure of a run that is driven here, or StoreError if its lease is lost."""
        if lease := self._leases.get(run_id):
            lease.check()

    def _rolled_back(self, run_id: str, error: Exception | None) -> None:
        """Forgets that the run's bodies are stored, and keeps the error of a write that is not tried again."""
        self.checkpointer.forget(run_id)
        if error and (lease := self._leases.get(run_id)):
            lease.failure = error

    def register(self, lease: Lease) -> bool:
        """Returns False while an earlier lease of the run is not released here: the drive that lost it may still be
        ending."""
        return self._leases.setdefault(lease.run_id, lease) is lease

    def unregister(self, lease: Lease) -> None:
        if self._leases.get(lease.run_id) is lease:
            del self._leases[lease.run_id]

    def delete_run(self, run_id: str) -> None:
        """Removes everything about a run. The caller must hold its lease."""
        with self.database.transaction():
            self.checkpointer.delete_thread(run_id)
            self.runs.delete(run_id)
        self.database.forget_run(run_id)

    def close(self) -> None:
        """Does the calls that are still queued, then closes the database."""
        self._clerk.close()
        self.database.close()


class Lease:
    """The right to drive a run."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self.run_id = run_id
        self.lock: Lock = store.database.run_lock(run_id)
        self.failure: Exception | None = None
        """The error of the run's first write that failed."""

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
        """Raises the error of the first write that failed, if any."""
        if self.failure is not None:
            # Each raise would add to the traceback that the stored error keeps.
            raise self.failure.with_traceback(None)

    def check(self) -> None:
        """Raises the error of the first write that failed, or StoreError if the lease is lost."""
        self.look()
        self._store.database.revive()
        if self.is_lost():
            raise StoreError("the database was away; the run can be continued from its last step")

    def hold(self, holder: str) -> int:
        """Stores who drives the run from now on, if this lease still holds. Returns the number of the drive. Raises
        StoreError."""
        with self._store.database.lock:
            self.check()
            return self._store.runs.hold(self.run_id, holder)

    async def take(self, patience: float = LEASE_PATIENCE) -> bool:
        """Takes the lease. Returns False if another holder keeps it for `patience` seconds. With SQLite, `is_free` of
        another process holds it for microseconds."""
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
        """Returns whether nobody holds the lease, without keeping it."""
        return self.lock.is_free()

    def is_lost(self) -> bool:
        """Returns whether the lease was taken, not released, and is not held any more."""
        return self.lock.is_lost()

    def release(self) -> None:
        self._store.unregister(self)
        # A database that cannot be reached any more has ended the lock.
        with suppress(StoreError):
            self.lock.release()


def open_database(directory: Path, url: Secret | None) -> Database:
    """Opens PostgreSQL if `url` is given, else SQLite below `directory`. Raises StoreError."""
    if url is None:
        return importlib.import_module("framework.storage.database.sqlite").SqliteDatabase(directory)
    try:
        postgres: Any = importlib.import_module("framework.storage.database.postgres")
    except ImportError:
        raise StoreError(
            "DATABASE_URL needs psycopg: pip install 'psycopg[binary]' langgraph-checkpoint-postgres"
        ) from None
    return postgres.PostgresDatabase(url)
