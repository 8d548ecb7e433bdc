"""A database that is full, locked or away: the loop goes on, the run ends in one line, and can be continued."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from concurrent.futures import Future
from threading import Event
from traceback import walk_tb
from typing import Any

import pytest

from framework.engine import Envelope
from framework.errors import StoreBusy, StoreError
from framework.port import Unstored
from framework.runs import Runs
from framework.storage.records import RunRow
from framework.waiting import shielded

from .places import Place, hold_all_writes
from .steps import OUTCOME, Gate, Open, Payer, ends_well, hurry, still_away, texts
from .toy import Happened, ToyContext, ToyEngine


async def test_a_database_that_does_not_answer_does_not_hold_the_loop(place: Place, opened: Open) -> None:
    release: list[Callable[[], None]] = []
    written = asyncio.Event()

    async def step(context: ToyContext, node: str, _task_id: str) -> None:
        if node == "join":
            release.append(hold_all_writes(place))
            for number in range(3):
                context.port.emit(Happened(f"note {number}"), f"note {number}")
            written.set()

    runs = await opened(ToyEngine(step))
    run_id = await runs.submit({}, title="t")
    # Were the loop held, it would be until the database gives up, and the run would have failed.
    await written.wait()
    release[0]()
    assert (await texts(runs, run_id))[-1] == OUTCOME


async def _failures(runs: Runs[Happened], run_id: str) -> list[str]:
    """As a viewer is told, whether it could be stored or not."""
    return [item.event.text async for item in runs.follow(run_id) if item.event.kind == "run_failed"]


async def test_a_full_disk_ends_the_run_in_one_line(place: Place, opened: Open) -> None:
    if place.url:
        pytest.skip("SQLite's way of being full")
    full = False

    async def fill(context: ToyContext, node: str, _task_id: str) -> None:
        nonlocal full
        if node == "join" and not full:
            full = True
            [(pages,)] = runs.store.database.execute("PRAGMA page_count")
            runs.store.database.execute(f"PRAGMA max_page_count = {pages}")
            for number in range(200):
                context.port.emit(Happened("x" * 1000 + str(number), "filler"), f"filler {number}")
            await context.port.settled()

    runs = await opened(ToyEngine(fill))
    run_id = await runs.submit({}, title="t")
    [line] = await _failures(runs, run_id)
    assert "database or disk is full" in line
    assert "\n" not in line
    runs.store.database.execute("PRAGMA max_page_count = 1000000")
    stored = [one.data["text"][1000:] for one in runs.store.journal.events(run_id) if one.kind == "filler"]
    assert stored == [str(number) for number in range(len(stored))], "what follows a write that failed is not written"
    assert await runs.status(run_id) == "stopped"
    await runs.resume(run_id)
    assert (await texts(runs, run_id))[-1] == OUTCOME


async def test_what_was_paid_for_when_the_database_failed_is_not_paid_for_again(
    place: Place, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay = Payer(place)
    runs = await opened(ToyEngine(pay=pay))
    hurry(runs.store, place)
    run_id = await runs.submit({}, title="t")
    [line] = await _failures(runs, run_id)
    assert "lock" in line
    pay.release()
    with monkeypatch.context() as away:
        away.setattr(runs.store.runs, "set_stage", still_away)
        await runs.resume(run_id)
        assert (await _failures(runs, run_id))[-1] == "StoreError: still away"
    await ends_well(runs, run_id)
    assert pay.paid.count("join") == 1


async def test_no_more_than_so_much_is_kept_of_what_was_paid_for_and_the_oldest_goes_first(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("framework.port.MAX_UNSTORED_CHARS", 12)
    unstored = Unstored()
    unstored.keep("first", {"k": "12345"})
    unstored.keep("second", {"k": "12345"})
    assert "forgotten" not in caplog.text
    unstored.keep("first", {"l": ""})
    unstored.keep("third", {})
    unstored.keep("fourth", {"k": ""})
    assert [unstored.of(run_id) for run_id in ("first", "second", "fourth")] == [
        {"k": "12345", "l": ""}, {}, {"k": ""},
    ]  # fmt: skip
    assert "what run second paid for while the database was away is forgotten" in caplog.text


async def test_half_of_a_surrogate_pair_costs_nothing_but_itself(opened: Open) -> None:
    recalled: list[object] = []

    async def step(context: ToyContext, node: str, _task_id: str) -> None:
        if node == "join":
            context.port.emit(Happened("half \ud83d of one"), "odd")
            context.port.remember("odd", {"\udc00": "half \ud83d of one \U0001f600"})
            await context.port.settled()
        if node == "finish":
            await context.port.open({})  # type: ignore[attr-defined]
            recalled.append(context.port.recall("odd"))

    runs = await opened(ToyEngine(step))
    run_id = await runs.submit({}, title="half \ud83d of one")
    told = [item.event.text async for item in runs.follow(run_id) if isinstance(item, Envelope)]
    assert "half ? of one" in told
    assert told == await texts(runs, run_id)
    assert await runs.status(run_id) == "done"
    assert recalled == [{"\udc00": "half \ud83d of one \U0001f600"}]
    row = await runs.row(run_id)
    assert row
    assert row.title == "half ? of one"


async def test_a_state_that_cannot_be_read_is_told_as_that_and_ends_nothing(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that takes a run over would else take it for an error of the run's own."""
    runs = await opened(ToyEngine(pay=lambda node: node * 200))
    run_id = await runs.submit({"ask": True}, title="t")
    await texts(runs, run_id)
    database = runs.store.database
    execute = database.execute
    monkeypatch.setattr(
        database, "execute", lambda sql, **values: still_away() if "bodies" in sql else execute(sql, **values)
    )
    with pytest.raises(StoreError, match=r"^still away$"):
        await runs.status(run_id)
    monkeypatch.undo()
    assert await runs.status(run_id) == "waiting"


