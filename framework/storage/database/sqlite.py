"""Opens the one SQLite file of the state directory strictly: WAL mode, a revision of the schema, errors in one line."""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ...errors import StoreBroken, StoreBusy, StoreError
from ..lease import FileRunLock
from .base import HEAD, SQLITE, Database, Rows, check_revision

_BUSY_PATIENCE = 10.0
"""The seconds that a statement waits while another process writes."""
_OPENING_PATIENCE = 10.0
"""The seconds that this process waits while another opens the files, which takes a few milliseconds."""
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BRING_BACK = "stop what uses it, and bring back a copy or move it away"


class SqliteDatabase(Database):
    """One SQLite file below the state directory."""

    dialect = SQLITE

    def __init__(self, directory: Path) -> None:
        """Opens or creates the files. Raises StoreError if they are unwritable, corrupt or from a newer version."""
        super().__init__()
        self._directory = directory
        self._path = directory / "journal.sqlite"
        _make(directory)
        with _alone(directory), self._translated():
            self.connection = sqlite3.connect(
                self._path, timeout=_BUSY_PATIENCE, isolation_level=None, check_same_thread=False
            )
            try:
                self.connection.execute("PRAGMA journal_mode=WAL")
                self.connection.execute("PRAGMA synchronous=NORMAL")
                self.connection.execute("PRAGMA foreign_keys=ON")
                self._prepare()
            except BaseException:
                self.connection.close()
                raise

    def _prepare(self) -> None:
        found = self._revision()
        if found == "":
            importlib.import_module("framework.storage.checkpoints.sqlite").make_tables(self.connection)
            with self.transaction():
                for statement in SQLITE.schema:
                    self.connection.execute(statement)
        elif found != HEAD:
            check_revision(found, str(self._path))
            importlib.import_module("framework.storage.database.upgrade").upgrade_sqlite(
                self.connection, self._directory
            )

    def _revision(self) -> str:
        """Returns the revision of the schema; "" for a fresh file."""
        tables = {name for (name,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "alembic_version" in tables:
            return self.connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
        return "0001" if "runs" in tables else ""

    def execute(self, sql: str, **values: Any) -> Rows:
        with self.lock, self._translated():
            return self.connection.execute(sql, values).fetchall()

    def revive(self) -> None:
        """Does nothing, because a file has no session that could break."""

    @contextmanager
    def _outermost(self, *, unread: bool) -> Generator[None]:  # noqa: ARG002 - there is no way to save
        with self._translated():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._roll_back()
                raise
            try:
                self.connection.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    def _roll_back(self) -> None:
        # SQLite ends the transaction by itself when the disk is full.
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    @contextmanager
    def _translated(self) -> Generator[None]:
        """Turns errors of SQLite into StoreError and its subclasses. Programming errors pass as they are."""
        try:
            yield
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.Error as error:
            told = f"the state file {self._path} cannot be used: {error}"
            # The low byte of an extended error code is the plain code.
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _BROKEN:
                raise StoreBroken(f"{told}; {_BRING_BACK}") from error
            raise (StoreBusy if code == sqlite3.SQLITE_BUSY else StoreError)(told) from error

    def run_lock(self, run_id: str) -> FileRunLock:
        return FileRunLock(self._lock_file(run_id))

    def open_saver(self, types: Iterable[tuple[str, str]], clerk: Any) -> Any:
        return importlib.import_module("framework.storage.checkpoints.sqlite").SqliteCheckpoints(self, types, clerk)

    def forget_run(self, run_id: str) -> None:
        self._lock_file(run_id).unlink(missing_ok=True)

    def _lock_file(self, run_id: str) -> Path:
        return self._directory / "leases" / f"{run_id}.lock"

    def close(self) -> None:
        self.connection.close()


def _make(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        (directory / "leases").mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(f"the state directory {directory} cannot be used: {error.strerror}") from error


@contextmanager
def _alone(directory: Path) -> Generator[None]:
    """Lets only one process at a time open the files: SQLite does not wait while another process turns a fresh file to
    WAL."""
    try:
        with FileLock(directory / "opening.lock", timeout=_OPENING_PATIENCE):
            yield
    except Timeout as error:
        raise StoreError(f"another process has been opening the state directory {directory} for long") from error
