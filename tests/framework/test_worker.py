"""Runs that one manager submits and workers drive: begun, steered, handed on and taken over, each once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from typing import Any

import pytest

from framework.drive import RunLimits
from framework.errors import RunBusy, RunExists, StaleAnswer, StoreBusy, StoreError, TooManyRuns
from framework.records import RunRow
from framework.runs import Runs
from framework.worker import RunWorker

from .places import Place
from .processes import hang_as_worker, processes, start, told
from .steps import Gate, Open, Payer, ends_well, fails_in, hurry, still_away, texts
from .toy import Happened, ToyContext, ToyEngine


class Woken:
    """A crew that only notes whom it was to wake."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    def join(self, bus: Any) -> None: ...

    def wake(self, run_id: str) -> None:
        self.runs.append(run_id)

    async def aclose(self) -> None: ...


async def _app(opened: Open, **options: Any) -> tuple[Runs[Happened], Woken]:
    runs, crew = await opened(**options), Woken()
    runs.leave_to(crew)
    return runs, crew


async def _done(runs: Runs[Happened], run_id: str) -> list[str]:
    events = await texts(runs, run_id)
    assert await runs.status(run_id) == "done"
    return events


async def test_a_run_that_waits_for_a_worker_is_stopped_before_it_can_be_deleted(opened: Open) -> None:
    app, _ = await _app(opened)
    run_id = await app.submit({}, title="t")
    with pytest.raises(RunBusy, match="will be"):
        await app.delete(run_id)
    assert await app.stop(run_id)
    await app.delete(run_id)
    assert await app.row(run_id) is None


async def test_a_worker_drives_what_another_manager_submits(opened: Open) -> None:
    app, crew = await _app(opened)
    worker = RunWorker(await opened(), 2)
    run_id = await app.submit({}, title="t")
    assert (await app.status(run_id), crew.runs) == ("queued", [run_id])
    watched = asyncio.create_task(_done(app, run_id))
    await worker.drive(run_id)
    assert len(await watched) == 16
    await worker.drive(run_id)
    assert len(await _done(app, run_id)) == 16


async def test_of_many_submitted_at_once_the_first_waits_for_a_worker_before_the_last_is_listed(opened: Open) -> None:
    app, crew = await _app(opened)
    listed: list[int] = []

    def wake(run_id: str) -> None:
        crew.runs.append(run_id)
        listed.append(len(app.store.runs.list()))

    crew.wake = wake
    ids = await asyncio.gather(*(app.submit({}, title="t") for _ in range(4)))
    assert (sorted(crew.runs), listed) == (sorted(ids), [1, 2, 3, 4])


async def test_whoever_is_not_woken_finds_the_run_by_looking(opened: Open) -> None:
    app, _ = await _app(opened)
    gate = Gate("plan")
    worker = RunWorker(await opened(ToyEngine(gate)), 1)
    first, second = [await app.submit({}, title="t") for _ in range(2)]
    await worker.look()
    await gate.reached.wait()
    await worker.look()
    assert [await app.status(run_id) for run_id in (first, second)] == ["running", "queued"]
    third = await app.submit({}, title="t")
    assert [await app.position(run_id) for run_id in (first, second, third)] == [None, 0, 1]
    gate.open.set()
    await _done(app, first)
    await worker.drive(second)
    await _done(app, second)


