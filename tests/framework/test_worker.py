"""Runs that one manager submits and workers drive: begun, steered and handed on, each once."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from framework.errors import RunBusy, RunExists, StaleAnswer, StoreBusy, StoreError, TooManyRuns
from framework.settings import RunLimits
from framework.storage.records import RunRow
from framework.workers.worker import RunWorker

from .crews import app_for_workers, done
from .steps import Gate, Open, still_away, texts
from .toy import ToyEngine


async def test_a_run_that_waits_for_a_worker_is_stopped_before_it_can_be_deleted(opened: Open) -> None:
    app, _ = await app_for_workers(opened)
    run_id = await app.submit({}, title="t")
    with pytest.raises(RunBusy, match="will be"):
        await app.delete(run_id)
    assert await app.stop(run_id)
    await app.delete(run_id)
    assert await app.row(run_id) is None


async def test_a_worker_drives_what_another_manager_submits(opened: Open) -> None:
    app, crew = await app_for_workers(opened)
    worker = RunWorker(await opened(), 2)
    run_id = await app.submit({}, title="t")
    assert (await app.status(run_id), crew.runs) == ("queued", [run_id])
    watched = asyncio.create_task(done(app, run_id))
    await worker.drive(run_id)
    assert len(await watched) == 16
    await worker.drive(run_id)
    assert len(await done(app, run_id)) == 16


async def test_of_many_submitted_at_once_the_first_waits_for_a_worker_before_the_last_is_listed(opened: Open) -> None:
    app, crew = await app_for_workers(opened)
    listed: list[int] = []

    def wake(run_id: str) -> None:
        crew.runs.append(run_id)
        listed.append(len(app.store.runs.list()))

    crew.wake = wake
    ids = await asyncio.gather(*(app.submit({}, title="t") for _ in range(4)))
    assert (sorted(crew.runs), listed) == (sorted(ids), [1, 2, 3, 4])


async def test_whoever_is_not_woken_finds_the_run_by_looking(opened: Open) -> None:
    app, _ = await app_for_workers(opened)
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
    await done(app, first)
    await worker.drive(second)
    await done(app, second)


async def test_a_run_that_was_refused_is_driven_by_nobody_though_it_is_stored_later(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, crew = await app_for_workers(opened)
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
    app, _ = await app_for_workers(opened)
    engines = [ToyEngine(), ToyEngine()]
    workers = [RunWorker(await opened(engine), 2) for engine in engines]
    run_id = await app.submit({}, title="t")
    await asyncio.gather(*(worker.drive(run_id) for worker in workers))
    assert len(await done(app, run_id)) == 16
    assert len(engines[0].specs) + len(engines[1].specs) == 1


async def test_an_answer_is_given_here_and_used_there(opened: Open) -> None:
    app, crew = await app_for_workers(opened)
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
    assert (await done(app, run_id))[-1].endswith("review: yes")


async def test_a_run_is_stopped_whether_a_worker_has_it_or_not_and_resumed(opened: Open) -> None:
    app, _ = await app_for_workers(opened)
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
    assert Counter(await done(app, run_id))["stopped"] == 2


async def test_a_stop_that_fails_leaves_the_run_to_others(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app, _ = await app_for_workers(opened)
    run_id = await app.submit({}, title="t")
    with monkeypatch.context() as patched:
        patched.setattr(app, "row", still_away)
        with pytest.raises(StoreError):
            await app.stop(run_id)
    await RunWorker(await opened(), 1).drive(run_id)
    assert await app.status(run_id) == "done"


async def test_a_worker_that_leaves_hands_its_runs_on(opened: Open) -> None:
    app, _ = await app_for_workers(opened)
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
    events = await done(app, run_id)
    assert len(events) == len(set(events)) == 16


async def test_no_more_runs_wait_for_workers_than_were_allowed(opened: Open) -> None:
    apps = [(await app_for_workers(opened, limits=RunLimits(queued=2)))[0] for _ in range(2)]
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
