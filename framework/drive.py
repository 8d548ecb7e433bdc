"""Drives the runs of this process.

It keeps one task for each live run, a queue for slots, and a watch for stop requests of other processes.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from math import inf
from typing import Any, Generic

from .bus import EventBus
from .engine import E, Engine, Live, Observer, Redact
from .errors import RunBusy, StoreError, TooManyRuns
from .log import RUN_ID
from .port import Published, StorePort, Unstored
from .settings import RunLimits
from .storage.lease import holder
from .storage.records import RunRow
from .storage.store import LEASE_PATIENCE, Lease, Store

STOP_PATIENCE = 5.0
"""The seconds that a cancelled run may take to clean up."""
REPLY_S = 8.0
"""The seconds that a drive waits for replies on their way if it failed or its worker is told to end; without them the
next drive would pay again. Whoever tells a worker to end must give it at least ten seconds before killing it."""
ASK_AGAIN = 0.5
"""The seconds after which another process is asked again to stop a run."""
_STOP_POLL = 0.25
"""The seconds between two looks for stop requests."""
_LOOKS_PER_BEAT = 8
"""The number of looks between two writes of the seconds that the live runs were driven. Those of a killed process are
thus lost for at most 2 s."""
_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Drive(Generic[E]):
    """One drive of a run in this process."""

    port: StorePort[E]
    lease: Lease
    number: int = 0
    """Counts the drives of the run, in all processes, up to this one."""
    queued: bool = True
    task: asyncio.Task[None] | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the end of the drive is stored and its lease is released."""
    began: float | None = None
    """When the drive got its slot, by time.monotonic()."""
    stopped: bool = False
    """Whether somebody wants the drive to end at once."""
    cancelled: float = -inf
    """When the drive was last cancelled, by time.monotonic()."""

    def cancel(self) -> None:
        """Cancels the task. It does not cancel again within STOP_PATIENCE, because that would cut off the task's
        clean-up."""
        now = time.monotonic()
        if self.task and now - self.cancelled > STOP_PATIENCE:
            self.cancelled = now
            self.task.cancel()

    def stop(self) -> None:
        """Cancels the task as `cancel` does, and gives up replies that are on their way."""
        self.stopped = True
        self.cancel()
        self.port.give_up()

    def seconds(self) -> float | None:
        """Returns the seconds that the run has been driven, this drive included; None before this drive has begun."""
        return None if self.began is None else self.port.driven_before + time.monotonic() - self.began


def answer_key(question_id: str) -> str:
    """Returns the key under which a run's memo keeps the answer to a question, so that the answer is given once and
    survives a crash."""
    return f"framework.answer:{question_id}"


