"""Runs: answered, stopped and resumed, by one manager or by several."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from framework.errors import NotResumable, RunBusy, StaleAnswer
from framework.settings import RunLimits

from .places import Place
from .steps import Gate, Open, fails_in, paused, texts
from .toy import ToyContext, ToyEngine

pytestmark = pytest.mark.slow


async def test_a_pause_is_answered_once_by_its_id(opened: Open) -> None:
    runs = await opened()
    run_id, question = await paused(runs)
    assert await runs.status(run_id) == "waiting"
    with pytest.raises(StaleAnswer):
        await runs.answer(run_id, "another", {"text": "no"})
    with pytest.raises(ValueError, match="an answer needs a text"):
        await runs.answer(run_id, question, {})
    assert await runs.status(run_id) == "waiting"
    await runs.answer(run_id, question, {"text": "yes"})
    for _ in range(2):
        with pytest.raises(StaleAnswer):
            await runs.answer(run_id, question, {"text": "no"})
        assert (await texts(runs, run_id))[-1].endswith("review: yes")
    assert (await runs.status(run_id), await runs.pending(run_id)) == ("done", None)


async def test_of_simultaneous_answers_of_two_managers_exactly_one_counts(opened: Open) -> None:
    one, other = await opened(), await opened()
    run_id, question = await paused(one)
    answers = [manager.answer(run_id, question, {"text": str(n)}) for n, manager in enumerate((one, other, one, other))]
    refused = await asyncio.gather(*answers, return_exceptions=True)
    assert sorted(type(error).__name__ for error in refused) == ["NoneType", *["StaleAnswer"] * 3]
    events = await texts(one, run_id)
    assert events[-1].endswith(f"review: {refused.index(None)}")
    assert events.count("review began") == 1


async def test_an_answered_question_is_not_asked_again_when_the_node_breaks_or_is_stopped(opened: Open) -> None:
    gate, broken = Gate("review"), fails_in("review")

    async def step(context: ToyContext, node: str, task_id: str) -> None:
        await broken(context, node, task_id)
        await gate(context, node, task_id)

    runs = await opened(ToyEngine(step))
    run_id, question = await paused(runs)
    await runs.answer(run_id, question, {"text": "yes"})
    assert (await texts(runs, run_id))[-1] == "ValueError: review broke"
    assert (await runs.status(run_id), await runs.pending(run_id)) == ("stopped", None)
    await runs.resume(run_id)
    await gate.reached.wait()
    await runs.stop(run_id)
    assert (await runs.status(run_id), await runs.pending(run_id)) == ("stopped", None)
    gate.open.set()
    await runs.resume(run_id)
    assert (await texts(runs, run_id))[-1].endswith("review: yes")


async def test_stop_cancels_the_node_closes_the_session_and_is_told(opened: Open) -> None:
    gate = Gate("branch 2")
    engine = ToyEngine(gate)
    runs = await opened(engine)
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    async with asyncio.timeout(1):
        assert await runs.stop(run_id)
    assert (gate.cancelled, engine.open_sessions) == (1, 0)
    assert (await texts(runs, run_id))[-1] == "stopped"
    assert await runs.status(run_id) == "stopped"
    assert not await runs.stop(run_id)


async def test_a_run_stopped_before_its_first_step_can_be_resumed(opened: Open) -> None:
    runs = await opened()
    run_id = await runs.submit({}, title="t")
    assert await runs.stop(run_id)
    assert await texts(runs, run_id) == ["stopped"]
    assert await runs.status(run_id) == "new"
    await runs.resume(run_id)
    assert (await texts(runs, run_id))[-1].startswith("reply for plan")


async def test_a_stopped_run_goes_on_without_repeating_what_was_done(opened: Open) -> None:
    gate = Gate("branch 2")
    runs = await opened(ToyEngine(gate))
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    await runs.stop(run_id)
    gate.open.set()
    await runs.resume(run_id)
    events = await texts(runs, run_id)
    assert len(events) == len(set(events)) == 17
    assert await runs.status(run_id) == "done"


async def test_another_manager_can_watch_and_stop_a_run_but_not_drive_it(opened: Open) -> None:
    gate = Gate("join")
    owner, other = await opened(ToyEngine(gate)), await opened()
    run_id = await owner.submit({}, title="t")
    watching = asyncio.create_task(texts(other, run_id))
    await gate.reached.wait()
    assert await other.status(run_id) == "running"
    for action in (other.resume, other.delete):
        with pytest.raises(RunBusy, match=r"is driven by pid \d+ on "):
            await action(run_id)
    with pytest.raises(StaleAnswer, match="is running"):
        await other.answer(run_id, "q", {"text": "yes"})
    async with asyncio.timeout(1):
        assert await other.stop(run_id)
    assert (await watching)[-1] == "stopped"
    assert (await owner.status(run_id), await other.status(run_id)) == ("stopped", "stopped")
    await other.resume(run_id)
    assert (await texts(owner, run_id))[-1].startswith("reply for plan")


async def test_a_run_that_was_begun_is_live_to_other_managers_at_once(opened: Open) -> None:
    gate = Gate("plan")
    owner, other = await opened(ToyEngine(gate)), await opened()
    run_id = await owner.submit({}, title="t")
    assert await other.is_live(run_id)
    await owner.stop(run_id)
    await owner.resume(run_id)
    assert await other.is_live(run_id)


async def test_a_failing_node_ends_the_drive_with_an_event_and_can_be_tried_again(opened: Open) -> None:
    engine = ToyEngine(fails_in("join"))
    runs = await opened(engine)
    run_id = await runs.submit({}, title="t")
    assert (await texts(runs, run_id))[-1] == "ValueError: join broke"
    assert (await runs.status(run_id), engine.open_sessions) == ("stopped", 0)
    await runs.resume(run_id)
    assert (await texts(runs, run_id))[-1].startswith("reply for plan")


async def test_a_failing_branch_is_taken_anew_not_skipped(opened: Open) -> None:
    class Unsure(ToyEngine):
        failures = 1

        def fan_out(self, _state: Any) -> Any:
            if self.failures:
                self.failures -= 1
                raise ValueError("which way?")
            return super().fan_out(_state)

    runs = await opened(Unsure())
    run_id = await runs.submit({}, title="t")
    assert (await texts(runs, run_id))[-1] == "ValueError: which way?"
    assert await runs.status(run_id) == "stopped"
    await runs.resume(run_id)
    assert (await texts(runs, run_id))[-1].startswith("reply for plan, reply for branch 1")


async def test_only_a_stopped_run_can_be_resumed(opened: Open) -> None:
    gate = Gate("plan")
    runs = await opened(ToyEngine(gate))
    running = await runs.submit({}, title="t")
    with pytest.raises(RunBusy):
        await runs.resume(running)
    gate.open.set()
    await texts(runs, running)
    with pytest.raises(NotResumable, match="is done"):
        await runs.resume(running)
    waiting, _ = await paused(runs)
    with pytest.raises(NotResumable, match="waits for an answer"):
        await runs.resume(waiting)
    assert not await runs.stop(waiting)


async def test_closing_the_manager_leaves_its_runs_resumable(place: Place, opened: Open) -> None:
    gate = Gate("plan")
    first = await place.runs(ToyEngine(gate))
    run_id = await first.submit({}, title="t")
    await gate.reached.wait()
    await first.aclose()
    assert gate.cancelled == 1
    runs = await opened()
    assert await runs.status(run_id) == "stopped"
    await runs.resume(run_id)
    assert (await texts(runs, run_id))[-1].startswith("reply for plan")


async def test_stopping_twice_does_not_cut_off_the_clean_up(opened: Open) -> None:
    gate = Gate("plan")
    cleaned = 0

    class Slow(ToyEngine):
        @asynccontextmanager
        async def session(self, port: Any, spec: Any) -> AsyncIterator[ToyContext]:
            nonlocal cleaned
            async with super().session(port, spec) as context:
                try:
                    yield context
                finally:
                    await asyncio.sleep(0.6)
                    cleaned += 1

    runs, other = await opened(Slow(gate)), await opened()
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    assert await asyncio.gather(other.stop(run_id), runs.stop(run_id), runs.stop(run_id)) == [True] * 3
    assert cleaned == 1


async def test_a_run_stopped_in_the_queue_keeps_the_seconds_it_was_driven(opened: Open) -> None:
    gate = Gate("join")
    runs = await opened(ToyEngine(gate), limits=RunLimits(running=1))
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    await runs.stop(run_id)
    [driven] = [row.seconds for row in runs.store.runs.list()]
    assert driven > 0
    gate.reached.clear()
    await runs.submit({}, title="holds the slot")
    await gate.reached.wait()
    await runs.resume(run_id)
    assert await runs.status(run_id) == "queued"
    await runs.stop(run_id)
    assert [row.seconds for row in runs.store.runs.list()][-1] == driven
