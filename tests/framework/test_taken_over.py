"""Runs whose worker died or could not go on: taken over, left to whoever knows more, or given up with a word."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest

from framework.errors import StoreError
from framework.workers.worker import RunWorker

from .crews import app_for_workers, done
from .places import Place
from .processes import hang_as_worker, processes, start, told
from .steps import Gate, Open, Payer, fails_in, hurry, texts
from .toy import ToyContext, ToyEngine

pytestmark = pytest.mark.slow


async def test_a_killed_workers_run_is_taken_over(place: Place, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app, _ = await app_for_workers(opened)
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
    monkeypatch.setattr("framework.workers.worker.ITS_OWN_S", 0.0)
    await worker.look()
    events = await done(app, run_id)
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

    app, _ = await app_for_workers(opened)
    worker = RunWorker(await opened(ToyEngine(step)), 1)
    orphan, first, second = [await app.submit({}, title="t") for _ in range(3)]
    app.store.runs.hold(orphan, "worker pid 0 on another machine")
    await worker.look()
    await gate.reached.wait()
    monkeypatch.setattr("framework.workers.worker.ITS_OWN_S", 0.0)
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
    app, _ = await app_for_workers(opened)
    runs = await opened(ToyEngine(pay=pay))
    hurry(runs.store, place)
    knowing, other = RunWorker(runs, 1), RunWorker(await opened(ToyEngine(pay=pay)), 1)
    monkeypatch.setattr(other, "_me", "worker pid 0 on another machine")
    run_id, younger = [await app.submit({}, title="t") for _ in range(2)]
    await knowing.drive(run_id)
    pay.release()
    assert pay.paid.count("join") == 1
    await other.look()
    await done(app, younger)
    assert await app.status(run_id) == "queued"
    await knowing.look()
    events = await done(app, run_id)
    assert len(events) == len(set(events)) == 16
    assert pay.paid.count("join") == 2, "once for each run"


async def test_what_workers_die_of_is_given_up_with_a_word(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost database looks to the others like a death."""
    monkeypatch.setattr("framework.workers.worker._MAX_LOST_WORKERS", 2)

    async def away(_context: ToyContext, node: str, _task_id: str) -> None:
        if node == "plan":
            raise StoreError("the database was away")

    app, _ = await app_for_workers(opened)
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

    app, _ = await app_for_workers(opened)
    broken = RunWorker(await opened(Elsewhere()), 1)
    run_id = await app.submit({}, title="t")
    await broken.drive(run_id)
    assert (await texts(app, run_id), await app.status(run_id)) == (["ValueError: no such thing here"], "new")
    failing = RunWorker(await opened(ToyEngine(fails_in("plan"))), 1)
    await app.resume(run_id)
    await failing.drive(run_id)
    assert (await texts(app, run_id))[-1] == "ValueError: plan broke"
    assert await app.status(run_id) == "stopped"
