"""The manager of runs: one per process, each run an asyncio task of its own that no viewer can disturb.

Whoever watches a run replays and tails its journal; detaching never touches it. Status is derived from task, lease and
checkpoint, never stored. A run has one live owner among all processes that share the state directory.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
import weakref
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, Generic, Literal, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Interrupt, StateSnapshot

from .drive import STOP_PATIENCE, Driver, RunLimits, answer_key
from .engine import CheckpointInfo, E, Engine, Envelope, Live, Observer, Pending, Redact, Status
from .errors import NotResumable, RunBusy, RunError, RunExists, StaleAnswer, UnknownRun
from .follow import follow
from .lease import holder
from .port import keep_all
from .records import RunRow
from .secret import Secret
from .store import Store


class Runs(Generic[E]):
    """Bound to the loop that opened it."""

    def __init__(self, store: Store, engine: Engine[E], driver: Driver[E], limits: RunLimits) -> None:
        self.store = store
        self._engine = engine
        self._driver = driver
        self._limits = limits
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    @classmethod
    async def open(
        cls,
        state_dir: Path,
        engine: Engine[E],
        *,
        limits: RunLimits | None = None,
        observer: Observer | None = None,
        redact: Redact = keep_all,
        database_url: Secret | None = None,
    ) -> Runs[E]:
        """`database_url`: of PostgreSQL; None keeps all below `state_dir`. Raises StoreError if it cannot be used."""
        limits = limits or RunLimits()
        store = await asyncio.to_thread(Store.open, state_dir, engine.state_types, url=database_url)
        return cls(store, engine, Driver(store, engine, limits, observer, redact), limits)

    async def aclose(self) -> None:
        """Stops the live runs (they can be resumed) and closes the store."""
        await self._driver.aclose()
        await asyncio.to_thread(self.store.close)

    async def submit(
        self, spec: Mapping[str, Any], *, title: str, run_id: str | None = None, scripted: bool = False, owner: str = ""
    ) -> str:
        """Starts a run and returns its id, a secret that lets its bearer see and steer it.

        Raises what `Engine.start` raises, TooManyRuns, RunExists, RunBusy, StoreError.
        """
        run_id = run_id or uuid.uuid4().hex
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", run_id):
            raise RunError("a run id has 1 to 64 letters, digits, - or _")
        if await self.row(run_id):
            raise RunExists(f"run {run_id} exists already")
        graph_input = self._engine.start(spec)
        row = RunRow(run_id, time.time(), title, spec, scripted, owner, holder(), "queued")
        lease = await self._driver.take(run_id)
        try:
            await self.store.do(self.store.runs.add, row)
            self._driver.launch(row, graph_input, lease)
        except BaseException:
            self._driver.give_back(lease)
            raise
        await self._forget_oldest(owner)
        return run_id

    async def _forget_oldest(self, owner: str) -> None:
        """Deletes what an owner has beyond the limit, but nothing that is live or waits for an answer."""
        for old in await self.store.do(self.store.runs.beyond, owner, self._limits.kept):
            try:
                if await self.status(old) not in ("queued", "running", "waiting"):
                    await self.delete(old)
            except (RunBusy, UnknownRun):
                continue

    async def resume(self, run_id: str) -> None:
        """Continues a stopped run from its last checkpoint. Raises UnknownRun, RunBusy, NotResumable, TooManyRuns."""
        row = await self._row(run_id)
        async with self._lock(run_id):
            lease = await self._driver.take(run_id)
            try:
                graph_input = await self._continuation(row)
                self._driver.launch(row, graph_input, lease)
            except BaseException:
                self._driver.give_back(lease)
                raise

    async def answer(self, run_id: str, question_id: str, answer: Mapping[str, Any]) -> None:
        """Answers an open question, once, and continues the run.

        Raises UnknownRun, StaleAnswer, TooManyRuns, and what `Engine.resume_value` raises (then it stays open).
        """
        row = await self._row(run_id)
        async with self._lock(run_id):
            # The question can be seen a moment before the drive that asked it has ended.
            await self._driver.ended(run_id, patience=1.0)
            try:
                lease = await self._driver.take(run_id)
            except RunBusy as error:
                raise StaleAnswer(f"run {run_id} is running; it waits for no answer") from error
            try:
                command = await self._accept(run_id, question_id, answer)
                self._driver.launch(row, command, lease)
            except BaseException:
                self._driver.give_back(lease)
                raise

    async def stop(self, run_id: str) -> bool:
        """Cancels a live run, also another process's, and waits until it ended; False if it was not live.

        Raises UnknownRun; RunError if it did not end in time.
        """
        if not await self.is_live(run_id):
            return False
        if run_id in self._driver:
            await self._driver.cancel(run_id)
        else:
            await self.store.do(self.store.runs.request_stop, run_id)
            await (await self.store.do(self.store.lease, run_id)).wait(STOP_PATIENCE)
        if await self.is_live(run_id):
            raise RunError(f"run {run_id} did not stop within {STOP_PATIENCE:g} s")
        return True

    async def status(self, run_id: str) -> Status:
        """Raises UnknownRun."""
        if live := await self._liveness(run_id):
            return live
        state = await self._state(run_id)
        if state.created_at is None:
            return "new"
        if await self._open_questions(run_id, state):
            return "waiting"
        # Not `next`: it lacks tasks that ended, so after a kill just before a checkpoint it is empty too early.
        return "stopped" if state.tasks else "done"

    async def pending(self, run_id: str) -> Pending | None:
        """The first open question. Raises UnknownRun."""
        await self._row(run_id)
        questions = await self._open_questions(run_id, await self._state(run_id))
        return questions[0] if questions else None

    def position(self, run_id: str) -> int | None:
        """How many runs of this process start before this queued one; None if it is not queued."""
        queue = self._driver.queue()
        return queue.index(run_id) if run_id in queue else None

    async def is_live(self, run_id: str) -> bool:
        """Whether this or another process drives it now, or will as soon as it has a slot. Raises UnknownRun."""
        return await self._liveness(run_id) is not None

    async def _liveness(self, run_id: str) -> Literal["queued", "running"] | None:
        """None if it is not live. Raises UnknownRun."""
        if run_id in self._driver:
            return "queued" if self._driver.is_queued(run_id) else "running"

        def look() -> Literal["queued", "running"] | None:
            row = self.store.runs.get(run_id)
            if row is None:
                raise _unknown(run_id)
            if row.holder == "" or self.store.lease(run_id).is_free():
                return None
            return "queued" if row.stage == "queued" else "running"

        return await self.store.do(look)

    async def tail(self, run_id: str, after: int = -1) -> AsyncGenerator[Envelope[E] | Live[E]]:
        """Replays the events with seq > after, then follows; ends when the run is not live and all was given.

        Raises UnknownRun, StoreError.
        """
        await self._row(run_id)
        items = follow(run_id, after, store=self.store, bus=self._driver.bus, engine=self._engine, is_live=self.is_live)
        async with aclosing(items):
            async for item in items:
                yield item

    async def row(self, run_id: str) -> RunRow | None:
        """The run as it was submitted; None if there is none."""
        return await self.store.do(self.store.runs.get, run_id)

    async def history(self, run_id: str) -> list[CheckpointInfo]:
        """The saved states, newest first. Raises UnknownRun."""
        await self._row(run_id)
        states = self._driver.graph.aget_state_history(self._driver.config(run_id))
        return [_info(state) async for state in states]

    async def fork(self, run_id: str, checkpoint_id: str, *, title: str | None = None) -> str:
        """Copies a run as it was at a checkpoint into a new, stopped one (`resume` starts it) and returns its id.

        The fork asks its models anew. Raises UnknownRun; RunError for an unknown checkpoint.
        """
        row = await self._row(run_id)
        fork = RunRow(uuid.uuid4().hex, time.time(), title or row.title, row.spec, row.scripted, row.owner, "")
        if not await self.store.do(self.store.copy_run, run_id, checkpoint_id, fork):
            raise RunError(f"run {run_id} has no checkpoint {checkpoint_id}")
        return fork.run_id

    async def delete(self, run_id: str) -> None:
        """Removes a run that is not live. Raises UnknownRun, RunBusy."""
        row = await self._row(run_id)
        lease = await self.store.do(self.store.lease, run_id)
        if not await lease.take():
            raise RunBusy(f"run {run_id} is driven by {row.holder or 'another process'}")
        try:
            await self.store.do(self.store.delete_run, run_id)
        finally:
            await self.store.do(lease.release)

    async def _row(self, run_id: str) -> RunRow:
        row = await self.row(run_id)
        if row is None:
            raise _unknown(run_id)
        return row

    def _lock(self, run_id: str) -> asyncio.Lock:
        return self._locks.setdefault(run_id, asyncio.Lock())

    async def _state(self, run_id: str) -> StateSnapshot:
        return cast(StateSnapshot, await self._driver.graph.aget_state(self._driver.config(run_id)))

    async def _open_questions(self, run_id: str, state: StateSnapshot) -> list[Pending]:
        asked = [Pending.read(interrupt.id, interrupt.value) for interrupt in state.interrupts]
        answers = await self._answers(run_id, state.interrupts)
        return [one for one in asked if answers[one.id] is None]

    async def _answers(self, run_id: str, asked: Sequence[Interrupt]) -> dict[str, Any]:
        """By the question's id; None for one that is open."""

        def recall() -> dict[str, Any]:
            return {one.id: self.store.memo.recall(run_id, answer_key(one.id)) for one in asked}

        return await self.store.do(recall) if asked else {}

    async def _continuation(self, row: RunRow) -> Any:
        state = await self._state(row.run_id)
        if state.created_at is None:
            return self._engine.start(row.spec)
        answers = await self._answers(row.run_id, state.interrupts)
        if None in answers.values():
            raise NotResumable(f"run {row.run_id} waits for an answer")
        if not state.tasks:
            raise NotResumable(f"run {row.run_id} is done")
        # Answers whose process died, or was stopped, before the asking node had ended are given again.
        given = {
            asked.id: self._engine.resume_value(Pending.read(asked.id, asked.value), answers[asked.id])
            for asked in state.interrupts
        }
        return Command(resume=given) if given else None

    async def _accept(self, run_id: str, question_id: str, answer: Mapping[str, Any]) -> Command[Any]:
        asked = {one.id: one for one in await self._open_questions(run_id, await self._state(run_id))}
        if question_id not in asked:
            raise StaleAnswer(f"question {question_id} of run {run_id} is not open")
        value = self._engine.resume_value(asked[question_id], answer)
        await self.store.do(self.store.memo.remember, run_id, answer_key(question_id), answer)
        return Command(resume={question_id: value})


def _unknown(run_id: str) -> UnknownRun:
    return UnknownRun(f"there is no run {run_id}")


def _info(state: StateSnapshot) -> CheckpointInfo:
    step = state.metadata.get("step", -1) if state.metadata else -1
    parent = _checkpoint_id(state.parent_config) if state.parent_config else None
    return CheckpointInfo(_checkpoint_id(state.config), parent, step, state.created_at or "", state.next)


def _checkpoint_id(config: RunnableConfig) -> str:
    return config.get("configurable", {})["checkpoint_id"]
