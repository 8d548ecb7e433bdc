"""Defines what the store asks of a database.

Both databases run the same statements; values are named, as in `id = :id`.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any

from ..errors import StoreError
from ..lease import Lock
from .dialects import HEAD, REVISIONS, SqlDialect

Rows = list[tuple[Any, ...]]
Statement = tuple[str, Mapping[str, Any]]
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
