"""Runs: submitted, watched, forked and deleted."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from typing import Any

import pytest

from framework.bus import Inbox
from framework.engine import Envelope, Live
from framework.errors import RunError, RunExists, TooManyRuns, UnknownRun
from framework.secret import Redactor, Secret
from framework.settings import RunLimits

from .steps import Gate, Open, texts
from .toy import Happened, ToyContext, ToyEngine


async def test_a_viewer_sees_events_while_their_node_still_works(opened: Open) -> None:
    gate = Gate("plan")
    runs = await opened(ToyEngine(gate))
    run_id = await runs.submit({}, title="t")
    async with aclosing(runs.follow(run_id)) as items:
        first = await anext(items)
        assert (first.event.text, gate.open.is_set()) == ("plan began", False)
        assert await runs.status(run_id) == "running"


async def test_every_viewer_gets_all_events_in_order_and_without_gaps(opened: Open) -> None:
    runs = await opened()
    run_id = await runs.submit({"rounds": 2}, title="t")
    first, second = await asyncio.gather(texts(runs, run_id), texts(runs, run_id))
    late = [item async for item in runs.follow(run_id)]
    assert first == second == [item.event.text for item in late]
    assert [item.seq for item in late if isinstance(item, Envelope)] == list(range(len(late)))
    assert await texts(runs, run_id, after=3) == first[4:]
    assert await runs.status(run_id) == "done"


async def test_a_viewer_that_leaves_does_not_disturb_the_run(opened: Open) -> None:
    gate = Gate("join")
    runs = await opened(ToyEngine(gate))
    run_id = await runs.submit({}, title="t")
    async with aclosing(runs.follow(run_id)) as items:
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
    items = [item async for item in runs.follow(run_id)]
    live = [item for item in items if isinstance(item, Live)]
    assert 0 < len(live) < 1500
    assert [item.seq for item in items if isinstance(item, Envelope)] == list(range(17))


async def test_a_viewer_looks_seldom_where_the_bus_brings_what_happens(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate("plan")
    driving, watching = await opened(ToyEngine(gate)), await opened()
    run_id = await driving.submit({}, title="t")
    await gate.reached.wait()

    async def get(_inbox: Inbox[Any], patience: float | None = None) -> None:
        raise LookupError(patience)

    with monkeypatch.context() as patched:
        patched.setattr(Inbox, "get", get)
        for runs, patience in ((driving, 1.2), (watching, 0.15)):
            with pytest.raises(LookupError, match=f"^{patience}$"):
                await texts(runs, run_id)
    gate.open.set()


async def test_nothing_is_done_for_an_unknown_run(opened: Open) -> None:
    runs = await opened()
    actions = [runs.status, runs.pending, runs.stop, runs.resume, runs.delete]
    for action in actions:
        with pytest.raises(UnknownRun, match="there is no run nobody"):
            await action("nobody")
    with pytest.raises(UnknownRun):
        await runs.answer("nobody", "q", {"text": "yes"})
    with pytest.raises(UnknownRun):
        await anext(runs.follow("nobody"))


async def test_runs_queue_for_slots_and_too_many_are_refused(opened: Open) -> None:
    gate = Gate("plan")
    runs = await opened(ToyEngine(gate), limits=RunLimits(running=1, queued=2))
    first, second, third = [await runs.submit({}, title="t") for _ in range(3)]
    await gate.reached.wait()
    assert [await runs.position(run_id) for run_id in (first, second, third)] == [None, 0, 1]
    assert await runs.status(third) == "queued"
    with pytest.raises(TooManyRuns):
        await runs.submit({}, title="t")
    await runs.stop(second)
    assert await runs.position(third) == 0
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


async def test_a_task_that_takes_long_to_read_holds_nobody_else_up(opened: Open) -> None:
    read = threading.Event()

    class Thorough(ToyEngine):
        def start(self, spec: Any) -> Any:
            assert "long" not in spec or read.wait(60)
            return super().start(spec)

    runs = await opened(Thorough())
    long = asyncio.create_task(runs.submit({"long": True}, title="t"))
    await texts(runs, await runs.submit({}, title="t"))
    assert not long.done()
    read.set()
    await texts(runs, await long)


async def test_the_session_gets_the_spec_and_a_row_tells_how_the_run_was_submitted(opened: Open) -> None:
    engine = ToyEngine()
    runs = await opened(engine)
    run_id = await runs.submit({"note": "ä"}, title="Sort it", scripted=True, owner="me")
    await texts(runs, run_id)
    row = runs.store.runs.get(run_id)
    assert row
    assert (row.title, row.spec, row.scripted, row.owner, row.holder) == ("Sort it", {"note": "ä"}, True, "me", "")
    assert engine.specs == [{"note": "ä"}]


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
        await anext(runs.follow(ids[1]))


async def test_each_owner_keeps_their_own_runs_and_what_waits_for_an_answer_stays(opened: Open) -> None:
    runs = await opened(limits=RunLimits(kept=1))
    waiting = await runs.submit({"ask": True}, title="waits", owner="me")
    await texts(runs, waiting)
    others = await runs.submit({}, title="other", owner="you")
    await texts(runs, others)
    for number in range(3):
        await texts(runs, await runs.submit({}, title=str(number), owner="me"))
    assert {row.title for row in runs.store.runs.list()} == {"waits", "other", "2"}
    assert await runs.status(waiting) == "waiting"


async def test_a_run_that_never_began_can_be_deleted(opened: Open) -> None:
    runs = await opened()
    run_id = await runs.submit({}, title="t")
    await runs.stop(run_id)
    assert await runs.status(run_id) == "new"
    await runs.delete(run_id)
    assert await runs.row(run_id) is None


async def test_the_seconds_of_a_drive_are_known_before_it_ends(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("framework.drive._STOP_POLL", 0.01)
    monkeypatch.setattr("framework.drive._LOOKS_PER_BEAT", 1)
    gate, before = Gate("join"), list[float]()

    async def step(context: ToyContext, node: str, task_id: str) -> None:
        before.append(context.port.driven_before)
        await gate(context, node, task_id)

    runs, other = await opened(ToyEngine(step)), await opened()
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    seconds = 0.0
    while not seconds:
        await asyncio.sleep(0.01)
        seconds = other.store.runs.list()[0].seconds
    await runs.stop(run_id)
    gate.open.set()
    await runs.resume(run_id)
    await texts(runs, run_id)
    assert before[0] == 0.0
    assert before[-1] >= seconds


async def test_known_secrets_reach_neither_journal_nor_viewers(opened: Open) -> None:
    async def leak(context: ToyContext, node: str, _task_id: str) -> None:
        if node == "plan":
            context.port.emit(Happened("the key is hunter2hunter2"), "leak")

    runs = await opened(ToyEngine(leak), redact=Redactor([Secret("hunter2hunter2")]).data)
    run_id = await runs.submit({}, title="t")
    assert "the key is ***" in await texts(runs, run_id)
    assert "the key is ***" in [entry.data["text"] for entry in runs.store.journal.events(run_id)]
