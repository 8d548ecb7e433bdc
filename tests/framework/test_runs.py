"""Runs: submitted, watched, stopped, answered, resumed and forked, by one manager or by several."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from framework.drive import RunLimits
from framework.engine import Envelope, Live
from framework.errors import NotResumable, RunBusy, RunError, RunExists, StaleAnswer, TooManyRuns, UnknownRun
from framework.redact import Redactor
from framework.runs import Runs
from framework.secret import Secret

from .toy import Happened, Step, ToyContext, ToyEngine

Open = Callable[..., Awaitable[Runs[Happened]]]


@pytest_asyncio.fixture(loop_scope="function")
async def opened(tmp_path: Path) -> AsyncIterator[Open]:
    """Opens managers over one state directory and closes them in the end."""
    managers: list[Runs[Happened]] = []

    async def open_runs(engine: ToyEngine | None = None, **options: Any) -> Runs[Happened]:
        managers.append(await Runs.open(tmp_path, engine or ToyEngine(), **options))
        return managers[-1]

    yield open_runs
    for manager in managers:
        await manager.aclose()


class Gate:
    """A step that waits in one node until it is opened, and tells when somebody waits."""

    def __init__(self, node: str) -> None:
        self._node = node
        self.reached = asyncio.Event()
        self.open = asyncio.Event()
        self.cancelled = 0

    async def __call__(self, _context: ToyContext, node: str, _task_id: str) -> None:
        if node == self._node:
            self.reached.set()
            try:
                await self.open.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise


def fails_in(node: str, times: int = 1) -> Step:
    left = times

    async def step(_context: ToyContext, name: str, _task_id: str) -> None:
        nonlocal left
        if name == node and left:
            left -= 1
            raise ValueError(f"{name} broke")

    return step


async def texts(runs: Runs[Happened], run_id: str, after: int = -1) -> list[str]:
    return [item.event.text async for item in runs.tail(run_id, after) if isinstance(item, Envelope)]


async def paused(runs: Runs[Happened]) -> tuple[str, str]:
    """A run that waits for an answer: its id and its question's."""
    run_id = await runs.submit({"ask": True}, title="t")
    await texts(runs, run_id)
    pending = await runs.pending(run_id)
    assert pending
    return run_id, pending.id


async def test_a_viewer_sees_events_while_their_node_still_works(opened: Open) -> None:
    gate = Gate("plan")
    runs = await opened(ToyEngine(gate))
    run_id = await runs.submit({}, title="t")
    async with aclosing(runs.tail(run_id)) as items:
        first = await anext(items)
        assert (first.event.text, gate.open.is_set()) == ("plan began", False)
        assert await runs.status(run_id) == "running"


async def test_every_viewer_gets_all_events_in_order_and_without_gaps(opened: Open) -> None:
    runs = await opened()
    run_id = await runs.submit({"rounds": 2}, title="t")
    first, second = await asyncio.gather(texts(runs, run_id), texts(runs, run_id))
    late = [item async for item in runs.tail(run_id)]
    assert first == second == [item.event.text for item in late]
    assert [item.seq for item in late if isinstance(item, Envelope)] == list(range(len(late)))
    assert await texts(runs, run_id, after=3) == first[4:]
    assert await runs.status(run_id) == "done"


async def test_a_viewer_that_leaves_does_not_disturb_the_run(opened: Open) -> None:
    gate = Gate("join")
    runs = await opened(ToyEngine(gate))
    run_id = await runs.submit({}, title="t")
    async with aclosing(runs.tail(run_id)) as items:
        await anext(items)
    await gate.reached.wait()
    gate.open.set()
    assert (await texts(runs, run_id))[-1].startswith("reply for plan")
    assert gate.cancelled == 0


async def test_a_viewer_too_slow_for_live_text_still_gets_every_journaled_event(opened: Open) -> None:
    async def flood(context: ToyContext, node: str, _task_id: str) -> None:
        if node == "plan":
            for number in range(1500):
                context.port.emit_live(Happened(f"word {number}"))
            context.port.emit(Happened("after the flood"), "flood")

    runs = await opened(ToyEngine(flood))
    run_id = await runs.submit({}, title="t")
    items = [item async for item in runs.tail(run_id)]
    live = [item for item in items if isinstance(item, Live)]
    assert 0 < len(live) < 1500
    assert [item.seq for item in items if isinstance(item, Envelope)] == list(range(17))


async def test_nothing_is_done_for_an_unknown_run(opened: Open) -> None:
    runs = await opened()
    actions = [runs.status, runs.pending, runs.stop, runs.resume, runs.history, runs.delete]
    for action in actions:
        with pytest.raises(UnknownRun, match="there is no run nobody"):
            await action("nobody")
    with pytest.raises(UnknownRun):
        await runs.answer("nobody", "q", {"text": "yes"})
    with pytest.raises(UnknownRun):
        await runs.fork("nobody", "c")
    with pytest.raises(UnknownRun):
        runs.tail("nobody")


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


async def test_runs_queue_for_slots_and_too_many_are_refused(opened: Open) -> None:
    gate = Gate("plan")
    runs = await opened(ToyEngine(gate), limits=RunLimits(running=1, live=3))
    first, second, third = [await runs.submit({}, title="t") for _ in range(3)]
    await gate.reached.wait()
    assert [runs.position(run_id) for run_id in (first, second, third)] == [None, 0, 1]
    assert await runs.status(third) == "running"
    with pytest.raises(TooManyRuns):
        await runs.submit({}, title="t")
    await runs.stop(second)
    assert runs.position(third) == 0
    gate.open.set()
    assert (await texts(runs, third))[-1].startswith("reply for plan")
    assert await runs.status(second) == "new"


