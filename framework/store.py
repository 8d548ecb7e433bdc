"""The state directory: journal, runs, paid work, artifacts, leases, and LangGraph's checkpoints.

The checkpoints live in a file of their own: the saver keeps its transaction open across awaits, and the journal is
written synchronously on the same loop, so one shared file would make the loop wait for itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from .database import Database
from .errors import StoreError
from .journal import Journal
from .lease import Lease
from .records import Blobs, Memo, RunRow, RunTable


class Store:
    """Belongs to the event loop and thread that opened it."""

    def __init__(self, directory: Path, database: Database, saver: AsyncSqliteSaver) -> None:
        self.directory = directory
        self.journal = Journal(database)
        self.runs = RunTable(database)
        self.memo = Memo(database)
        self.blobs = Blobs(database)
        self.checkpointer = saver
        self._database = database

    @classmethod
    async def open(cls, directory: Path, types: Iterable[tuple[str, str]] = ()) -> Store:
        """`types`: (module, class name) of every class of ours that the graph's state holds; others are not revived.

        Raises StoreError, in one line, if the directory is unwritable or its files are corrupt or too new.
        """
        _make(directory)
        database = Database(directory / "journal.sqlite")
        try:
            saver = await _open_saver(directory / "checkpoints.sqlite", types)
        except BaseException:
            database.close()
            raise
        return cls(directory, database, saver)

    def lease(self, run_id: str) -> Lease:
        return Lease(self.directory / "leases", run_id)

    async def copy_run(self, source: str, checkpoint_id: str, target: RunRow) -> bool:
        """Makes `target` a run that stands where `source` stood at a checkpoint, journal and artifacts included.

        False, and nothing is stored, if the source has no such checkpoint.
        """
        place = {"thread_id": source, "checkpoint_ns": "", "checkpoint_id": checkpoint_id}
        found = await self.checkpointer.aget_tuple({"configurable": place})
        if found is None:
            return False
        until = datetime.fromisoformat(found.checkpoint["ts"]).timestamp()
        self.runs.add(target)
        self.journal.copy(source, target.run_id, until)
        self.blobs.copy(source, target.run_id, until)
        place = {"thread_id": target.run_id, "checkpoint_ns": ""}
        await self.checkpointer.aput({"configurable": place}, found.checkpoint, found.metadata, {})
        return True

    async def delete_run(self, run_id: str) -> None:
        """Removes everything about a run; the caller holds its lease."""
        await self.checkpointer.adelete_thread(run_id)
        self.runs.delete(run_id)
        (self.directory / "leases" / f"{run_id}.lock").unlink(missing_ok=True)

    async def aclose(self) -> None:
        await self.checkpointer.conn.close()
        self._database.close()


def _make(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        (directory / "leases").mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(f"the state directory {directory} cannot be used: {error.strerror}") from error


async def _open_saver(path: Path, types: Iterable[tuple[str, str]]) -> AsyncSqliteSaver:
    connection = aiosqlite.connect(path, timeout=10.0)
    try:
        await connection
        await connection.execute("PRAGMA synchronous=NORMAL")
        saver = AsyncSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=list(types)))
        await saver.setup()
    except sqlite3.Error as error:
        await connection.close()
        raise StoreError(f"the state file {path} cannot be used: {error}") from error
    return saver
