"""Connects to PostgreSQL with one session, which also holds the locks of the runs that this process drives."""

from __future__ import annotations

import hashlib
import importlib
import re
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from functools import cache, cached_property, partial
from typing import Any

import psycopg

from ...errors import StoreBroken, StoreBusy, StoreError
from ...secret import Secret
from .base import CUT_OFF, HEAD, HOW_IT_ENDED, LOCK_IS_HELD, POSTGRES, REVISION, SESSION, Database, Rows, check_revision

OLDEST = 140_000
"""The oldest server version that will do, in the client library's notation: version 14 can end silent sessions."""
_SECONDS_TO_CONNECT = 5
"""The seconds that opening a session may take, and those between two keepalives."""
_OPENING_PATIENCE, _POLL = 60.0, 0.05
"""Seconds: how long one process waits while another makes the tables, and how often it looks."""
_SECONDS_BETWEEN_TRIES = 1.0
"""The seconds between two tries to reach a server that is away. Callers get the last error at once in between."""
_MS_TO_END = 5_000
"""The milliseconds that a session gets to end once it is told to, and then the milliseconds its transaction gets."""
_UNANSWERED_MS = 15_000
"""The milliseconds after which a connection is given up if the other side acknowledges nothing. The keepalives below
give up after as long if the connection is waiting for an answer."""
SILENT_S = 20.0
"""The seconds after which a server is given up that acknowledges data but does not answer. Such a server is halted or
has too much to do, because it would have cut off any statement that takes this long (SESSION)."""
FROZEN_MS = 20_000
"""The milliseconds of silence after which the server ends a session that holds locks of runs. A process that drives a
run asks for stop requests far more often, so a silent one was halted, and other processes should get its runs."""


class _Silent(psycopg.OperationalError):
    """The server did not answer in time."""


