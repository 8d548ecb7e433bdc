"""Drives runs: one task per live run, a queue for slots, and the watch for stop requests of other processes."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from math import inf
from typing import Any, Generic

from .bus import EventBus
from .engine import E, Engine, Graph, Observer, Redact
from .errors import RunBusy, StoreError, TooManyRuns
from .lease import Lease, holder
from .log import RUN_ID
from .port import Published, StorePort
from .records import RunRow
from .store import Store

STOP_PATIENCE = 5.0
"""Seconds that a cancelled run may take to clean up."""
_STOP_POLL = 0.25
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunLimits:
    running: int = 4
    """Drives at the same time; further ones queue."""
    live: int = 64
    """Running and queued together."""
    kept: int = 500
    """Stored runs; the oldest are deleted."""


@dataclass(slots=True)
class _Drive(Generic[E]):
    port: StorePort[E]
    lease: Lease
    queued: bool = True
    task: asyncio.Task[None] | None = None
    cancelled: float = -inf
    """When it was last cancelled, on the clock of time.monotonic()."""

    def cancel(self) -> asyncio.Task[None] | None:
        """Cancels the task; not again while it may still be cleaning up, for that would cut the clean-up off."""
        now = time.monotonic()
        if self.task and now - self.cancelled > STOP_PATIENCE:
            self.cancelled = now
            self.task.cancel()
        return self.task


def answer_key(question_id: str) -> str:
    """Where the memo of a run keeps the answer to a question, so that it is given once and survives a crash."""
    return f"framework.answer:{question_id}"


class Driver(Generic[E]):
    """Owns the live runs of this process."""

    def __init__(
        self, store: Store, engine: Engine[E], limits: RunLimits, observer: Observer | None, redact: Redact
    ) -> None:
        self.graph: Graph = engine.compile(store.checkpointer)
        self.bus: EventBus[Published[E]] = EventBus()
        self._store = store
        self._engine = engine
        self._limits = limits
        self._observer = observer
        self._redact = redact
        self._slots = asyncio.Semaphore(limits.running)
        self._drives: dict[str, _Drive[E]] = {}
        self._watcher: asyncio.Task[None] | None = None

    def config(self, run_id: str) -> dict[str, Any]:
        return {
            "configurable": {"thread_id": run_id},
            "recursion_limit": self._engine.recursion_limit,
        }

    def __contains__(self, run_id: str) -> bool:
        return run_id in self._drives

    def task(self, run_id: str) -> asyncio.Task[None] | None:
        drive = self._drives.get(run_id)
        return drive.task if drive else None

    def queue(self) -> list[str]:
        """Runs that wait for a slot, next one first."""
        return [run_id for run_id, drive in self._drives.items() if drive.queued]

    async def take(self, run_id: str) -> Lease:
        """The right to launch a run. Raises TooManyRuns, RunBusy."""
        if len(self._drives) >= self._limits.live:
            raise TooManyRuns(f"{self._limits.live} runs are live or queued already; try again when one has ended")
        lease = self._store.lease(run_id)
        if not await lease.take():
            row = self._store.runs.get(run_id)
            raise RunBusy(f"run {run_id} is driven by {row.holder if row and row.holder else 'another process'}")
        return lease

    def launch(self, row: RunRow, graph_input: Any, lease: Lease) -> None:
        """Starts the task of a run whose lease was taken; the lease is released when the task ends."""
        run_id = row.run_id
        port = StorePort(run_id, self._engine, self._store, self.bus, self._observer, self._redact)
        drive = _Drive(port, lease)
        self._store.runs.hold(run_id, holder())
        self._drives[run_id] = drive
        if self._observer:
            self._observer.on_start(run_id)
        drive.task = asyncio.create_task(self._walk(drive, row.spec, graph_input), name=f"run {run_id}")
        # A task that is cancelled before its first step never enters its body: only a callback always runs.
        drive.task.add_done_callback(lambda task: self._ended(drive, task))
        if self._watcher is None or self._watcher.done():
            self._watcher = asyncio.create_task(self._watch(), name="stop requests")

    async def _walk(self, drive: _Drive[E], spec: Mapping[str, Any], graph_input: Any) -> None:
        run_id = drive.port.run_id
        RUN_ID.set(run_id)
        async with self._slots:
            drive.queued = False
            async with self._engine.session(drive.port, spec) as context:
                parts = self.graph.astream(
                    graph_input,
                    self.config(run_id),
                    context=context,
                    stream_mode="custom",
                    version="v2",
                    durability="sync",
                )
                # A stream that is merely dropped lets its node run on; closing it cancels the node.
                async with aclosing(parts):
                    async for _ in parts:
                        pass

    def _ended(self, drive: _Drive[E], task: asyncio.Task[None]) -> None:
        run_id = drive.port.run_id
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        try:
            self._record_end(drive, error)
            self._store.runs.hold(run_id, "")
        except StoreError:
            _logger.exception("the end of run %s could not be stored", run_id)
        finally:
            del self._drives[run_id]
            drive.lease.release()
            self.bus.publish(run_id, None)
            if self._observer:
                self._observer.on_end(run_id, error)

    def _record_end(self, drive: _Drive[E], error: BaseException | None) -> None:
        if isinstance(error, asyncio.CancelledError):
            drive.port.emit_once(self._engine.stopped())
        elif isinstance(error, Exception):
            # The person gets it as an event; the traceback is for whoever looks for it.
            _logger.info("run %s failed", drive.port.run_id, exc_info=error)
            drive.port.emit_once(self._engine.failed(error))

    async def _watch(self) -> None:
        while self._drives:
            await asyncio.sleep(_STOP_POLL)
            try:
                requests = self._store.runs.stop_requests()
            except StoreError:
                _logger.exception("stop requests could not be read")
                continue
            for run_id in requests:
                if drive := self._drives.get(run_id):
                    drive.cancel()

    async def cancel(self, run_id: str) -> None:
        """Cancels a live run and waits for its end, at most STOP_PATIENCE seconds."""
        drive = self._drives.get(run_id)
        if drive and (task := drive.cancel()):
            await asyncio.wait([task], timeout=STOP_PATIENCE)

    async def aclose(self) -> None:
        tasks = [task for drive in self._drives.values() if (task := drive.cancel())]
        if tasks:
            await asyncio.wait(tasks, timeout=STOP_PATIENCE)
        if self._watcher:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])
