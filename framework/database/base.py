"""What the store asks of a database. The same statements run on both; their values are named, as in `id = :id`."""

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
"""With its values."""


class Database(ABC):
    """One connection, for any thread; a statement is its own transaction unless one is open."""

    dialect: SqlDialect

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._depth = 0

    @abstractmethod
    def execute(self, sql: str, **values: Any) -> Rows:
        """Runs one statement and returns its rows. Raises StoreError."""

    def send(self, sql: str, **values: Any) -> Callable[[], Rows]:
        """A statement of a transaction that is `unread`; what gives its rows when that has ended. Raises StoreError."""
        rows = self.execute(sql, **values)
        return lambda: rows

    @contextmanager
    def transaction(self, *, unread: bool = False) -> Generator[None]:
        """All of it or nothing; one inside another is a part of it. `unread`: no rows are read in it, and that a
        statement failed may show at its end only. Raises StoreError."""
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
        """Opens a new session if the old one broke; what comes next is done in the one that this leaves, as long as the
        lock is held. Raises StoreError."""

    @abstractmethod
    def _outermost(self, *, unread: bool) -> Any:
        """A context of one transaction."""

    @abstractmethod
    def run_lock(self, run_id: str) -> Lock:
        """The lock whose holder may drive the run; it ends with this process or this connection."""

    @abstractmethod
    def open_saver(self, types: Iterable[tuple[str, str]], clerk: Any) -> Any:
        """LangGraph's saver on this connection, which has its work done by a `clerk.Clerk`; see `checkpoints`."""

    @abstractmethod
    def forget_run(self, run_id: str) -> None:
        """Removes what a run left outside of the tables."""

    @abstractmethod
    def close(self) -> None: ...


def check_revision(found: str, where: str) -> None:
    """Raises StoreError for a schema that a newer version of this program made."""
    if found not in REVISIONS:
        raise StoreError(f"{where} was written by a newer version (schema {found}, this one reads {HEAD})")