async def test_a_bad_submission_stores_nothing(opened: Open) -> None:
    class Picky(ToyEngine):
        def start(self, spec: Any) -> Any:
            raise ValueError(f"the task is {spec['task']}")

    picky = await opened(Picky())
    with pytest.raises(ValueError, match="the task is empty"):
        await picky.submit({"task": "empty"}, title="t")
    runs = await opened()
    with pytest.raises(RunError, match="a run id has"):
        await runs.submit({}, title="t", run_id="../x")
    assert runs.store.runs.list() == []
    run_id = await runs.submit({}, title="t", run_id="mine")
    with pytest.raises(RunExists):
        await runs.submit({}, title="t", run_id=run_id)


async def test_the_session_gets_the_spec_and_a_row_tells_how_the_run_was_submitted(opened: Open) -> None:
    engine = ToyEngine()
    runs = await opened(engine)
    run_id = await runs.submit({"note": "ä"}, title="Sort it", scripted=True, owner="me")
    await texts(runs, run_id)
    row = runs.store.runs.get(run_id)
    assert row
    assert (row.title, row.spec, row.scripted, row.owner, row.holder) == ("Sort it", {"note": "ä"}, True, "me", "")
    assert engine.specs == [{"note": "ä"}]


async def test_a_fork_repeats_nothing_before_its_checkpoint_and_all_after_it(opened: Open) -> None:
    runs = await opened()
    run_id, question = await paused(runs)
    await runs.answer(run_id, question, {"text": "yes"})
    original = await texts(runs, run_id)
    runs.store.blobs.save(run_id, "late.txt", "text/plain", b"x")
    before_join = next(point for point in await runs.history(run_id) if point.next == ("join",))
    fork = await runs.fork(run_id, before_join.id, title="again")
    assert await texts(runs, fork) == original[:9]
    assert (await runs.status(fork), runs.store.blobs.list(fork)) == ("stopped", [])
    await runs.resume(fork)
    assert await texts(runs, fork) == original[:12]
    pending = await runs.pending(fork)
    assert pending
    await runs.answer(fork, pending.id, {"text": "no"})
    assert (await texts(runs, fork))[-1].endswith("review: no")
    assert (await texts(runs, run_id)) == original
    with pytest.raises(RunError, match="has no checkpoint"):
        await runs.fork(run_id, "1ef00000-0000-6000-8000-000000000000")
    assert len(runs.store.runs.list()) == 2


async def test_task_ids_repeat_for_a_re_execution_and_differ_per_visit_and_branch(opened: Open) -> None:
    seen: dict[str, list[str]] = {}
    gate = Gate("join")

    async def note(context: ToyContext, node: str, task_id: str) -> None:
        seen.setdefault(node, []).append(task_id)
        await gate(context, node, task_id)

    runs = await opened(ToyEngine(note))
    run_id = await runs.submit({"rounds": 2}, title="t")
    await gate.reached.wait()
    await runs.stop(run_id)
    gate.open.set()
    await runs.resume(run_id)
    await texts(runs, run_id)
    assert [len(seen[node]) for node in ("plan", "branch 1", "join", "finish")] == [2, 2, 3, 1]
    assert seen["join"][0] == seen["join"][1]
    assert len({task_id for visits in seen.values() for task_id in visits}) == 9


async def test_the_oldest_runs_are_deleted_with_all_that_belongs_to_them(opened: Open) -> None:
    runs = await opened(limits=RunLimits(kept=2))
    ids = [await runs.submit({}, title=str(number)) for number in range(3)]
    for run_id in ids[1:]:
        await texts(runs, run_id)
    extra = await runs.submit({}, title="3")
    await texts(runs, extra)
    assert [row.title for row in runs.store.runs.list()][:2] == ["3", "2"]
    assert runs.store.journal.events(ids[1]) == []
    assert await runs.store.checkpointer.aget_tuple({"configurable": {"thread_id": ids[1]}}) is None
    with pytest.raises(UnknownRun):
        runs.tail(ids[1])


async def test_known_secrets_reach_neither_journal_nor_viewers(opened: Open) -> None:
    async def leak(context: ToyContext, node: str, _task_id: str) -> None:
        if node == "plan":
            context.port.emit(Happened("the key is hunter2hunter2"), "leak")

    runs = await opened(ToyEngine(leak), redact=Redactor([Secret("hunter2hunter2")]).data)
    run_id = await runs.submit({}, title="t")
    assert "the key is ***" in await texts(runs, run_id)
    assert "the key is ***" in [entry.data["text"] for entry in runs.store.journal.events(run_id)]


async def test_closing_the_manager_leaves_its_runs_resumable(tmp_path: Path, opened: Open) -> None:
    gate = Gate("plan")
    first = await Runs.open(tmp_path, ToyEngine(gate))
    run_id = await first.submit({}, title="t")
    await gate.reached.wait()
    await first.aclose()
    assert gate.cancelled == 1
    runs = await opened()
    assert await runs.status(run_id) == "stopped"
    await runs.resume(run_id)
    assert (await texts(runs, run_id))[-1].startswith("reply for plan")