async def test_a_run_that_was_refused_is_driven_by_nobody_though_it_is_stored_later(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, crew = await _app(opened)
    add = app.store.runs.add

    def stores_and_does_not_say_so(row: RunRow) -> None:
        add(row)
        raise StoreBusy("the database does not answer")

    with monkeypatch.context() as patched:
        patched.setattr(app.store.runs, "add", stores_and_does_not_say_so)
        with pytest.raises(StoreBusy):
            await app.submit({}, title="t", run_id="refused")
    assert (await app.status("refused"), crew.runs, app.store.runs.for_workers()) == ("new", [], [])
    worker = RunWorker(await opened(), 1)
    await worker.look()
    await app.delete("refused")
    assert await app.row("refused") is None


async def test_of_two_workers_that_are_woken_one_drives(opened: Open) -> None:
    app, _ = await _app(opened)
    engines = [ToyEngine(), ToyEngine()]
    workers = [RunWorker(await opened(engine), 2) for engine in engines]
    run_id = await app.submit({}, title="t")
    await asyncio.gather(*(worker.drive(run_id) for worker in workers))
    assert len(await _done(app, run_id)) == 16
    assert len(engines[0].specs) + len(engines[1].specs) == 1


async def test_an_answer_is_given_here_and_used_there(opened: Open) -> None:
    app, crew = await _app(opened)
    worker = RunWorker(await opened(), 1)
    run_id = await app.submit({"ask": True}, title="t")
    await worker.drive(run_id)
    assert await app.status(run_id) == "waiting"
    pending = await app.pending(run_id)
    assert pending
    await app.answer(run_id, pending.id, {"text": "yes"})
    with pytest.raises(StaleAnswer):
        await app.answer(run_id, pending.id, {"text": "no"})
    assert (await app.status(run_id), crew.runs) == ("queued", [run_id, run_id])
    await worker.drive(run_id)
    assert (await _done(app, run_id))[-1].endswith("review: yes")


async def test_a_run_is_stopped_whether_a_worker_has_it_or_not_and_resumed(opened: Open) -> None:
    app, _ = await _app(opened)
    gate = Gate("plan")
    worker = RunWorker(await opened(ToyEngine(gate)), 1)
    run_id = await app.submit({}, title="t")
    assert await app.stop(run_id)
    assert (await texts(app, run_id), await app.status(run_id)) == (["stopped"], "new")
    await app.resume(run_id)
    with pytest.raises(RunBusy, match="waits for a worker already"):
        await app.resume(run_id)
    driving = asyncio.create_task(worker.drive(run_id))
    await gate.reached.wait()
    with pytest.raises(RunBusy, match="driven by worker pid"):
        await app.resume(run_id)
    assert await app.stop(run_id)
    await driving
    assert await app.status(run_id) == "stopped"
    gate.open.set()
    await app.resume(run_id)
    await worker.drive(run_id)
    assert Counter(await _done(app, run_id))["stopped"] == 2


async def test_a_stop_that_fails_leaves_the_run_to_others(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app, _ = await _app(opened)
    run_id = await app.submit({}, title="t")
    with monkeypatch.context() as patched:
        patched.setattr(app, "row", still_away)
        with pytest.raises(StoreError):
            await app.stop(run_id)
    await RunWorker(await opened(), 1).drive(run_id)
    assert await app.status(run_id) == "done"


async def test_a_worker_that_leaves_hands_its_runs_on(opened: Open) -> None:
    app, _ = await _app(opened)
    gate = Gate("join")
    leaving, staying = RunWorker(await opened(ToyEngine(gate)), 1), RunWorker(await opened(), 1)
    run_id = await app.submit({}, title="t")
    driving = asyncio.create_task(leaving.drive(run_id))
    await gate.reached.wait()
    await leaving.leave()
    await driving
    assert await app.status(run_id) == "queued"
    await leaving.drive(run_id)
    assert await app.status(run_id) == "queued"
    await staying.drive(run_id)
    events = await _done(app, run_id)
    assert len(events) == len(set(events)) == 16


class Slow:
    """A step that pays for one thing in `join`, which takes until `comes`."""

    def __init__(self) -> None:
        self.asked, self.comes, self.tidy = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.tidy.set()
        self.paid = 0

    async def __call__(self, context: ToyContext, node: str, _task_id: str) -> None:
        self.port: Any = context.port

        async def pay() -> None:
            self.asked.set()
            try:
                await self.comes.wait()
            finally:
                await self.tidy.wait()
            self.paid += 1
            context.port.remember("slow", 1)
            await context.port.settled()

        if node == "join" and context.port.recall("slow") is None:
            await context.port.pay(pay)


@pytest.mark.parametrize("in_time", [True, False])
async def test_a_worker_that_leaves_waits_a_while_for_what_it_pays_for(
    opened: Open, monkeypatch: pytest.MonkeyPatch, in_time: bool
) -> None:
    monkeypatch.setattr("framework.drive.REPLY_S", 60.0 if in_time else 0.01)
    slow = Slow()
    app, _ = await _app(opened)
    leaving, staying = [RunWorker(await opened(ToyEngine(slow)), 1) for _ in range(2)]
    run_id = await app.submit({}, title="t")
    driving = asyncio.create_task(leaving.drive(run_id))
    await slow.asked.wait()
    left = asyncio.create_task(leaving.leave())
    if not in_time:
        await left
    for _ in range(100):  # steps of the loop, in which whoever does not wait has given up
        await asyncio.sleep(0)
    slow.comes.set()
    await asyncio.gather(left, driving)
    assert slow.paid == in_time
    await staying.drive(run_id)
    await _done(app, run_id)
    assert slow.paid == 1


def _waits(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set when the drive begins to wait for what is paid for."""
    paid, begun = slow.port.paid, asyncio.Event()

    async def noted(patience: float) -> None:
        begun.set()
        await paid(patience)

    monkeypatch.setattr(slow.port, "paid", noted)
    return begun


async def _fails(runs: Runs[Happened], slow: Slow, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails, and then steps of the loop, in which whoever waits no more has gone on."""
    with monkeypatch.context() as away:
        away.setattr(runs.store.database, "send", lambda *_, **__: still_away())
        slow.port.emit(Happened(what), what)
        with pytest.raises(StoreError):
            await slow.port.settled()
    for _ in range(100):
        await asyncio.sleep(0)


async def test_what_is_paid_for_when_the_database_fails_is_waited_for_and_not_paid_for_again(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many writes fail meanwhile."""
    monkeypatch.setattr("framework.drive.REPLY_S", 60.0)
    monkeypatch.setattr("framework.drive.STOP_PATIENCE", -1.0)
    slow = Slow()
    engine = ToyEngine(slow)
    app, _ = await _app(opened)
    runs = await opened(engine)
    worker = RunWorker(runs, 1)
    run_id = await app.submit({}, title="t")
    driving = asyncio.create_task(worker.drive(run_id))
    await slow.asked.wait()
    waits = _waits(slow, monkeypatch)
    for what in ("lost", "lost as well"):
        await _fails(runs, slow, what, monkeypatch)
        await waits.wait()
    assert engine.open_sessions == 1
    slow.comes.set()
    await driving
    assert (slow.paid, await app.status(run_id)) == (1, "queued")
    await worker.look()
    await _done(app, run_id)
    assert slow.paid == 1


async def test_a_drive_that_waits_no_longer_for_a_reply_ends_only_when_that_is_given_up(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came of it would be written although the run is for others to drive."""
    monkeypatch.setattr("framework.drive.REPLY_S", 60.0)
    monkeypatch.setattr("framework.drive.STOP_PATIENCE", -1.0)
    slow = Slow()
    engine = ToyEngine(slow)
    app, _ = await _app(opened)
    runs = await opened(engine)
    worker = RunWorker(runs, 1)
    run_id = await app.submit({}, title="t")
    driving = asyncio.create_task(worker.drive(run_id))
    await slow.asked.wait()
    slow.tidy.clear()
    waits = _waits(slow, monkeypatch)
    left = asyncio.create_task(worker.leave())
    await waits.wait()
    await _fails(runs, slow, "lost", monkeypatch)
    sessions = engine.open_sessions
    slow.comes.set()
    slow.tidy.set()
    await asyncio.gather(left, driving)
    assert (sessions, slow.paid, runs.store.memo.recall(run_id, "slow")) == (1, 0, None)


async def test_a_person_who_stops_a_run_waits_for_no_reply(opened: Open) -> None:
    slow = Slow()
    runs = await opened(ToyEngine(slow))
    run_id = await runs.submit({}, title="t")
    await slow.asked.wait()
    assert await runs.stop(run_id)
    assert (slow.paid, await runs.status(run_id)) == (0, "stopped")
    slow.comes.set()
    await ends_well(runs, run_id)
    assert slow.paid == 1


async def test_a_killed_workers_run_is_taken_over(place: Place, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app, _ = await _app(opened)
    run_id = await app.submit({}, title="t")
    here, there = processes.Pipe()
    child = start(hang_as_worker, place, run_id, "join", there)
    assert await asyncio.to_thread(told, here) == "hanging"
    worker = RunWorker(await opened(), 1)
    await worker.drive(run_id)
    assert await app.status(run_id) == "running"
    assert child.pid
    os.kill(child.pid, signal.SIGKILL)
    child.join(10)
    while await app.status(run_id) == "running":  # noqa: ASYNC110 - the end of another process is no event here
        await asyncio.sleep(0.01)
    monkeypatch.setattr("framework.worker.ITS_OWN_S", 0.0)
    await worker.look()
    events = await _done(app, run_id)
    assert len(events) == len(set(events)) == 16


async def test_a_dead_workers_run_goes_on_before_new_ones_where_every_slot_is_taken(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    gate = Gate("join")

    async def step(context: ToyContext, node: str, task_id: str) -> None:
        if node == "join":
            order.append(context.port.run_id)
        await gate(context, node, task_id)

    app, _ = await _app(opened)
    worker = RunWorker(await opened(ToyEngine(step)), 1)
    orphan, first, second = [await app.submit({}, title="t") for _ in range(3)]
    app.store.runs.hold(orphan, "worker pid 0 on another machine")
    await worker.look()
    await gate.reached.wait()
    monkeypatch.setattr("framework.worker.ITS_OWN_S", 0.0)
    for _ in range(2):
        await worker.look()
    woken = asyncio.create_task(worker.drive(second))
    gate.open.set()
    await woken
    assert order == [first, orphan, second]


async def test_what_was_paid_for_while_the_database_was_away_is_first_left_to_whoever_knows_it(
    place: Place, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay = Payer(place)
    app, _ = await _app(opened)
    runs = await opened(ToyEngine(pay=pay))
    hurry(runs.store, place)
    knowing, other = RunWorker(runs, 1), RunWorker(await opened(ToyEngine(pay=pay)), 1)
    monkeypatch.setattr(other, "_me", "worker pid 0 on another machine")
    run_id, younger = [await app.submit({}, title="t") for _ in range(2)]
    await knowing.drive(run_id)
    pay.release()
    assert pay.paid.count("join") == 1
    await other.look()
    await _done(app, younger)
    assert await app.status(run_id) == "queued"
    await knowing.look()
    events = await _done(app, run_id)
    assert len(events) == len(set(events)) == 16
    assert pay.paid.count("join") == 2, "once for each run"


async def test_what_workers_die_of_is_given_up_with_a_word(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost database looks to the others like a death."""
    monkeypatch.setattr("framework.worker._MOST_LOST", 2)

    async def away(_context: ToyContext, node: str, _task_id: str) -> None:
        if node == "plan":
            raise StoreError("the database was away")

    app, _ = await _app(opened)
    worker = RunWorker(await opened(ToyEngine(away)), 1)
    run_id = await app.submit({}, title="t")
    for _ in range(3):
        await worker.drive(run_id)
        assert await app.status(run_id) == "queued"
    await worker.drive(run_id)
    assert (await texts(app, run_id))[-1] == "RunError: 2 workers died while they drove the run"
    assert await app.status(run_id) == "stopped"


async def test_a_run_that_a_worker_cannot_begin_or_go_on_with_ends_with_the_reason(opened: Open) -> None:
    class Elsewhere(ToyEngine):
        def start(self, spec: Any) -> Any:
            raise ValueError("no such thing here")

    app, _ = await _app(opened)
    broken = RunWorker(await opened(Elsewhere()), 1)
    run_id = await app.submit({}, title="t")
    await broken.drive(run_id)
    assert (await texts(app, run_id), await app.status(run_id)) == (["ValueError: no such thing here"], "new")
    failing = RunWorker(await opened(ToyEngine(fails_in("plan"))), 1)
    await app.resume(run_id)
    await failing.drive(run_id)
    assert (await texts(app, run_id))[-1] == "ValueError: plan broke"
    assert await app.status(run_id) == "stopped"


async def test_no_more_runs_wait_for_workers_than_were_allowed(opened: Open) -> None:
    apps = [(await _app(opened, limits=RunLimits(queued=2)))[0] for _ in range(2)]
    worker = RunWorker(await opened(), 1)
    first = await apps[0].submit({}, title="t")
    await apps[1].submit({}, title="t")
    for app in apps:
        with pytest.raises(TooManyRuns, match="2 runs wait for a worker already"):
            await app.submit({}, title="t")
        with pytest.raises(RunExists):
            await app.submit({}, title="t", run_id=first)
    await worker.drive(first)
    await apps[1].submit({}, title="t")
