"""Saves checkpoints in the SQLite file of the journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from langgraph.checkpoint.sqlite import SqliteSaver

from ..clerk import Clerk
from ..database.sqlite import SqliteDatabase
from .saver import StoredCheckpoints, Types


class SqliteCheckpoints(StoredCheckpoints, SqliteSaver):
    """LangGraph's SQLite saver on the store's connection."""

    def __init__(self, database: SqliteDatabase, types: Types, clerk: Clerk) -> None:
        serializer = self.prepare(database, types, clerk)
        SqliteSaver.__init__(self, database.connection, serde=serializer)
        self.is_setup = True

    @contextmanager
    def cursor(self, transaction: bool = True) -> Generator[sqlite3.Cursor]:  # noqa: ARG002 - its caller's name
        """Yields a cursor in the transaction of the store. Only the store commits."""
        with self._database.lock:
            cursor = self.conn.cursor()
            try:
                yield cursor
            finally:
                cursor.close()


def make_tables(connection: sqlite3.Connection) -> None:
    SqliteSaver(connection).setup()
