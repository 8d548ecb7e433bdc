"""Defines what the store asks of a database, and holds the SQL in which the two databases differ.

Both databases run the same statements; values are named, as in `id = :id`. The tables are in the words of each, and
some statements run on PostgreSQL only.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...errors import StoreError
from ..lease import Lock

REVISIONS = ("0001", "0002")
"""The revisions of the schema, oldest first, numbered as Alembic numbers them. A fresh database gets the last one."""
HEAD = REVISIONS[-1]


@dataclass(frozen=True, slots=True)
class SqlDialect:
    """The words in which the two databases differ."""

    real: str
    flag: str
    no: str
    blob: str
    strict: str
    """Ends the definition of a table; with SQLite, it makes the table refuse values of another type."""
    keyed: str
    """Ends the definition of a table that is read by its key only."""
    counter: str
    """The definition of an extra column of `memo`, if the database does not number rows by itself."""
    arrival: str
    """The column that numbers the rows of `memo` in the order in which they came."""
    contains: str
    """An expression that says whether `words` contains the value for which {} stands."""
    also: tuple[str, ...] = ()
    """More statements for a fresh database."""

    @property
    def schema(self) -> tuple[str, ...]:
        """The statements that make all our tables, as of HEAD."""
        run = "run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE"
        return (
            f"""
CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, created {self.real} NOT NULL, title TEXT NOT NULL, words TEXT NOT NULL DEFAULT '',
    spec TEXT NOT NULL, scripted {self.flag} NOT NULL, owner TEXT NOT NULL, holder TEXT NOT NULL DEFAULT '',
    stage TEXT NOT NULL DEFAULT '', seconds {self.real} NOT NULL DEFAULT 0, drives INTEGER NOT NULL DEFAULT 0,
    stop_requested {self.flag} NOT NULL DEFAULT {self.no}){self.strict}""",
            # These indexes hold all that a search looks at, so that a search never reads the specs of the runs.
            "CREATE INDEX runs_by_age ON runs(created, run_id, owner, words)",
            "CREATE INDEX runs_by_owner ON runs(owner, created, run_id, words)",
            "CREATE INDEX runs_at_work ON runs(stage) WHERE stage <> ''",
            f"""
CREATE TABLE events(
    {run}, seq INTEGER NOT NULL, identity TEXT NOT NULL, ts {self.real} NOT NULL, kind TEXT NOT NULL,
    data TEXT NOT NULL, PRIMARY KEY(run_id, seq), UNIQUE(run_id, identity)){self.strict}""",
            f"""
CREATE TABLE memo(
    {run}, key TEXT NOT NULL, value TEXT NOT NULL, {self.counter}PRIMARY KEY(run_id, key)){self.strict}""",
            f"""
CREATE TABLE blobs(
    {run}, name TEXT NOT NULL, mime TEXT NOT NULL, created {self.real} NOT NULL, data {self.blob} NOT NULL,
    PRIMARY KEY(run_id, name)){self.strict}""",
            f"""
CREATE TABLE bodies(
    run_id TEXT NOT NULL, name {self.blob} NOT NULL, body {self.blob} NOT NULL,
    PRIMARY KEY(run_id, name)){self.keyed}""",
            "CREATE TABLE alembic_version(version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
            f"INSERT INTO alembic_version VALUES('{HEAD}')",
            *self.also,
        )


SQLITE = SqlDialect(
    real="REAL", flag="INTEGER", no="0", blob="BLOB", strict=" STRICT", keyed=" STRICT, WITHOUT ROWID", counter="",
    arrival="rowid", contains="instr(words, {}) > 0",
    # Versions from before Alembic read this number and refuse the file.
    also=("PRAGMA user_version = 2",),
)  # fmt: skip
POSTGRES = SqlDialect(
    real="DOUBLE PRECISION", flag="BOOLEAN", no="FALSE", blob="BYTEA", strict="", keyed="",
    counter="arrived BIGINT GENERATED ALWAYS AS IDENTITY, ", arrival="arrived", contains="strpos(words, {}) > 0",
)  # fmt: skip
LOCK_IS_HELD = """
SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
    AND classid = CAST(:high AS oid) AND objid = CAST(:low AS oid)
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"""
CUT_OFF = """
SELECT pg_terminate_backend(pid, CAST(:patience AS BIGINT)) FROM pg_stat_activity
    WHERE backend_xid = CAST(CAST(:number AS xid8) AS xid)"""
"""Ends the session whose transaction has this number."""
HOW_IT_ENDED = "SELECT pg_xact_status(CAST(:number AS xid8))"
"""Returns the state of the transaction of this number: "in progress", "committed" or "aborted"."""
REVISION = """
SELECT CASE WHEN to_regclass('alembic_version') IS NULL THEN '' ELSE 'known' END"""
SESSION = (
    # After a machine loses its power, the server lets go of its runs within 15 s.
    "SET tcp_keepalives_idle = 5",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 2",
    "SET lock_timeout = '10s'",
    "SET statement_timeout = '15s'",
    # A process that is halted within a transaction blocks nobody for longer than this.
    "SET idle_in_transaction_session_timeout = '20s'",
)


Rows = list[tuple[Any, ...]]
SqlStatement = tuple[str, Mapping[str, Any]]
"""An SQL statement with its values by name."""


class Database(ABC):
    """One connection, usable from any thread. Each statement is its own transaction unless one is open."""

    dialect: SqlDialect

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._depth = 0

    @abstractmethod
    def execute(self, sql: str, **values: Any) -> Rows:
        """Runs one statement and returns its rows. Raises StoreError."""

    def send(self, sql: str, **values: Any) -> Callable[[], Rows]:
        """Sends a statement within a transaction that is `unread`. Returns a function that gives the statement's rows
        once the transaction has ended. Raises StoreError."""
        rows = self.execute(sql, **values)
        return lambda: rows

    @contextmanager
    def transaction(self, *, unread: bool = False) -> Generator[None]:
        """Opens a transaction, which is stored as a whole or not at all. A transaction inside another is a part of the
        outer one. With `unread`, no rows are read inside it, and a failed statement may raise only at its end. Raises
        StoreError."""
        with self.lock:
            if self._depth:
                yield
                return
            self._depth += 1
            try:
                with self._outermost(unread=unread):
                    yield
            finally:
                self._depth -= 1

    @abstractmethod
    def revive(self) -> None:
        """Opens a new session if the old one broke. While the caller holds the lock, its next statements run in the
        session that this method leaves open. Raises StoreError."""

    @abstractmethod
    def _outermost(self, *, unread: bool) -> Any:
        """Returns the context manager of one transaction."""

    @abstractmethod
    def run_lock(self, run_id: str) -> Lock:
        """Returns the lock whose holder may drive the run. The lock ends with this process or with this connection."""

    @abstractmethod
    def open_saver(self, types: Iterable[tuple[str, str]], clerk: Any) -> Any:
        """Returns LangGraph's saver on this connection; see `checkpoints`. `clerk` is the `clerk.Clerk` that does its
        calls."""

    @abstractmethod
    def forget_run(self, run_id: str) -> None:
        """Removes what a run left outside the tables."""

    @abstractmethod
    def close(self) -> None: ...


def check_revision(found: str, where: str) -> None:
    """Raises StoreError if a newer version of this program made the schema `found` at `where`."""
    if found not in REVISIONS:
        raise StoreError(f"{where} was written by a newer version (schema {found}, this one reads {HEAD})")
