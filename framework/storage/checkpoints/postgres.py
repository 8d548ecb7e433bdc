"""Saves checkpoints in the PostgreSQL database of the journal."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.base import MIGRATIONS
from psycopg import Connection, Cursor
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb

from ..clerk import Clerk
from ..database.postgres import PostgresDatabase
from .saver import StoredCheckpoints, Types


class PostgresCheckpoints(StoredCheckpoints, PostgresSaver):
    """LangGraph's PostgreSQL saver on the store's session."""

    def __init__(self, database: PostgresDatabase, types: Types, clerk: Clerk) -> None:
        serializer = self.prepare(database, types, clerk)
        PostgresSaver.__init__(self, database.connection, serde=serializer)
        self._sessions = database

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Generator[Cursor[DictRow]]:  # noqa: ARG002 - its caller's name
        """Yields a cursor of the store's present session, inside its transaction."""
        connection = self._sessions.connection
        with connection.cursor(binary=True, row_factory=dict_row) as cursor:
            yield cursor

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Does what LangGraph's own method does, but stores short values in the table of blobs, too. LangGraph puts
        them into the checkpoint's JSON, where PostgreSQL refuses a text with a NUL in it, and where an unchanged text
        is written again with each checkpoint."""
        place = config.get("configurable", {})
        run_id, namespace = place["thread_id"], place["checkpoint_ns"]
        values = checkpoint["channel_values"]
        changed = {name: version for name, version in new_versions.items() if name in values}
        row = {**checkpoint, "channel_values": {}}
        with self._writing(config), self._cursor() as cursor:
            if changed:
                cursor.executemany(
                    self.UPSERT_CHECKPOINT_BLOBS_SQL, self._dump_blobs(run_id, namespace, values, changed)
                )
            told = Jsonb(get_serializable_checkpoint_metadata(config, metadata))
            cursor.execute(
                self.UPSERT_CHECKPOINTS_SQL,
                (run_id, namespace, checkpoint["id"], place.get("checkpoint_id"), Jsonb(row), told),
            )
        return {
            "configurable": {"thread_id": run_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint["id"]},
        }


def make_tables(connection: Connection[Any]) -> None:
    """Makes or upgrades LangGraph's tables. Two processes must not call it at once."""
    PostgresSaver(connection).setup()


def is_current(connection: Connection[Any]) -> bool:
    """Returns whether LangGraph's tables are those of its installed version. The tables must exist."""
    row = connection.execute("SELECT max(v) FROM checkpoint_migrations").fetchone()
    return row is not None and row[0] == len(MIGRATIONS) - 1