async def test_what_a_deleted_run_paid_for_is_not_given_to_another_one_of_its_id(opened: Open) -> None:
    found: list[object] = []

    async def step(context: ToyContext, node: str, _task_id: str) -> None:
        if node == "join":
            found.append(context.port.recall("paid"))
            context.port.remember("paid", 1)
            if len(found) == 1:
                still_away()

    runs = await opened(ToyEngine(step))
    for _ in range(2):
        await texts(runs, await runs.submit({}, title="t", run_id="r"))
        await runs.delete("r")
    assert found == [None, None]


async def test_a_locked_database_ends_the_run_in_one_line(place: Place, opened: Open) -> None:
    gate = Gate("join")
    runs = await opened(ToyEngine(gate))
    hurry(runs.store, place)
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    release = hold_all_writes(place)
    watching = asyncio.create_task(_failures(runs, run_id))
    await asyncio.sleep(0)
    gate.open.set()
    [line] = await watching
    assert "lock" in line
    assert "\n" not in line
    release()
    await ends_well(runs, run_id)


async def _fails_when_nobody_waits_any_more() -> None:
    done = Future[None]()

    async def wait() -> None:
        await shielded(asyncio.wrap_future(done))

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    done.set_exception(StoreError("the disk is full"))
    await asyncio.sleep(0)


def test_an_error_of_what_goes_on_alone_is_not_told_as_overlooked(caplog: pytest.LogCaptureFixture) -> None:
    asyncio.run(_fails_when_nobody_waits_any_more())
    gc.collect()
    assert "never retrieved" not in caplog.text


def test_a_run_that_was_refused_often_keeps_no_more_for_it(place: Place) -> None:
    store = place.store()
    store.runs.add(RunRow("r", 1.0, "t", {}, False, "", ""))
    lease = store.lease("r")
    assert lease.try_take()
    failures = [store.write("r", still_away).exception() for _ in range(20)]
    assert all(one is failures[0] for one in failures)
    assert failures[0]
    assert len([*walk_tb(failures[0].__traceback__)]) < 10
    lease.release()
    store.close()


def test_a_run_that_once_waited_in_vain_takes_no_other_with_it(place: Place) -> None:
    store = place.store()
    hurry(store, place)
    leases = {run_id: store.lease(run_id) for run_id in ("held", "well")}
    for run_id, lease in leases.items():
        store.runs.add(RunRow(run_id, 1.0, "t", {}, False, "", ""))
        assert lease.try_take()

    def writing(run_id: str) -> Future[Any]:
        sql, values = store.journal.appending(run_id, "i", "k", "{}", 1.0)
        return store.write(run_id, lambda: store.database.send(sql, **values))

    release = hold_all_writes(place)
    in_vain = writing("held").exception()
    assert isinstance(in_vain, StoreBusy)
    release()
    go = Event()
    store.submit(go.wait)
    held, well = writing("held"), writing("well")
    go.set()
    assert held.exception() is in_vain
    assert well.result() == [(0,)]
    assert leases["well"].failure is None
    for lease in leases.values():
        lease.release()
    store.close()
