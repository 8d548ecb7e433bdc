"""Sessions of PostgreSQL that are cut, lost or halted, at either end: one line, and the run can be continued."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from framework.errors import RunBusy, StoreBusy, StoreError
from framework.follow import past_outage
from framework.runs import Runs
from framework.storage.database.base import CUT_OFF, HOW_IT_ENDED
from framework.storage.records import RunRow
from framework.storage.store import Store
from framework.workers.worker import RunWorker

from .places import Place
from .postgres import MISSING, Server
from .steps import OUTCOME, Gate, Open, ends_well, texts
from .toy import Happened, ToyEngine

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path: Any, postgres_server: Server | None) -> Place:
    if postgres_server is None:
        pytest.skip(MISSING)
    return Place(tmp_path, postgres_server.fresh())


async def _cut(runs: Runs[Happened], server: Any) -> None:
    """Ends the manager's session from outside, between two writes: one that is cut in its midst ends its run."""
    await runs.store.do(lambda: None)
    psycopg = pytest.importorskip("psycopg")
    pid = runs.store.database.connection.info.backend_pid  # type: ignore[attr-defined]
    with psycopg.connect(server.url(), autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(%s, 10000)", (pid,))


async def test_a_lost_connection_ends_the_run_in_one_line_and_is_told_in_the_journal(
    place: Place, opened: Open, postgres_server: Any
) -> None:
    gate = Gate("join")
    runs = await opened(ToyEngine(gate))
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    await _cut(runs, postgres_server)
    gate.open.set()
    failed = (await texts(runs, run_id))[-1]
    assert failed.startswith("StoreError: the database ")
    assert "\n" not in failed
    await ends_well(runs, run_id)


async def test_who_lost_the_right_to_drive_a_run_writes_nothing_more(
    place: Place, opened: Open, postgres_server: Any
) -> None:
    gate = Gate("join")
    first, second = await opened(ToyEngine(gate)), await opened()
    run_id = await first.submit({}, title="t")
    await gate.reached.wait()
    await _cut(first, postgres_server)
    await second.resume(run_id)
    assert (await texts(second, run_id))[-1] == OUTCOME
    before = second.store.journal.events(run_id)
    gate.open.set()
    await first.stop(run_id)
    assert await first.status(run_id) == "done"
    assert second.store.journal.events(run_id) == before


async def test_a_run_is_not_begun_by_who_lost_the_right_to_it_on_the_way(
    place: Place, opened: Open, postgres_server: Any
) -> None:
    reached, read = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    class Slow(ToyEngine):
        def start(self, spec: Any) -> Any:
            loop.call_soon_threadsafe(reached.set)
            assert read.wait(60)
            return super().start(spec)

    app, slow, other = await opened(), await opened(Slow()), await opened()
    app.store.runs.add(RunRow("r", 0.0, "t", {}, scripted=False, owner="", holder="", stage="queued"))
    late, quick = RunWorker(slow, 2), RunWorker(other, 1)
    beginning = asyncio.create_task(late.take_over("r"))
    await reached.wait()
    await _cut(slow, postgres_server)
    assert await slow.row("r"), "it has another session now"
    assert not await late.take_over("r"), "nor does it begin a second time what it is about to begin"
    await quick.drive("r")
    read.set()
    with pytest.raises(StoreError):
        await beginning
    assert slow.store.runs.drives("r") == 1
    assert await app.status("r") == "done"


async def test_a_run_is_not_begun_again_where_a_drive_that_lost_it_has_not_ended(
    place: Place, opened: Open, postgres_server: Any
) -> None:
    gate = Gate("join")
    engine = ToyEngine(gate)
    runs = await opened(engine)
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    await _cut(runs, postgres_server)
    assert await runs.row(run_id), "it has another session now"
    with pytest.raises(RunBusy):
        await runs.resume(run_id)
    assert len(engine.specs) == 1
    gate.open.set()
    assert (await texts(runs, run_id))[-1].startswith("StoreError: the database ")
    await ends_well(runs, run_id)


async def test_a_process_that_is_halted_loses_its_runs_to_others(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("framework.storage.database.postgres.FROZEN_MS", 50)
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
    monkeypatch.setattr("framework.storage.database.postgres.FROZEN_MS", 60_000)
    assert next_one.try_take()
    next_one.release()
    assert other.database.execute("SHOW idle_session_timeout") == [("0",)], "who drives nothing may be silent"


async def test_a_server_that_is_away_is_one_line(place: Place) -> None:
    gone = Place(place.directory, "postgresql://nobody:hunter2@127.0.0.1:1/none")
    with pytest.raises(StoreError, match=r"^the database cannot be used: ") as caught:
        gone.store()
    assert "\n" not in str(caught.value)
    assert "hunter2" not in str(caught.value)


@contextmanager
def _impatient(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    with monkeypatch.context() as short:
        short.setattr("framework.storage.database.postgres.SILENT_S", 0.5)
        short.setattr("framework.storage.database.postgres._SECONDS_TO_CONNECT", 2)
        yield


@contextmanager
def _halted(server: Server, monkeypatch: pytest.MonkeyPatch, *stores: Store) -> Generator[None]:
    """The server takes connections and words, and answers nothing, for which nobody here waits long."""
    pids = [server.pid, *(store.database.connection.info.backend_pid for store in stores)]  # type: ignore[attr-defined]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        with _impatient(monkeypatch):
            yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


async def test_a_server_that_is_halted_ends_the_run_in_one_line_and_nothing_is_told_twice(
    place: Place, opened: Open, postgres_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, silent = Gate("join"), r"^the database cannot be used: the server has not answered for 0.5 s$"
    runs, other = await opened(ToyEngine(gate)), place.store()
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    with _halted(postgres_server, monkeypatch, runs.store, other):
        with pytest.raises(StoreBusy, match=silent):
            other.runs.get(run_id)
        gate.open.set()
        await runs.driver.ended(run_id)
        with pytest.raises(StoreError, match=r"^the database cannot be used: .*$"):
            await runs.status(run_id)
    while not await past_outage(partial(asyncio.to_thread, other.lease(run_id).is_free)):  # noqa: ASYNC110 - the server's end is no event
        # What was sent to the halted server is done when it goes on, and only then it ends the session.
        await asyncio.sleep(0.01)
    await past_outage(partial(runs.status, run_id))
    await ends_well(runs, run_id)
    other.close()


def _batch(store: Store, *statements: str) -> Callable[[], Any]:
    """Stores an event in one batch with other statements; what gives its answer."""
    sql, values = store.journal.appending("r", "i", "k", "{}", 1.0)
    with store.database.transaction(unread=True):
        answer = store.database.send(sql, **values)
        for statement in statements:
            store.database.send(statement)
    return answer


@pytest.fixture
def store(place: Place) -> Generator[Store]:
    store = place.store()
    store.runs.add(RunRow("r", 1.0, "t", {}, False, "", ""))
    yield store
    store.close()


def test_a_batch_that_is_given_up_is_not_stored_later(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its statements is answered in time, all together are not."""
    mine = {"pid": store.database.connection.info.backend_pid}  # type: ignore[attr-defined]
    with _impatient(monkeypatch), pytest.raises(StoreBusy, match="has not answered"):
        _batch(store, *["SELECT pg_sleep(0.2)"] * 3)
    while store.database.execute("SELECT 1 FROM pg_stat_activity WHERE pid = :pid", **mine):
        time.sleep(0.01)  # what was sent is done to its end, which is no event here
    assert store.journal.events("r") == []


def _goes_silent(store: Store, monkeypatch: pytest.MonkeyPatch, *, told: bool) -> None:
    """The session ends with the next COMMIT, of which the server was told or not."""
    connection: Any = store.database.connection  # type: ignore[attr-defined]
    execute = connection.execute

    def silent(sql: str, *values: Any) -> Any:
        if sql != "COMMIT":
            return execute(sql, *values)
        if told:
            execute(sql, *values)
            connection._pipeline.sync()
        connection.pgconn.finish()
        raise importlib.import_module("psycopg").OperationalError("the server has not answered")

    monkeypatch.setattr(connection, "execute", silent)


_REFUSED = "DO 'BEGIN RAISE insufficient_privilege; END'"


@pytest.mark.parametrize("cut_off", [CUT_OFF, _REFUSED])
def test_of_a_batch_whose_end_is_not_told_it_is_asked_whether_it_is_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch, cut_off: str
) -> None:
    monkeypatch.setattr("framework.storage.database.postgres.CUT_OFF", cut_off)
    lease = store.lease("r")
    assert lease.try_take()
    _goes_silent(store, monkeypatch, told=True)
    assert _batch(store)() == [(0,)]
    assert [one.seq for one in store.journal.events("r")] == [0]
    assert lease.is_lost()


@pytest.mark.parametrize("word", ["CUT_OFF", "HOW_IT_ENDED"])
def test_a_batch_of_which_the_server_refuses_to_tell_fails_with_its_own_error(
    store: Store, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setattr(f"framework.storage.database.postgres.{word}", _REFUSED)
    _goes_silent(store, monkeypatch, told=False)
    with pytest.raises(StoreError, match=r"^the database cannot be used: the server has not answered$"):
        _batch(store)
    assert store.journal.events("r") == []


@pytest.mark.parametrize("in_time", [True, False])
def test_a_batch_that_cannot_be_cut_off_is_asked_for_again_for_a_while(
    store: Store, monkeypatch: pytest.MonkeyPatch, in_time: bool
) -> None:
    store.database.execute("CREATE SEQUENCE asked")
    if in_time:
        late = HOW_IT_ENDED.replace("SELECT", "SELECT CASE WHEN nextval('asked') < 3 THEN 'in progress' ELSE") + "END"
    else:
        late = "SELECT 'in progress'"
        monkeypatch.setattr("framework.storage.database.postgres._MS_TO_END", 0)
    monkeypatch.setattr("framework.storage.database.postgres.HOW_IT_ENDED", late)
    _goes_silent(store, monkeypatch, told=True)
    if in_time:
        assert _batch(store)() == [(0,)]
    else:
        with pytest.raises(StoreError, match="the server has not answered"):
            _batch(store)


def test_a_batch_that_is_still_being_stored_when_it_is_given_up_is_cut_off(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for statement in (
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END'",
        "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION slow()",
    ):
        store.database.execute(statement)
    with _impatient(monkeypatch), pytest.raises(StoreBusy, match="has not answered"):
        _batch(store)
    assert store.journal.events("r") == []
    assert store.database.execute("SELECT 1 FROM pg_stat_activity WHERE query = 'COMMIT' AND state = 'active'") == []


def test_tables_are_made_and_upgraded_without_haste_and_nothing_else_is(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[tuple[bool, Any]] = []

    def noting(connection: Any) -> None:
        limits.append((connection.hurried, connection.execute("SHOW statement_timeout").fetchone()))

    monkeypatch.setattr("framework.storage.checkpoints.postgres.make_tables", noting)
    database: Any = place.store().database
    noting(database.connection)
    assert limits == [(False, ("0",)), (True, ("15s",))]
    database.close()
