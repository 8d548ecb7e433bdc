"""The state directory: journal, runs, paid work, artifacts, leases, and LangGraph's checkpoints."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME
from langgraph.checkpoint.sqlite import SqliteSaver

from .bodies import Bodies
from .database import Database
from .errors import StoreError
from .journal import Journal
from .lease import Lease
from .records import Blobs, Memo, RunRow, RunTable

_OF_FAILED_TASKS = (ERROR, INTERRUPT, RESUME, "__error_source_node__")


_OPENING_PATIENCE = 10.0
"""Seconds; opening takes a few milliseconds."""
_BODIES = """
CREATE TABLE IF NOT EXISTS bodies(
    run_id TEXT NOT NULL, name BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY(run_id, name)) WITHOUT ROWID"""


class Saver(SqliteSaver):
    """LangGraph's SQLite saver for async graphs, working on the loop's own thread.

    A statement takes less than the way to another thread and back, and a cancelled node cannot cut a write in two. Of a
    task that failed or was cancelled only that fact is kept: one cancelled between its update and its branch would
    otherwise count as finished when the run is resumed, and the graph would end there.

    What is big in a state is stored once for a run (see `bodies`), in the transaction of the first row that names it,
    and deleted with the run.
    """

    def __init__(self, connection: sqlite3.Connection, types: Iterable[tuple[str, str]]) -> None:
        """`types`: classes that may be revived."""
        self._bodies = Bodies(types, self._keep, self._fetch)
        self._run_id = ""
        super().__init__(connection, serde=self._bodies)

    def setup(self) -> None:
        if not self.is_setup:
            super().setup()
            self.conn.execute(_BODIES)

    def _keep(self, bodies: Mapping[bytes, bytes]) -> None:
        """Opens the transaction that the row which names these bodies ends: both are stored, or neither."""
        rows = [(self._run_id, name, body) for name, body in bodies.items()]
        self.conn.executemany("INSERT OR IGNORE INTO bodies VALUES(?, ?, ?)", rows)

    def _fetch(self, name: bytes) -> bytes:
        found = self.conn.execute(
            "SELECT body FROM bodies WHERE run_id = ? AND name = ?", (self._run_id, name)
        ).fetchone()
        if found is None:
            raise KeyError(f"run {self._run_id} has no body {name.hex()}")
        return found[0]

    @contextmanager
    def _of(self, config: RunnableConfig) -> Generator[None]:
        """Bodies are those of the config's run; after a failed write none of them counts as stored."""
        self._run_id = str(config.get("configurable", {})["thread_id"])
        self._bodies.turn_to(self._run_id)
        try:
            yield
        except BaseException:
            self._bodies.forget(self._run_id)
            raise

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with self._of(config):
            return super().get_tuple(config)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        with self._of(config):
            return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        with self._of(config):
            super().put_writes(config, writes, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        self._bodies.forget(thread_id)
        self.conn.execute("DELETE FROM bodies WHERE run_id = ?", (thread_id,))
        super().delete_thread(thread_id)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self.get_tuple(config)

    def list(self, config: RunnableConfig | None, **filters: Any) -> Iterator[CheckpointTuple]:
        """One run's; the whole answer at once, because the saver is locked while its own iterator is open."""
        assert config is not None, "checkpoints are listed by run"
        with self._of(config):
            return iter([*super().list(config, **filters)])

    async def alist(self, config: RunnableConfig | None, **filters: Any) -> AsyncIterator[CheckpointTuple]:
        for found in self.list(config, **filters):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return self.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if any(channel == ERROR for channel, _ in writes):
            writes = [write for write in writes if write[0] in _OF_FAILED_TASKS]
        self.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        self.delete_thread(thread_id)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return self.get_delta_channel_history(config=config, channels=channels)


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
    def open(cls, directory: Path, types: Iterable[tuple[str, str]] = ()) -> Store:
        """`types`: (module, class name) of every class of ours that the graph's state holds; others are not revived.

        Raises StoreError, in one line, if the directory is unwritable or its files are corrupt or too new.
        """
        _make(directory)
        with _alone(directory):
            database = Database(directory / "journal.sqlite")
            try:
                saver = _open_saver(directory / "checkpoints.sqlite", types)
            except BaseException:
                database.close()
                raise
        return cls(directory, database, saver)

    def lease(self, run_id: str) -> Lease:
        return Lease(self.directory / "leases", run_id)

    def copy_run(self, source: str, checkpoint_id: str, target: RunRow) -> bool:
        """Makes `target` a run that stands where `source` stood at a checkpoint, journal and artifacts included.

        False, and nothing is stored, if the source has no such checkpoint.
        """
        place = {"thread_id": source, "checkpoint_ns": "", "checkpoint_id": checkpoint_id}
        found = self.checkpointer.get_tuple({"configurable": place})
        if found is None:
            return False
        until = datetime.fromisoformat(found.checkpoint["ts"]).timestamp()
        self.runs.add(target)
        self.journal.copy(source, target.run_id, until)
        self.blobs.copy(source, target.run_id, until)
        place = {"thread_id": target.run_id, "checkpoint_ns": ""}
        self.checkpointer.put({"configurable": place}, found.checkpoint, found.metadata, {})
        return True

    def delete_run(self, run_id: str) -> None:
        """Removes everything about a run; the caller holds its lease."""
        self.checkpointer.delete_thread(run_id)
        self.runs.delete(run_id)
        (self.directory / "leases" / f"{run_id}.lock").unlink(missing_ok=True)

    def close(self) -> None:
        self.checkpointer.conn.close()
        self._database.close()


def _make(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        (directory / "leases").mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(f"the state directory {directory} cannot be used: {error.strerror}") from error


@contextmanager
def _alone(directory: Path) -> Generator[None]:
    """One process after the other: SQLite does not wait while another one turns a fresh file to WAL."""
    try:
        with FileLock(directory / "opening.lock", timeout=_OPENING_PATIENCE):
            yield
    except Timeout as error:
        raise StoreError(f"another process has been opening the state directory {directory} for long") from error


def _open_saver(path: Path, types: Iterable[tuple[str, str]]) -> Saver:
    connection = sqlite3.connect(path, timeout=10.0)
    try:
        connection.execute("PRAGMA synchronous=NORMAL")
        saver = Saver(connection, types)
        saver.setup()
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(f"the state file {path} cannot be used: {error}") from error
    return saver