class Driver(Generic[E]):
    """Owns the live runs of this process."""

    def __init__(
        self, store: Store, engine: Engine[E], limits: RunLimits, observers: Sequence[Observer], redact: Redact
    ) -> None:
        self.worker = False
        """Whether this process is a worker, which drives what others submitted and leaves unfinished runs to other
        workers."""
        self.leaving = False
        """Whether this worker is about to end."""
        self.graph: Any = engine.compile(store.checkpointer)
        self.bus: EventBus[Published[E]] = EventBus()
        self._store = store
        self._engine = engine
        self._limits = limits
        self._observers = observers
        self._redact = redact
        self._slots = asyncio.Semaphore(limits.running)
        self._drives: dict[str, _Drive[E]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._unstored = Unstored()
        """What runs remembered while the database was away, so that the next drive of each run in this process does not
        pay for it again."""
        self._watcher: asyncio.Task[None] | None = None

    def config(self, run_id: str) -> dict[str, Any]:
        return {
            "configurable": {"thread_id": run_id},
            "recursion_limit": self._engine.recursion_limit,
        }

    def __contains__(self, run_id: str) -> bool:
        return run_id in self._drives

    def is_queued(self, run_id: str) -> bool:
        return self._drives[run_id].queued

    def queue(self) -> list[str]:
        """Returns the ids of the runs that wait for a slot, the next one first."""
        return [run_id for run_id, drive in self._drives.items() if drive.queued]

    async def ended(self, run_id: str, patience: float | None = None) -> None:
        """Waits until no drive of the run is left in this process, for at most `patience` seconds (None: for ever)."""
        if drive := self._drives.get(run_id):
            await _wait(drive.over, patience)

    async def take(self, run_id: str, patience: float = LEASE_PATIENCE) -> Lease:
        """Takes and returns the lease of a run that is to be launched. Raises TooManyRuns, RunBusy, StoreError."""
        live = self._limits.running + self._limits.queued
        if len(self._drives) >= live:
            raise TooManyRuns(f"{live} runs are live or queued already; try again when one has ended")
        lease = await self._store.do(self._store.lease, run_id)
        if not await lease.take(patience):
            row = await self._store.do(self._store.runs.get, run_id)
            raise RunBusy(f"run {run_id} is driven by {row.holder if row and row.holder else 'another process'}")
        return lease

    def give_back(self, lease: Lease) -> None:
        """Releases a lease that was taken and is not needed."""
        self._store.submit(lease.release)

    async def launch(self, row: RunRow, graph_input: Any, lease: Lease) -> None:
        """Starts the task of a run whose lease the caller took. The lease is released when the drive ends. Raises
        StoreError."""
        # This comes first, so that other processes see the run live by the time its caller is told that it has begun.
        number = await self._store.do(lease.hold, holder(worker=self.worker))
        drive = self._open(row.run_id, lease)
        drive.number = number
        drive.task = asyncio.create_task(self._walk(drive, row.spec, graph_input), name=f"run {row.run_id}")
        # A task that is cancelled before its first step never enters its body, but its callback always runs.
        drive.task.add_done_callback(lambda task: self._ended(drive, task))
        if self._watcher is None or self._watcher.done():
            self._watcher = asyncio.create_task(self._watch(), name="stop requests")

    async def conclude(self, run_id: str, lease: Lease, error: BaseException) -> None:
        """Ends a run that nobody drives any more, as if its drive had ended with `error`, and releases the lease."""
        await self._end(self._open(run_id, lease), error)

    def _open(self, run_id: str, lease: Lease) -> _Drive[E]:
        """Makes a run live in this process and returns its drive, which has no task yet."""
        port = StorePort(run_id, self._engine, self._store, self.bus, self._observers, self._redact)
        drive = _Drive(port, lease)
        port.on_failure = drive.cancel
        self._drives[run_id] = drive
        for observer in self._observers:
            observer.on_start(run_id)
        return drive

    async def _walk(self, drive: _Drive[E], spec: Mapping[str, Any], graph_input: Any) -> None:
        """Waits for a slot, then runs the graph until it ends, pauses or is stopped."""
        run_id = drive.port.run_id
        RUN_ID.set(run_id)
        async with self._slots:
            await self._store.do(self._store.runs.set_stage, run_id, "running")
            await drive.port.open(self._unstored.of(run_id))
            self._unstored.forget(run_id)
            # From here on `seconds` counts: `driven_before` has been read.
            drive.queued, drive.began = False, time.monotonic()
            async with self._engine.session(drive.port, spec) as context:
                parts = self.graph.astream(
                    graph_input,
                    self.config(run_id),
                    context=context,
                    stream_mode=[],  # the run's events go out through its port
                    version="v2",
                    durability="sync",
                )
                # A stream that is only dropped lets its node go on; closing the stream cancels the node.
                try:
                    async with aclosing(parts):
                        async for _ in parts:
                            pass
                finally:
                    await drive.port.paid(0.0 if drive.stopped else REPLY_S)
        await drive.port.settled()

    def _ended(self, drive: _Drive[E], task: asyncio.Task[None]) -> None:
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        ending = asyncio.create_task(self._end(drive, drive.port.failure or error))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def _end(self, drive: _Drive[E], error: BaseException | None) -> None:
        """Stores how the drive ended, then releases its lease and tells those who wait for it."""
        run_id = drive.port.run_id
        if isinstance(error, StoreError):
            self._unstored.keep(run_id, drive.port.unstored)
        try:
            await self._record_end(drive, error)
        except StoreError as unstored:
            _logger.error("the end of run %s could not be stored: %s", run_id, unstored)
            if not self.worker:
                self.bus.publish(run_id, Live(self._engine.failed(unstored)))
        finally:
            await self._store.do(drive.lease.release)
            del self._drives[run_id]
            drive.over.set()
            self.bus.publish(run_id, None)
            for observer in self._observers:
                observer.on_end(run_id, error)

    async def _record_end(self, drive: _Drive[E], error: BaseException | None) -> None:
        """Stores how the drive ended, as an event and in the run's row. Raises StoreError."""
        run_id = drive.port.run_id
        if not await self._store.do(self._still_mine, drive):
            # Another process has taken the run over, and will tell how the run ends.
            return
        if self.worker and isinstance(error, StoreError):
            # The row still names this worker, as if it had died, so that a worker's next look continues the run.
            return
        drive.lease.failure = None
        drive.port.reopen()
        if self.leaving and isinstance(error, asyncio.CancelledError):
            await self._store.do(self._store.runs.hand_over, run_id, drive.seconds())
            return
        if isinstance(error, asyncio.CancelledError):
            drive.port.emit_once(self._engine.stopped())
        elif isinstance(error, Exception):
            # The person reads the event; the traceback goes to the log, for whoever looks for it.
            _logger.info("run %s failed", run_id, exc_info=error)
            drive.port.emit_once(self._engine.failed(error))
        await drive.port.settled()
        await self._store.do(self._store.runs.let_go, run_id, drive.seconds())

    def _still_mine(self, drive: _Drive[E]) -> bool:
        """Returns whether the run is still this process's: it never lost the lease, or it takes it again before anybody
        else drove the run."""
        if not drive.lease.is_lost():
            return True
        return drive.lease.try_take() and self._store.runs.drives(drive.port.run_id) == drive.number

    async def _watch(self) -> None:
        """Stops the runs that other processes want stopped, and notes the seconds of the live ones, while there are
        any."""
        looks = 0
        while self._drives:
            await asyncio.sleep(_STOP_POLL)
            looks += 1
            try:
                requests = await self._store.do(self._store.runs.stop_requests)
                if looks % _LOOKS_PER_BEAT == 0:
                    await self._store.do(self._note_seconds)
            except Exception as error:  # noqa: BLE001 - without these looks the server would end the session as frozen
                _logger.error("stop requests could not be read: %s", error)
                continue
            for run_id in requests:
                if drive := self._drives.get(run_id):
                    drive.stop()

    def _note_seconds(self) -> None:
        """Writes down the seconds of the live runs, so that those of a killed drive count, too."""
        for run_id, drive in list(self._drives.items()):
            if (seconds := drive.seconds()) is not None:
                self._store.runs.drove(run_id, seconds)

    def forget(self, run_id: str) -> None:
        """Forgets what a deleted run paid for, so that a new run with the same id does not get it."""
        self._unstored.forget(run_id)

    async def cancel(self, run_id: str) -> None:
        """Cancels a live run and waits for its end, for at most STOP_PATIENCE seconds."""
        if drive := self._drives.get(run_id):
            drive.stop()
            await _wait(drive.over, STOP_PATIENCE)

    async def aclose(self) -> None:
        """Ends all live drives and waits for them. A worker that is leaving lets replies on their way arrive."""
        drives = [*self._drives.values()]
        for drive in drives:
            (drive.cancel if self.leaving else drive.stop)()
        await asyncio.gather(*(_wait(drive.over, REPLY_S + STOP_PATIENCE) for drive in drives))
        await asyncio.gather(*self._ending, return_exceptions=True)
        if self._watcher:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])


async def _wait(event: asyncio.Event, patience: float | None) -> None:
    try:
        async with asyncio.timeout(patience):
            await event.wait()
    except TimeoutError:
        return
