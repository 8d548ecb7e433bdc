"""The state directory: journal, runs, paid work, artifacts, leases, and LangGraph's checkpoints.

The checkpoints live in a file of their own: the saver keeps its transaction open across awaits, and the journal is
written synchronously on the same loop, so one shared file would make the loop wait for itself.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Coroutine, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from .database import Database
from .errors import StoreError
from .journal import Journal
from .lease import Lease
from .records import Blobs, Memo, RunRow, RunTable

T = TypeVar("T")
_OF_FAILED_TASKS = (ERROR, INTERRUPT, RESUME, "__error_source_node__")


class Saver(AsyncSqliteSaver):
    """LangGraph's saver, made safe against cancellation.

    Each write that began is ended: one cut off before its commit would keep the file locked. And of a task that failed
    or was cancelled only that fact is kept: one cancelled between its update and its branch would otherwise count as
    finished when the run is resumed, and the graph would end there.
    """

    def __init__(self, connection: aiosqlite.Connection, serde: JsonPlusSerializer) -> None:
        super().__init__(connection, serde=serde)
        self._writing: set[asyncio.Task[Any]] = set()

    async def aput(self, *arguments: Any, **named: Any) -> RunnableConfig:
        return await self._to_the_end(super().aput(*arguments, **named))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if any(channel == ERROR for channel, _ in writes):
            writes = [write for write in writes if write[0] in _OF_FAILED_TASKS]
        await self._to_the_end(super().aput_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        await self._to_the_end(super().adelete_thread(thread_id))

    async def _to_the_end(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.create_task(work)
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        return await asyncio.shield(task)

    async def settle(self) -> None:
        """Waits for the writes that go on although their callers were cancelled."""
        while self._writing:
            await asyncio.wait(self._writing)


class Store:
    """Belongs to the event loop and thread that opened it."""

    def __init__(self, directory: Path, database: Database, saver: Saver) -> None:
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
        await self.checkpointer.settle()
        await self.checkpointer.conn.close()
        self._database.close()


def _make(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        (directory / "leases").mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(f"the state directory {directory} cannot be used: {error.strerror}") from error


async def _open_saver(path: Path, types: Iterable[tuple[str, str]]) -> Saver:
    connection = aiosqlite.connect(path, timeout=10.0)
    try:
        await connection
        await connection.execute("PRAGMA synchronous=NORMAL")
        saver = Saver(connection, JsonPlusSerializer(allowed_msgpack_modules=list(types)))
        await saver.setup()
    except sqlite3.Error as error:
        await connection.close()
        raise StoreError(f"the state file {path} cannot be used: {error}") from error
    return saver
