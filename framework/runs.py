"""Manages runs for one process; every door begins, steers and watches runs through it.

Each run is an asyncio task of its own, which viewers cannot disturb: a viewer replays and follows the run's journal. A
run's status follows from its task, its lease, its checkpoint and its row. Among all processes that share the store,
only one drives a run.

With a crew (see `crew`), workers drive the runs that are submitted, answered or resumed here. The table of runs says
which runs those are; waking a worker only saves the time until its next look at the table.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
import weakref
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, Self

from .bus import EventBus
from .drive import ASK_AGAIN, STOP_PATIENCE, Driver
from .engine import E, Engine, Envelope, Live, Observer, Pending, Redact, Status
from .errors import RunBusy, RunError, RunExists, StaleAnswer, StoreBusy, TooManyRuns, UnknownRun
from .follow import events_after, past_outages
from .port import Published, keep_all
from .secret import Secret
from .settings import RunLimits
from .standing import RunStanding
from .storage.lease import holder
from .storage.records import RunRow
from .storage.store import LEASE_PATIENCE, Lease, Store


class Crew(Protocol):
    """The workers as those who submit runs see them."""

    def join(self, bus: EventBus[Published[Any]]) -> None:
        """Brings what the workers publish to this bus from now on."""
        ...

    def wake(self, run_id: str) -> None:
        """Tells a worker that a run waits. It does not wait itself, and it reports no failure to its caller."""
        ...

    async def aclose(self) -> None: ...


class Runs(Generic[E]):
    """The manager of runs of one process, bound to the loop that opened it."""

    def __init__(self, store: Store, engine: Engine[E], driver: Driver[E], limits: RunLimits) -> None:
        self.store = store
        self._engine = engine
        self.driver = driver
        self.standing = RunStanding(store, engine, driver)
        self._limits = limits
        self._crew: Crew | None = None
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        self._door = asyncio.Lock()
        """Lets new runs enter one after the other. Many at once would each wait for the slowest, and none would begin
        before all are in."""

    @classmethod
    async def open(
        cls,
        state_dir: Path,
        engine: Engine[E],
        *,
        limits: RunLimits | None = None,
        observers: Sequence[Observer] = (),
        redact: Redact = keep_all,
        database_url: Secret | None = None,
    ) -> Self:
        """Opens the store and returns the manager. `database_url` is the address of a PostgreSQL database (None: SQLite
        below `state_dir`). Raises StoreError if the store cannot be used."""
        limits = limits or RunLimits()
        store = await asyncio.to_thread(Store.open, state_dir, engine.state_types, url=database_url)
        return cls(store, engine, Driver(store, engine, limits, observers, redact), limits)

    def leave_to(self, crew: Crew) -> None:
        """Lets workers drive what is submitted, answered or resumed here from now on."""
        self._crew = crew
        crew.join(self.driver.bus)

    async def aclose(self) -> None:
        """Stops the live runs, which can be resumed, and closes the store."""
        await self.driver.aclose()
        if self._crew:
            await self._crew.aclose()
        await asyncio.to_thread(self.store.close)

    async def submit(
        self, spec: Mapping[str, Any], *, title: str, run_id: str | None = None, scripted: bool = False, owner: str = ""
    ) -> str:
        """Starts a run and returns its id, a secret that lets its bearer see and steer the run. Raises what
        `Engine.start` raises, RunError for an unusable id, TooManyRuns, RunExists, RunBusy, StoreError."""
        run_id = run_id or uuid.uuid4().hex
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", run_id):
            raise RunError("a run id has 1 to 64 letters, digits, - or _")
        graph_input = await asyncio.to_thread(self._engine.start, spec)
        by, stage = ("", "") if self._crew else (holder(), "queued")
        row = RunRow(run_id, time.time(), title, spec, scripted, owner, by, stage)
        async with self._door:
            await self._begin_new(row, graph_input)
        await self._forget_oldest(owner)
        return run_id

    async def _begin_new(self, row: RunRow, graph_input: Any) -> None:
        if self._crew:
            # The run is added without a stage first: if a silent database stores it after its caller was refused, it is
            # a run that never started, and nobody drives it.
            await self.store.do(self._add, row)
            with suppress(
                StoreBusy
            ):  # it is stored: a worker begins it when the database answers, or a person resumes it
                await self.store.do(self.store.runs.hand_over, row.run_id)
            self._crew.wake(row.run_id)
            return
        await self.store.do(self._check_new, row.run_id)
        async with self._leased(row.run_id) as lease:
            await self.store.do(self.store.runs.add, row)
            await self.driver.launch(row, graph_input, lease)

    def _check_new(self, run_id: str) -> None:
        """Raises RunExists if the id is taken."""
        if self.store.runs.get(run_id):
            raise RunExists(f"run {run_id} exists already")

    def _add(self, row: RunRow) -> None:
        """Stores a new run without a stage. Raises RunExists, TooManyRuns."""
        self._check_new(row.run_id)
        self._check_room()
        self.store.runs.add(row)

    async def _forget_oldest(self, owner: str) -> None:
        """Deletes the owner's oldest runs beyond the limit, except those that are live or wait for an answer."""
        for old in await self.store.do(self.store.runs.beyond, owner, self._limits.kept):
            try:
                if await self.status(old) not in ("queued", "running", "waiting"):
                    await self.delete(old)
            except (RunBusy, UnknownRun):
                continue

    async def resume(self, run_id: str) -> None:
        """Continues a stopped run from its last checkpoint. Raises UnknownRun, RunBusy, NotResumable, TooManyRuns."""
        row = await self.known_row(run_id)
        async with self._lock(run_id), self._leased(run_id) as lease:
            if self._crew and (await self.known_row(run_id)).for_workers:
                raise RunBusy(f"run {run_id} waits for a worker already")
            await self._launch(row, await self.standing.continuation(row), lease)

    async def answer(self, run_id: str, question_id: str, answer: Mapping[str, Any]) -> None:
        """Answers an open question, once, and continues the run. Raises UnknownRun, StaleAnswer, TooManyRuns, and what
        `Engine.resume_value` raises; the question then stays open."""
        row = await self.known_row(run_id)
        async with self._lock(run_id):
            # The question becomes visible a moment before the drive that asked it has ended.
            await self.driver.ended(run_id, patience=1.0)
            try:
                async with self._leased(run_id, patience=1.0) as lease:
                    await self._launch(row, await self.standing.accept(run_id, question_id, answer), lease)
            except RunBusy as error:
                raise StaleAnswer(f"run {run_id} is running; it waits for no answer") from error

    @asynccontextmanager
    async def _leased(self, run_id: str, patience: float = LEASE_PATIENCE) -> AsyncGenerator[Lease]:
        """Yields the lease for a drive that is to begin, and releases it if that fails. Raises TooManyRuns, RunBusy."""
        if self._crew:
            await self.store.do(self._check_room)
        lease = await self.driver.take(run_id, patience)
        try:
            yield lease
        except BaseException:
            self.driver.give_back(lease)
            raise

    def _check_room(self) -> None:
        """Raises TooManyRuns if too many runs wait for a worker."""
        if (waiting := self.store.runs.waiting()) >= max(1, self._limits.queued):
            raise TooManyRuns(f"{waiting} runs wait for a worker already; try again when one has ended")

    async def _launch(self, row: RunRow, graph_input: Any, lease: Lease) -> None:
        """Begins a drive here, or leaves the run to a worker, which derives the same graph input from the store."""
        if self._crew is None:
            await self.driver.launch(row, graph_input, lease)
            return
        await self.store.do(self.store.runs.hand_over, row.run_id)
        await self.store.do(lease.release)
        self._crew.wake(row.run_id)

    async def stop(self, run_id: str) -> bool:
        """Cancels a live run, in this or another process, and waits until it has ended. Returns False if the run was
        not live.

        Raises UnknownRun, and RunError if the run does not end in time.
        """
        if not await self.is_live(run_id):
            return False
        if run_id in self.driver:
            await self.driver.cancel(run_id)
        else:
            await self._stop_elsewhere(run_id)
        if await self.is_live(run_id):
            raise RunError(f"run {run_id} did not stop within {STOP_PATIENCE:g} s")
        return True

    async def _stop_elsewhere(self, run_id: str) -> None:
        """Asks the process that drives the run to stop it, until the run's lease is free. A run that is left to workers
        is then ended here, as a stopped drive ends."""
        lease = await self.store.do(self.store.lease, run_id)
        for _ in range(int(STOP_PATIENCE / ASK_AGAIN)):
            # It asks again each time, because a process that takes the run over drops the requests to its predecessor.
            await self.store.do(self.store.runs.request_stop, run_id)
            if await lease.take(patience=ASK_AGAIN):
                break
        else:
            return
        try:
            row = await self.row(run_id)
        except BaseException:
            self.driver.give_back(lease)
            raise
        if row and row.for_workers:
            await self.driver.conclude(run_id, lease, asyncio.CancelledError())
        else:
            self.driver.give_back(lease)

    async def status(self, run_id: str) -> Status:
        """Returns the status of a run. Raises UnknownRun."""
        if live := await self._liveness(run_id):
            return live
        state = await self.standing.state(run_id)
        if state.created_at is None:
            return "new"
        if await self.standing.questions(run_id, state):
            return "waiting"
        # `state.next` lacks tasks that ended, so after a kill just before a checkpoint it would be empty too early.
        return "stopped" if state.tasks else "done"

    async def pending(self, run_id: str) -> Pending | None:
        """Returns the first open question; None if there is none. Raises UnknownRun."""
        await self.known_row(run_id)
        return next(iter(await self.standing.questions(run_id)), None)

    async def position(self, run_id: str) -> int | None:
        """Returns how many runs start before this one, here or, with a crew, at the workers; None if the run is not
        queued."""
        if run_id in (queue := self.driver.queue()):
            return queue.index(run_id)
        return await self.store.do(self.store.runs.ahead, run_id) if self._crew else None

    async def is_live(self, run_id: str) -> bool:
        """Returns whether some process drives the run now, or will when it has a slot. Raises UnknownRun."""
        return await self._liveness(run_id) is not None

    async def _liveness(self, run_id: str) -> Literal["queued", "running"] | None:
        """Returns the stage of a live run; None if it is not live. Raises UnknownRun."""
        if run_id in self.driver:
            return "queued" if self.driver.is_queued(run_id) else "running"

        def look() -> Literal["queued", "running"] | None:
            row = self.store.runs.get(run_id)
            if row is None:
                raise _unknown(run_id)
            if row.stage == "":
                return None
            if row.holder == "" or self.store.lease(run_id).is_free():
                return "queued" if row.for_workers else None
            return "queued" if row.stage == "queued" else "running"

        return await self.store.do(look)

    def follow(self, run_id: str, after: int = -1) -> AsyncGenerator[Envelope[E] | Live[E]]:
        """Yields the events with seq > `after`, then those that come, live ones between them, until the run ends, asks
        or is stopped. An outage of the database is waited out. Raises UnknownRun, and StoreError if it lasts."""

        told = partial(
            events_after, run_id, store=self.store, driver=self.driver, engine=self._engine, is_live=self.is_live
        )
        return past_outages(told, after)

    async def row(self, run_id: str) -> RunRow | None:
        """Returns the run's row; None if there is no such run."""
        return await self.store.do(self.store.runs.get, run_id)

    async def delete(self, run_id: str) -> None:
        """Removes a run that is not live. Raises UnknownRun, RunBusy."""
        row = await self.known_row(run_id)
        lease = await self.store.do(self.store.lease, run_id)
        if row.for_workers or not await lease.take():
            raise RunBusy(f"run {run_id} is driven by {row.holder or 'another process, or will be'}")
        try:
            await self.store.do(self.store.delete_run, run_id)
            self.driver.forget(run_id)
        finally:
            await self.store.do(lease.release)

    async def known_row(self, run_id: str) -> RunRow:
        """Returns the run's row. Raises UnknownRun."""
        if (row := await self.row(run_id)) is None:
            raise _unknown(run_id)
        return row

    def _lock(self, run_id: str) -> asyncio.Lock:
        """Returns the lock that lets only one caller of this process continue the run."""
        return self._locks.setdefault(run_id, asyncio.Lock())


def _unknown(run_id: str) -> UnknownRun:
    return UnknownRun(f"there is no run {run_id}")
