"""Holds what our two savers share: they store bodies beside the checkpoints, and the store's thread does their work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME

from ...errors import StoreError
from ..bodies import Bodies
from ..clerk import Clerk
from ..database.base import Database

_OF_FAILED_TASKS = (ERROR, INTERRUPT, RESUME, "__error_source_node__")
"""The channels whose writes are kept of a task that failed or was cancelled."""
Types = Iterable[tuple[str, str]]


class StoredCheckpoints(BaseCheckpointSaver[str]):
    """A mixin for LangGraph's savers; it must come before the saver in the list of base classes.

    Its async methods hand each call to the store's clerk, which does the calls in the order in which they were made. So
    a slow database never blocks the event loop, and a cancelled node cannot cut a write in two. A run does not wait for
    its checkpoint writes, as it does not wait for its events: whatever the run writes later, such as the next step's
    events and paid replies, is stored only if these writes are (`Store.write`), and a drive ends only when all of them
    are.

    Of a task that failed or was cancelled, only that fact is stored. A task that is cancelled between its update and
    its branch would otherwise count as finished when the run is resumed, and the graph would end there.

    A big part of a state is stored once for each run (see `bodies`), in the transaction of the first row that names it,
    and is deleted with the run.
    """

    def prepare(self, database: Database, types: Types, clerk: Clerk) -> Bodies:
        """Returns the serializer of the saver. `types` are the (module, class name) of the classes that may be
        revived."""
        self._database = database
        self._clerk = clerk
        self._bodies = Bodies(types, self._keep, self._fetch)
        self._run_id = ""
        self._read: dict[bytes, bytes] | None = None
        self._unread: StoreError | None = None
        return self._bodies

    def _keep(self, bodies: Mapping[bytes, bytes]) -> None:
        """Stores the bodies of the present run that are not stored yet."""
        for name, body in bodies.items():
            self._database.execute(
                "INSERT INTO bodies VALUES(:run_id, :name, :body) ON CONFLICT DO NOTHING",
                run_id=self._run_id,
                name=name,
                body=body,
            )

    def _fetch(self, name: bytes) -> bytes:
        """Returns the body of a name. The first call reads all bodies of the run, because a query for each would be a
        round trip for each."""
        if self._read is None:
            sql = "SELECT name, body FROM bodies WHERE run_id = :run_id"
            try:
                self._read = dict(self._database.execute(sql, run_id=self._run_id))
            except StoreError as error:
                self._unread = error
                raise
        return self._read[name]

    @contextmanager
    def _for_run(self, config: RunnableConfig) -> Generator[None]:
        """Holds the database lock and lets the serializer work for the config's run. After a failure no body of the run
        counts as stored."""
        with self._database.lock:
            self._run_id = str(config.get("configurable", {})["thread_id"])
            self._bodies.turn_to(self._run_id)
            try:
                yield
            except BaseException:
                self._bodies.forget(self._run_id)
                if self._unread:
                    # msgpack, which called `_fetch`, replaces the error by one that says only that something went
                    # wrong.
                    raise self._unread from None
                raise
            finally:
                self._read = self._unread = None

    @contextmanager
    def _writing(self, config: RunnableConfig) -> Generator[None]:
        """Opens the transaction of a write for the config's run."""
        with self._for_run(config), self._database.transaction(unread=True):
            yield

    def forget(self, run_id: str) -> None:
        """Lets no body of the run count as stored, because what was written for it was rolled back."""
        self._bodies.forget(run_id)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with self._for_run(config), self._database.transaction():
            return super().get_tuple(config)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        with self._writing(config):
            return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        with self._writing(config):
            super().put_writes(config, writes, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        with self._database.transaction():
            self._bodies.forget(thread_id)
            self._database.execute("DELETE FROM bodies WHERE run_id = :run_id", run_id=thread_id)
            super().delete_thread(thread_id)

    def list(self, config: RunnableConfig | None, **filters: Any) -> Iterator[CheckpointTuple]:
        """Returns the checkpoints of one run, all at once, because LangGraph's own iterator keeps the saver locked
        while it is open."""
        assert config is not None, "checkpoints are listed by run"
        with self._for_run(config), self._database.transaction():
            return iter([*super().list(config, **filters)])

    async def _in_turn(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Calls `act` in the store's thread and returns what it returns."""
        return await asyncio.wrap_future(self._clerk.submit(act, *arguments))

    def _write(self, act: Callable[..., Any], config: RunnableConfig, *arguments: Any) -> None:
        """Queues a write for the store's thread without waiting for it."""

        def write() -> Callable[[], None]:
            act(config, *arguments)
            return lambda: None

        self._clerk.write(config.get("configurable", {})["thread_id"], write)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._in_turn(self.get_tuple, config)

    async def alist(self, config: RunnableConfig | None, **filters: Any) -> AsyncIterator[CheckpointTuple]:
        for found in await self._in_turn(lambda: self.list(config, **filters)):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        self._write(self.put, config, checkpoint, metadata, new_versions)
        return {"configurable": {**config.get("configurable", {}), "checkpoint_id": checkpoint["id"]}}

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if any(channel == ERROR for channel, _ in writes):
            writes = [write for write in writes if write[0] in _OF_FAILED_TASKS]
        self._write(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await self._in_turn(self.delete_thread, thread_id)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return await self._in_turn(lambda: self.get_delta_channel_history(config=config, channels=channels))