class _ImpatientConnection(psycopg.Connection[Any]):
    """A connection that waits only SILENT_S seconds for an answer. After that nobody knows whether the statement was
    done until the server has ended this session: then the locks of its runs are free, and what it did can be read."""

    hurried = True
    """Whether the limit holds; it is off while statements may take as long as they need."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        limit = SILENT_S if timeout is None and self.hurried else timeout
        try:
            return super().wait(gen, interval, limit)
        except psycopg.errors._WaitTimeout:  # pyright: ignore[reportPrivateUsage] - it has no public name
            self.pgconn.finish()
            raise _Silent(f"the server has not answered for {limit:g} s") from None


_KINDS = {
    StoreBroken: (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted),
    StoreBusy: (psycopg.errors.LockNotAvailable, psycopg.errors.QueryCanceled, _Silent),
}


class PostgresDatabase(Database):
    """A PostgreSQL database. The next caller after a broken session opens a new one; the locks of the broken session
    count as lost."""

    dialect = POSTGRES

    def __init__(self, url: Secret) -> None:
        """Raises StoreError if the server cannot be reached or its tables are from a newer version."""
        super().__init__()
        self._url = url
        self.session = 0
        """The number of the present session, counted from 1."""
        self.held: set[int] = set()
        """The keys of the locks that this session holds."""
        self._failed: tuple[float, StoreError] | None = None
        self._open_session()
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _open_session(self) -> None:
        with _translated():
            self.connection = _ImpatientConnection.connect(
                self._url.reveal(),
                autocommit=True,
                connect_timeout=_SECONDS_TO_CONNECT,
                tcp_user_timeout=_UNANSWERED_MS,
                keepalives_idle=_SECONDS_TO_CONNECT,
                keepalives_interval=_SECONDS_TO_CONNECT,
                keepalives_count=2,
                application_name="self-healing-code-agent",
            )
            if self.connection.info.server_version < OLDEST:
                raise StoreError(f"PostgreSQL {OLDEST // 10_000} or newer is needed")
            self._limit()
        self.session += 1
        self.held.clear()
        self._silence_ms = 0

    def _limit(self) -> None:
        for statement in SESSION:
            self.connection.execute(statement)
        self.connection.hurried = True

    def revive(self) -> None:
        if not (self.connection.closed or self.connection.broken):
            return
        if self._failed and time.monotonic() - self._failed[0] < _SECONDS_BETWEEN_TRIES:
            raise self._failed[1]
        try:
            self._open_session()
        except StoreError as error:
            self._failed = (time.monotonic(), error)
            raise

    def _prepare(self) -> None:
        """Makes or upgrades the tables, one process after the other."""
        savers = importlib.import_module("framework.storage.checkpoints.postgres")
        with _translated():
            if self._revision() == HEAD and savers.is_current(self.connection):
                return
        with self._waiting_for(_key(f"{self._schema}:tables")), _translated():
            found = self._revision()
            # A migration of stored rows takes longer the more rows there are.
            self.connection.execute("SET statement_timeout = 0")
            self.connection.hurried = False
            savers.make_tables(self.connection)
            if found == "":
                with self.transaction():
                    for statement in POSTGRES.schema:
                        self.connection.execute(statement)  # type: ignore[arg-type]
            elif found != HEAD:
                importlib.import_module("framework.storage.database.upgrade").upgrade_postgres(self.connection)
            self._limit()

    def _revision(self) -> str:
        if self.execute(REVISION) == [("",)]:
            return ""
        found = str(self.execute("SELECT version_num FROM alembic_version")[0][0])
        check_revision(found, "the database")
        return found

    @contextmanager
    def _waiting_for(self, key: int) -> Generator[None]:
        # This polls instead of waiting for the lock: LangGraph makes its indexes concurrently, which waits for every
        # statement that has begun, and a statement that waits for this lock would be one of them.
        deadline = time.monotonic() + _OPENING_PATIENCE
        while not self.execute("SELECT pg_try_advisory_lock(:key)", key=key)[0][0]:
            if time.monotonic() > deadline:
                raise StoreError("another process has been making the tables of the database for long")
            time.sleep(_POLL)
        try:
            yield
        finally:
            self.execute("SELECT pg_advisory_unlock(:key)", key=key)

    def execute(self, sql: str, **values: Any) -> Rows:
        with self.lock:
            # A part of a transaction that broke must not be done by itself in the next session.
            if not self._depth:
                self.revive()
            try:
                return self._run(sql, values)
            except StoreBusy:
                raise
            except StoreError:
                # A session that the server cut off shows only at the next statement. Only reading again is safe.
                if not self.connection.closed or self._depth or not sql.lstrip().startswith("SELECT"):
                    raise
            self.revive()
            return self._run(sql, values)

    def _run(self, sql: str, values: dict[str, Any]) -> Rows:
        with _translated():
            return _rows(self._sent(sql, values))

    def _sent(self, sql: str, values: Mapping[str, Any]) -> psycopg.Cursor[Any]:
        return self.connection.execute(_named(sql), values)  # type: ignore[arg-type]

    def send(self, sql: str, **values: Any) -> Callable[[], Rows]:
        """Sends the statement as `Database.send` says. All statements of the transaction share one round trip."""
        return partial(_rows, self._sent(sql, values))

    @contextmanager
    def _outermost(self, *, unread: bool) -> Generator[None]:
        self.revive()
        with _translated(), self._sent_at_once() if unread else self.connection.transaction():
            yield

    @contextmanager
    def _sent_at_once(self) -> Generator[None]:
        """Opens a transaction whose statements go out together; psycopg's own would wait for the server after each.
        COMMIT is sent only when the server has answered them all, because a write that was reported as refused must not
        be stored later."""
        number = ""
        try:
            with self.connection.pipeline() as pipeline:
                self.connection.execute("BEGIN")
                yield
                told = self.connection.execute("SELECT CAST(pg_current_xact_id_if_assigned() AS TEXT)")
                pipeline.sync()
                number = (told.fetchone() or ("",))[0]
                self.connection.execute("COMMIT")
        except BaseException:
            if not self.connection.closed:
                self.connection.rollback()
            elif number and self._landed(number):
                return
            raise

    def _landed(self, number: str) -> bool:
        """Returns whether a transaction is known to be stored although the server did not report its end; a new session
        asks. A transaction that is still in progress is cut off, so that it is not stored after this. It may be stored
        all the same if the server cannot be asked, refuses to cut it off, or takes too long."""
        refused = (StoreError, psycopg.ProgrammingError)
        try:
            self.revive()
            with suppress(*refused):
                self._run(CUT_OFF, {"number": number, "patience": _MS_TO_END})
            deadline = time.monotonic() + _MS_TO_END / 1000
            while (ended := self._run(HOW_IT_ENDED, {"number": number})) == [("in progress",)]:
                if time.monotonic() > deadline:
                    break
                time.sleep(_POLL)
        except refused:
            return False
        return ended == [("committed",)]

    def run_lock(self, run_id: str) -> AdvisoryLock:
        # Each schema is a store of its own, so two schemas of one database need different locks.
        return AdvisoryLock(self, _key(f"{self._schema}:run:{run_id}"))

    def end_if_silent(self, after_ms: int) -> None:
        """Lets the server end this session, and with it its locks, after `after_ms` milliseconds of silence (0:
        never)."""
        if after_ms != self._silence_ms:
            self.execute("SELECT set_config('idle_session_timeout', :after, false)", after=str(after_ms))
            self._silence_ms = after_ms

    @cached_property
    def _schema(self) -> str:
        return str(self.execute("SELECT current_schema()")[0][0])

    def open_saver(self, types: Iterable[tuple[str, str]], clerk: Any) -> Any:
        return importlib.import_module("framework.storage.checkpoints.postgres").PostgresCheckpoints(self, types, clerk)

    def forget_run(self, run_id: str) -> None:
        """Does nothing, because all of a run lies in tables."""

    def close(self) -> None:
        self.connection.close()


class AdvisoryLock:
    """A lock on a number, which belongs to a session."""

    def __init__(self, database: PostgresDatabase, key: int) -> None:
        self._database = database
        self._key = key
        self._session: int | None = None

    def acquire(self) -> bool:
        with self._database.lock:
            # PostgreSQL lets a session take its own lock twice, so only this process can tell that it holds the lock
            # already.
            if self._key in self._database.held:
                return False
            got = self._database.execute("SELECT pg_try_advisory_lock(:key)", key=self._key)[0][0]
            if got:
                self._database.held.add(self._key)
                self._session = self._database.session
                try:
                    self._database.end_if_silent(FROZEN_MS)
                except StoreError:
                    self.release()
                    raise
            return bool(got)

    def is_free(self) -> bool:
        with self._database.lock:
            if self._key in self._database.held:
                return False
            high, low = (self._key >> 32) & 0xFFFFFFFF, self._key & 0xFFFFFFFF
            return not self._database.execute(LOCK_IS_HELD, high=high, low=low)

    def is_lost(self) -> bool:
        return self._session is not None and self._session != self._database.session

    def release(self) -> None:
        with self._database.lock:
            held, self._session = self._session == self._database.session, None
            if held:
                self._database.held.discard(self._key)
                self._database.execute("SELECT pg_advisory_unlock(:key)", key=self._key)
                if not self._database.held:
                    self._database.end_if_silent(0)


def _key(name: str) -> int:
    """Returns a signed number of 64 bits for a name."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


def _rows(cursor: psycopg.Cursor[Any]) -> Rows:
    return cursor.fetchall() if cursor.description else []


@cache
def _named(sql: str) -> str:
    """Returns the statement with its values named as the driver wants them."""
    return re.sub(r":(\w+)", r"%(\1)s", sql.replace("%", "%%"))


@contextmanager
def _translated() -> Generator[None]:
    """Turns errors of the driver into StoreError and its subclasses. Programming errors pass as they are."""
    try:
        yield
    except psycopg.ProgrammingError:
        raise
    except psycopg.Error as error:
        said = " ".join(str(error).split()) or type(error).__name__
        kind = next((kind for kind, errors in _KINDS.items() if isinstance(error, errors)), StoreError)
        raise kind(f"the database cannot be used: {said}") from error
