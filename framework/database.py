"""One SQLite file of the state directory, opened strictly: WAL, a schema version, and one-line errors."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from .errors import StoreError

VERSION = 1
SCHEMA = """
CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, created REAL NOT NULL, title TEXT NOT NULL, spec TEXT NOT NULL, scripted INTEGER NOT NULL,
    owner TEXT NOT NULL, holder TEXT NOT NULL DEFAULT '', stop_requested INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX runs_by_age ON runs(created);
CREATE TABLE events(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, seq INTEGER NOT NULL, identity TEXT NOT NULL,
    ts REAL NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY(run_id, seq), UNIQUE(run_id, identity)) STRICT;
CREATE TABLE memo(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY(run_id, key)) STRICT;
CREATE TABLE blobs(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, name TEXT NOT NULL, mime TEXT NOT NULL,
    created REAL NOT NULL, data BLOB NOT NULL, PRIMARY KEY(run_id, name)) STRICT;
"""


class Database:
    """A connection for one thread; a statement is its own transaction unless `transaction` is open."""

    def __init__(self, path: Path) -> None:
        """Opens or creates the file. Raises StoreError if it is unwritable, corrupt or from a newer version."""
        self._path = path
        with self._translated():
            self._connection = sqlite3.connect(path, timeout=10.0, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute("PRAGMA foreign_keys=ON")
            self._prepare()

    def _prepare(self) -> None:
        with self.transaction():
            found: int = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if found > VERSION:
                raise StoreError(
                    f"{self._path} was written by a newer version (schema {found}, this one reads {VERSION})"
                )
            if found == 0:
                for statement in SCHEMA.split(";\n"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version={VERSION}")

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs one statement and returns its rows."""
        with self._translated():
            return self._connection.execute(sql, parameters).fetchall()

    @contextlib.contextmanager
    def transaction(self) -> Generator[None]:
        with self._translated():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextlib.contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.Error as error:
            raise StoreError(f"the state file {self._path} cannot be used: {error}") from error

    def close(self) -> None:
        self._connection.close()
