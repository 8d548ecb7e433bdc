"""The manager of runs: one per process, each run an asyncio task of its own that no viewer can disturb.

Whoever watches a run replays and tails its journal; detaching never touches it. Status is derived from task, lease and
checkpoint, never stored. A run has one live owner among all processes that share the state directory.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
import uuid
import weakref
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Interrupt, StateSnapshot

from .drive import STOP_PATIENCE, Driver, RunLimits, answer_key
from .engine import CheckpointInfo, E, Engine, Envelope, Live, Observer, Pending, Redact, Status
from .errors import NotResumable, RunBusy, RunError, RunExists, StaleAnswer, UnknownRun
from .follow import follow
from .port import keep_all
from .records import RunRow
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
    ) -> Runs[E]:
        """Raises StoreError if the state directory cannot be used."""
        limits = limits or RunLimits()
        store = Store.open(state_dir, engine.state_types)
        return cls(store, engine, Driver(store, engine, limits, observer, redact), limits)

    async def aclose(self) -> None:
        """Stops the live runs (they can be resumed) and closes the store."""
        await self._driver.aclose()
        self.store.close()

    async def submit(
        self, spec: Mapping[str, Any], *, title: str, run_id: str | None = None, scripted: bool = False, owner: str = ""
    ) -> str:
        """Starts a run and returns its id, a secret that lets its bearer see and steer it.

        Raises what `Engine.start` raises, TooManyRuns, RunExists, RunBusy, StoreError.
        """
        run_id = run_id or uuid.uuid4().hex
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", run_id):
            raise RunError("a run id has 1 to 64 letters, digits, - or _")
        if self.store.runs.get(run_id):
            raise RunExists(f"run {run_id} exists already")
        graph_input = self._engine.start(spec)
        row = RunRow(run_id, time.time(), title, spec, scripted, owner, "")
        lease = await self._driver.take(run_id)
        try:
            self.store.runs.add(row)
            self._driver.launch(row, graph_input, lease)
        except BaseException:
            lease.release()
            raise
        for old in self.store.runs.beyond(self._limits.kept):
            with contextlib.suppress(RunBusy, UnknownRun):
                await self.delete(old)
        return run_id

    async def resume(self, run_id: str) -> None:
        """Continues a stopped run from its last checkpoint. Raises UnknownRun, RunBusy, NotResumable, TooManyRuns."""
        row = self._row(run_id)
        async with self._lock(run_id):
            lease = await self._driver.take(run_id)
            try:
                graph_input = await self._continuation(row)
                self._driver.launch(row, graph_input, lease)
            except BaseException:
                lease.release()
                raise

    async def answer(self, run_id: str, question_id: str, answer: Mapping[str, Any]) -> None:
        """Answers an open question, once, and continues the run.

        Raises UnknownRun, StaleAnswer, TooManyRuns, and what `Engine.resume_value` raises (then it stays open).
        """
        row = self._row(run_id)
        async with self._lock(run_id):
            if task := self._driver.task(run_id):
                # The question can be seen a moment before the task that asked it has ended.
                await asyncio.wait([task], timeout=1.0)
            try:
                lease = await self._driver.take(run_id)
            except RunBusy as error:
                raise StaleAnswer(f"run {run_id} is running; it waits for no answer") from error
            try:
                command = await self._accept(run_id, question_id, answer)
                self._driver.launch(row, command, lease)
            except BaseException:
                lease.release()
                raise

    async def stop(self, run_id: str) -> bool:
        """Cancels a live run, also another process's, and waits until it ended; False if it was not live.

        Raises UnknownRun; RunError if it did not end in time.
        """
        if not self.is_live(run_id):
            return False
        if run_id in self._driver:
            await self._driver.cancel(run_id)
        else:
            self.store.runs.request_stop(run_id)
            await self.store.lease(run_id).wait(STOP_PATIENCE)
        if self.is_live(run_id):
            raise RunError(f"run {run_id} did not stop within {STOP_PATIENCE:g} s")
        return True

    async def status(self, run_id: str) -> Status:
        """Raises UnknownRun."""
        if self.is_live(run_id):
            return "running"
        state = await self._state(run_id)
        if state.created_at is None:
            return "new"
        if self._open_questions(run_id, state):
            return "waiting"
        # Not `next`: it lacks tasks that ended, so after a kill just before a checkpoint it is empty too early.
        return "stopped" if state.tasks else "done"

    async def pending(self, run_id: str) -> Pending | None:
        """The first open question. Raises UnknownRun."""
        self._row(run_id)
        questions = self._open_questions(run_id, await self._state(run_id))
        return questions[0] if questions else None

    def position(self, run_id: str) -> int | None:
        """How many runs of this process start before this queued one; None if it is not queued."""
        queue = self._driver.queue()
        return queue.index(run_id) if run_id in queue else None

    def is_live(self, run_id: str) -> bool:
        """Whether this or another process drives it now. Raises UnknownRun."""
        row = self._row(run_id)
        return run_id in self._driver or (row.holder != "" and not self.store.lease(run_id).is_free())

    def tail(self, run_id: str, after: int = -1) -> AsyncGenerator[Envelope[E] | Live[E]]:
        """Replays the events with seq > after, then follows; ends when the run is not live and all was given.

        Raises UnknownRun.
        """
        self._row(run_id)
        journal, bus = self.store.journal, self._driver.bus
        return follow(run_id, after, journal=journal, bus=bus, engine=self._engine, is_live=self.is_live)

    async def history(self, run_id: str) -> list[CheckpointInfo]:
        """The saved states, newest first. Raises UnknownRun."""
        self._row(run_id)
        states = self._driver.graph.aget_state_history(self._driver.config(run_id))
        return [_info(state) async for state in states]

    async def fork(self, run_id: str, checkpoint_id: str, *, title: str | None = None) -> str:
        """Copies a run as it was at a checkpoint into a new, stopped one (`resume` starts it) and returns its id.

        The fork asks its models anew. Raises UnknownRun; RunError for an unknown checkpoint.
        """
        row = self._row(run_id)
        fork = replace(row, run_id=uuid.uuid4().hex, created=time.time(), title=title or row.title, holder="")
        if not self.store.copy_run(run_id, checkpoint_id, fork):
            raise RunError(f"run {run_id} has no checkpoint {checkpoint_id}")
        return fork.run_id

    async def delete(self, run_id: str) -> None:
        """Removes a run that is not live. Raises UnknownRun, RunBusy."""
        holder = self._row(run_id).holder
        lease = self.store.lease(run_id)
        if not await lease.take():
            raise RunBusy(f"run {run_id} is driven by {holder or 'another process'}")
        try:
            self.store.delete_run(run_id)
        finally:
            lease.release()

    def _row(self, run_id: str) -> RunRow:
        row = self.store.runs.get(run_id)
        if row is None:
            raise UnknownRun(f"there is no run {run_id}")
        return row

    def _lock(self, run_id: str) -> asyncio.Lock:
        return self._locks.setdefault(run_id, asyncio.Lock())

    async def _state(self, run_id: str) -> StateSnapshot:
        return cast(StateSnapshot, await self._driver.graph.aget_state(self._driver.config(run_id)))

    def _open_questions(self, run_id: str, state: StateSnapshot) -> list[Pending]:
        asked = [Pending.read(interrupt.id, interrupt.value) for interrupt in state.interrupts]
        return [one for one in asked if self.store.memo.recall(run_id, answer_key(one.id)) is None]

    async def _continuation(self, row: RunRow) -> Any:
        state = await self._state(row.run_id)
        if state.created_at is None:
            return self._engine.start(row.spec)
        if self._open_questions(row.run_id, state):
            raise NotResumable(f"run {row.run_id} waits for an answer")
        if not state.tasks:
            raise NotResumable(f"run {row.run_id} is done")
        # Answers whose process died, or was stopped, before the asking node had ended are given again.
        given = {asked.id: self._given(row.run_id, asked) for asked in state.interrupts}
        return Command(resume=given) if given else None

    def _given(self, run_id: str, asked: Interrupt) -> Any:
        answer: Any = self.store.memo.recall(run_id, answer_key(asked.id))
        return self._engine.resume_value(Pending.read(asked.id, asked.value), answer)

    async def _accept(self, run_id: str, question_id: str, answer: Mapping[str, Any]) -> Command[Any]:
        asked = {one.id: one for one in self._open_questions(run_id, await self._state(run_id))}
        if question_id not in asked:
            raise StaleAnswer(f"question {question_id} of run {run_id} is not open")
        value = self._engine.resume_value(asked[question_id], answer)
        self.store.memo.remember(run_id, answer_key(question_id), answer)
        return Command(resume={question_id: value})


def _info(state: StateSnapshot) -> CheckpointInfo:
    step = state.metadata.get("step", -1) if state.metadata else -1
    parent = _checkpoint_id(state.parent_config) if state.parent_config else None
    return CheckpointInfo(_checkpoint_id(state.config), parent, step, state.created_at or "", state.next)


def _checkpoint_id(config: RunnableConfig) -> str:
    return config.get("configurable", {})["checkpoint_id"]
