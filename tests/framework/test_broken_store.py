"""A database that is full, locked or away: the loop goes on, the run ends in one line, and can be continued."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Any

import pytest

from framework.engine import Envelope
from framework.errors import StoreError
from framework.follow import past_outages
from framework.runs import Runs
from framework.unstored import Unstored

from .places import Place
from .steps import Gate, Open, texts
from .toy import Happened, ToyContext, ToyEngine, reply

OUTCOME = "reply for plan, reply for branch 1, reply for branch 2, reply for join"


def _hold_all_writes(place: Place) -> Callable[[], None]:
    """As another process would; returns what lets go."""
    if place.url is None:
        other: Any = sqlite3.connect(place.directory / "journal.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
    else:
        psycopg = pytest.importorskip("psycopg")
        other = psycopg.connect(place.url)
        other.execute("LOCK TABLE events, memo IN EXCLUSIVE MODE")
    return other.close


async def _ends_well(runs: Runs[Happened], run_id: str) -> None:
    """The run is continued and is then what an undisturbed one would be."""
    assert await runs.status(run_id) == "stopped"
    await runs.resume(run_id)
    told = await texts(runs, run_id)
    assert told[-1] == OUTCOME
    work = [text for text in told if ":" not in text and text != "stopped"]
    assert len(work) == len(set(work)) == 16
    assert [one.seq for one in runs.store.journal.events(run_id)] == list(range(len(told)))
    assert await runs.status(run_id) == "done"


async def test_a_database_that_does_not_answer_does_not_hold_the_loop(place: Place, opened: Open) -> None:
    release: list[Callable[[], None]] = []
    written = asyncio.Event()

    async def step(context: ToyContext, node: str, _task_id: str) -> None:
        if node == "join":
            release.append(_hold_all_writes(place))
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
    return [item.event.text async for item in runs.tail(run_id) if item.event.kind == "run_failed"]


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
    paid: list[str] = []
    release: list[Callable[[], None]] = []

    def pay(node: str) -> str:
        paid.append(node)
        if node == "join" and not release:
            release.append(_hold_all_writes(place))
        return reply(node)

    runs = await opened(ToyEngine(pay=pay))
    runs.store.database.execute("SET lock_timeout = '50ms'" if place.url else "PRAGMA busy_timeout = 50")
    run_id = await runs.submit({}, title="t")
    [line] = await _failures(runs, run_id)
    assert "lock" in line
    release[0]()
    with monkeypatch.context() as away:
        away.setattr(runs.store.runs, "set_stage", _fail)
        await runs.resume(run_id)
        assert (await _failures(runs, run_id))[-1] == "StoreError: still away"
    await _ends_well(runs, run_id)
    assert paid.count("join") == 1


async def test_no_more_than_so_much_is_kept_of_what_was_paid_for_and_the_oldest_goes_first(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("framework.unstored.MOST_CHARACTERS", 12)
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
    told = [item.event.text async for item in runs.tail(run_id) if isinstance(item, Envelope)]
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
        database, "execute", lambda sql, **values: _fail() if "bodies" in sql else execute(sql, **values)
    )
    with pytest.raises(StoreError, match=r"^still away$"):
        await runs.status(run_id)
    monkeypatch.undo()
    assert await runs.status(run_id) == "waiting"


async def test_whoever_watches_stays_while_the_database_is_away_and_misses_nothing(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framework.follow._AWAY_S", 0.0)
    gate = Gate("join")
    runs = await opened(ToyEngine(gate))
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    looks, events = 0, runs.store.journal.events

    def now_and_then(*asked: Any, **more: Any) -> Any:
        nonlocal looks
        looks += 1
        return _fail() if looks % 2 else events(*asked, **more)

    monkeypatch.setattr(runs.store.journal, "events", now_and_then)
    gate.open.set()
    told = [item async for item in past_outages(partial(runs.tail, run_id)) if isinstance(item, Envelope)]
    assert [item.seq for item in told] == list(range(16))
    assert told[-1].event.text == OUTCOME


async def test_a_database_that_stays_away_is_told_to_whoever_watches(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framework.follow._AWAY_S", 0.0)
    monkeypatch.setattr("framework.follow._TRIES", 3)
    runs = await opened()
    run_id = await runs.submit({}, title="t")
    await texts(runs, run_id)
    monkeypatch.setattr(runs.store.journal, "events", _fail)
    with pytest.raises(StoreError, match=r"^still away$"):
        [item async for item in past_outages(partial(runs.tail, run_id))]


async def test_a_source_that_says_nothing_of_the_run_between_two_errors_is_not_asked_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("framework.follow._AWAY_S", 0.0)
    monkeypatch.setattr("framework.follow._TRIES", 3)

    looks = 0

    async def nothing_new(_: int) -> AsyncGenerator[None]:
        nonlocal looks
        looks += 1
        assert looks < 9
        yield None
        raise StoreError("still away")

    with pytest.raises(StoreError, match=r"^still away$"):
        [item async for item in past_outages(nothing_new)]


async def test_what_a_deleted_run_paid_for_is_not_given_to_another_one_of_its_id(opened: Open) -> None:
    found: list[object] = []

    async def step(context: ToyContext, node: str, _task_id: str) -> None:
        if node == "join":
            found.append(context.port.recall("paid"))
            context.port.remember("paid", 1)
            if len(found) == 1:
                _fail()

    runs = await opened(ToyEngine(step))
    for _ in range(2):
        await texts(runs, await runs.submit({}, title="t", run_id="r"))
        await runs.delete("r")
    assert found == [None, None]


def _fail(*_: object) -> None:
    raise StoreError("still away")


async def test_a_locked_database_ends_the_run_in_one_line(place: Place, opened: Open) -> None:
    gate = Gate("join")
    runs = await opened(ToyEngine(gate))
    patience = "SET lock_timeout = '50ms'" if place.url else "PRAGMA busy_timeout = 50"
    runs.store.database.execute(patience)
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    release = _hold_all_writes(place)
    watching = asyncio.create_task(_failures(runs, run_id))
    await asyncio.sleep(0)
    gate.open.set()
    [line] = await watching
    assert "lock" in line
    assert "\n" not in line
    release()
    await _ends_well(runs, run_id)


def _cut(runs: Runs[Happened], server: Any) -> None:
    """Ends the manager's session from outside."""
    psycopg = pytest.importorskip("psycopg")
    pid = runs.store.database.connection.info.backend_pid  # type: ignore[attr-defined]
    with psycopg.connect(server.url(), autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(%s, 10000)", (pid,))


async def test_a_lost_connection_ends_the_run_in_one_line_and_is_told_in_the_journal(
    place: Place, opened: Open, postgres_server: Any
) -> None:
    if place.url is None:
        pytest.skip("SQLite has none")
    gate = Gate("join")
    runs = await opened(ToyEngine(gate))
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    _cut(runs, postgres_server)
    gate.open.set()
    failed = (await texts(runs, run_id))[-1]
    assert failed.startswith("StoreError: the database ")
    assert "\n" not in failed
    await _ends_well(runs, run_id)


async def test_who_lost_the_right_to_drive_a_run_writes_nothing_more(
    place: Place, opened: Open, postgres_server: Any
) -> None:
    if place.url is None:
        pytest.skip("a lock on a file ends with its process only")
    gate = Gate("join")
    first, second = await opened(ToyEngine(gate)), await opened()
    run_id = await first.submit({}, title="t")
    await gate.reached.wait()
    _cut(first, postgres_server)
    await second.resume(run_id)
    assert (await texts(second, run_id))[-1] == OUTCOME
    before = second.store.journal.events(run_id)
    gate.open.set()
    await first.stop(run_id)
    assert await first.status(run_id) == "done"
    assert second.store.journal.events(run_id) == before


async def test_a_process_that_is_halted_loses_its_runs_to_others(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    if place.url is None:
        pytest.skip("a lock on a file ends with its process only")
    monkeypatch.setattr("framework.database.postgres.FROZEN_MS", 50)
    halted, other = place.store(), place.store()
    lease, next_one = halted.lease("r"), other.lease("r")
    assert lease.try_take()
    assert not next_one.is_free()
    for _ in range(3000):
        if next_one.is_free():
            break
        await asyncio.sleep(0.01)
    assert halted.runs.get("r") is None, "its next words open a session that has no right to the run"
    assert lease.is_lost()
    monkeypatch.setattr("framework.database.postgres.FROZEN_MS", 60_000)
    assert next_one.try_take()
    next_one.release()
    assert other.database.execute("SHOW idle_session_timeout") == [("0",)], "who drives nothing may be silent"


async def test_a_server_that_is_away_is_one_line(place: Place) -> None:
    if place.url is None:
        pytest.skip("SQLite has none")
    gone = Place(place.directory, "postgresql://nobody:hunter2@127.0.0.1:1/none")
    with pytest.raises(StoreError, match=r"^the database cannot be used: ") as caught:
        gone.store()
    assert "\n" not in str(caught.value)
    assert "hunter2" not in str(caught.value)
