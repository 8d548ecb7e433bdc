"""What a drive pays for when it has to end: waited for a while, stored, and never paid for twice."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from framework.errors import StoreError
from framework.runs import Runs
from framework.workers.worker import RunWorker

from .crews import app_for_workers, done
from .steps import Open, ends_well, still_away
from .toy import Happened, ToyContext, ToyEngine


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
    app, _ = await app_for_workers(opened)
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
    await done(app, run_id)
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


@dataclass
class Paying:
    """A run of the app that a worker drives and that has begun to pay."""

    slow: Slow
    engine: ToyEngine
    app: Runs[Happened]
    runs: Runs[Happened]
    worker: RunWorker[Happened]
    run_id: str
    driving: asyncio.Task[Any]


async def _paying(opened: Open, monkeypatch: pytest.MonkeyPatch) -> Paying:
    monkeypatch.setattr("framework.drive.REPLY_S", 60.0)
    monkeypatch.setattr("framework.drive.STOP_PATIENCE", -1.0)
    slow = Slow()
    engine = ToyEngine(slow)
    app, _ = await app_for_workers(opened)
    runs = await opened(engine)
    worker = RunWorker(runs, 1)
    run_id = await app.submit({}, title="t")
    driving = asyncio.create_task(worker.drive(run_id))
    await slow.asked.wait()
    return Paying(slow, engine, app, runs, worker, run_id, driving)


async def test_what_is_paid_for_when_the_database_fails_is_waited_for_and_not_paid_for_again(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many writes fail meanwhile."""
    paying = await _paying(opened, monkeypatch)
    slow, app, run_id = paying.slow, paying.app, paying.run_id
    waits = _waits(slow, monkeypatch)
    for what in ("lost", "lost as well"):
        await _fails(paying.runs, slow, what, monkeypatch)
        await waits.wait()
    assert paying.engine.open_sessions == 1
    slow.comes.set()
    await paying.driving
    assert (slow.paid, await app.status(run_id)) == (1, "queued")
    await paying.worker.look()
    await done(app, run_id)
    assert slow.paid == 1


async def test_a_drive_that_waits_no_longer_for_a_reply_ends_only_when_that_is_given_up(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came of it would be written although the run is for others to drive."""
    paying = await _paying(opened, monkeypatch)
    slow, runs = paying.slow, paying.runs
    slow.tidy.clear()
    waits = _waits(slow, monkeypatch)
    left = asyncio.create_task(paying.worker.leave())
    await waits.wait()
    await _fails(runs, slow, "lost", monkeypatch)
    sessions = paying.engine.open_sessions
    slow.comes.set()
    slow.tidy.set()
    await asyncio.gather(left, paying.driving)
    assert (sessions, slow.paid, runs.store.memo.recall(paying.run_id, "slow")) == (1, 0, None)


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
