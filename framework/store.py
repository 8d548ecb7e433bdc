"""The state directory: journal, runs, paid work, artifacts, leases, and LangGraph's checkpoints.

The checkpoints live in a file of their own: the saver keeps its transaction open across awaits, and the journal is
written synchronously on the same loop, so one shared file would make the loop wait for itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.base import CheckpointMetadata
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from .database import Database
from .errors import StoreError
from .journal import Journal
from .lease import Lease
from .records import Blobs, Memo, RunTable


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
        try:
            (directory / "leases").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"the state directory {directory} cannot be used: {error.strerror}") from error
        database = Database(directory / "journal.sqlite")
        try:
            saver = await _open_saver(directory / "checkpoints.sqlite", types)
        except BaseException:
            database.close()
            raise
        return cls(directory, database, saver)

    def lease(self, run_id: str) -> Lease:
        return Lease(self.directory / "leases", run_id)

    async def copy_checkpoint(self, source: str, checkpoint_id: str, target: str) -> str | None:
        """Makes one checkpoint the head of another, still empty run; its ISO time, or None if the source lacks it."""
        found = await self.checkpointer.aget_tuple(
            {"configurable": {"thread_id": source, "checkpoint_ns": "", "checkpoint_id": checkpoint_id}}
        )
        if found is None:
            return None
        metadata: CheckpointMetadata = {**found.metadata, "parents": {}}
        await self.checkpointer.aput(
            {"configurable": {"thread_id": target, "checkpoint_ns": ""}}, found.checkpoint, metadata, {}
        )
        return found.checkpoint["ts"]

    async def delete_run(self, run_id: str) -> None:
        """Removes everything about a run; the caller holds its lease."""
        await self.checkpointer.adelete_thread(run_id)
        self.runs.delete(run_id)
        (self.directory / "leases" / f"{run_id}.lock").unlink(missing_ok=True)

    async def aclose(self) -> None:
        await self.checkpointer.conn.close()
        self._database.close()


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
