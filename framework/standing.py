"""Reads where a run stands by its last checkpoint.

This is its state, its open questions, and the graph input with which it goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Generic, cast

from langgraph.types import Command, Interrupt, StateSnapshot

from .drive import Driver, answer_key
from .engine import E, Engine, Pending
from .errors import NotResumable, StaleAnswer
from .storage.records import RunRow
from .storage.store import Store


class RunStanding(Generic[E]):
    """Reads checkpoints and remembered answers. It drives nothing."""

    def __init__(self, store: Store, engine: Engine[E], driver: Driver[E]) -> None:
        self._store = store
        self._engine = engine
        self._driver = driver

    async def state(self, run_id: str) -> StateSnapshot:
        return cast(StateSnapshot, await self._driver.graph.aget_state(self._driver.config(run_id)))

    async def questions(self, run_id: str, state: StateSnapshot | None = None) -> list[Pending]:
        """Returns the questions that nobody has answered, by the given `state` (None: the last checkpoint)."""
        interrupts = (state or await self.state(run_id)).interrupts
        answers = await self._answers(run_id, interrupts)
        return [Pending.read(one.id, one.value) for one in interrupts if answers[one.id] is None]

    async def continuation(self, row: RunRow) -> Any:
        """Returns the graph input of a drive from the last checkpoint. Raises NotResumable, and what `Engine.start`
        raises."""
        state = await self.state(row.run_id)
        if state.created_at is None:
            return await asyncio.to_thread(self._engine.start, row.spec)
        self._check(row.run_id, state)
        answers = await self._answers(row.run_id, state.interrupts)
        if None in answers.values():
            raise NotResumable(f"run {row.run_id} waits for an answer")
        if not state.tasks:
            raise NotResumable(f"run {row.run_id} is done")
        # An answer is given again if its process died or was stopped before the node that asked had ended.
        given = {
            asked.id: self._engine.resume_value(Pending.read(asked.id, asked.value), answers[asked.id])
            for asked in state.interrupts
        }
        return Command(resume=given) if given else None

    async def accept(self, run_id: str, question_id: str, answer: Mapping[str, Any]) -> Command[Any]:
        """Remembers the answer to an open question. Returns the graph input with which the drive goes on. Raises
        StaleAnswer, NotResumable, and what `Engine.resume_value` raises; the question then stays open."""
        state = await self.state(run_id)
        asked = {one.id: one for one in await self.questions(run_id, state)}
        if question_id not in asked:
            raise StaleAnswer(f"question {question_id} of run {run_id} is not open")
        self._check(run_id, state)
        value = self._engine.resume_value(asked[question_id], answer)
        await self._store.do(self._store.memo.remember, run_id, answer_key(question_id), answer)
        return Command(resume={question_id: value})

    def _check(self, run_id: str, state: StateSnapshot) -> None:
        """Raises NotResumable for a state that another version of the program stored in another form: a node that met
        it would fail in the middle of its work."""
        if part := self._engine.unreadable(state.values):
            told = f"another version of this program stored its state in another form ({part})"
            raise NotResumable(f"run {run_id} can be read, but not continued: {told}; give its task to a new run")

    async def _answers(self, run_id: str, asked: Sequence[Interrupt]) -> dict[str, Any]:
        """Returns the answer to each question by its id; None for an open question."""

        def recall() -> dict[str, Any]:
            return {one.id: self._store.memo.recall(run_id, answer_key(one.id)) for one in asked}

        return await self._store.do(recall) if asked else {}
