"""What the manager adds to a graph, counted: statements, and what one of them costs in a long journal.

How long it takes is measured by `make bench-store`.
"""

from __future__ import annotations

import threading
import uuid
from asyncio import CancelledError
from concurrent.futures import Future
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from framework.engine import Live
from framework.errors import StoreBusy, StoreError
from framework.storage.database.base import Database, Rows
from framework.storage.database.sqlite import SqliteDatabase
from framework.storage.records import RunRow
from framework.storage.store import Store

from .places import Place, hold_all_writes
from .steps import Open, texts
from .toy import Happened, ToyContext, ToyEngine


async def test_what_a_run_writes_takes_one_transaction_at_most(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = Mock()
    monkeypatch.setattr(Database, "transaction", _noting(Database.transaction, begun))
    counted: list[int] = []
    for rounds in (5, 15):
        begun.reset_mock()
        runs = await place.part(f"r{rounds}").runs(ToyEngine())
        run_id = await runs.submit({"rounds": rounds}, title="t")
        assert len([item async for item in runs.follow(run_id) if not isinstance(item, Live)]) == rounds * 12 + 4
        await runs.aclose()
        counted.append(begun.call_count)
    # Events and paid calls, a checkpoint of each of three super-steps, and what each of four nodes wrote.
    assert counted[1] - counted[0] <= 10 * (12 + 4 + 3 + 4)


async def test_what_is_written_while_the_store_is_busy_is_stored_at_once(
    place: Place, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, busy = Mock(), threading.Event()

    async def step(context: ToyContext, node: str, _task_id: str) -> None:
        if node == "join":
            await context.port.settled()
            runs.store.submit(busy.wait, 10)
            begun.reset_mock()
            for number in range(5):
                context.port.emit(Happened(f"note {number}"), f"note {number}")
                context.port.remember(f"paid {number}", number)
            busy.set()
            await context.port.settled()
            assert begun.call_count == 1

    runs = await opened(ToyEngine(step))
    monkeypatch.setattr(Database, "transaction", _noting(Database.transaction, begun))
    told = await texts(runs, await runs.submit({}, title="t"))
    assert [text for text in told if text.startswith("note")] == [f"note {number}" for number in range(5)]
    assert told[-1].startswith("reply for plan")


def _driven_here(place: Place, *run_ids: str) -> Store:
    store = place.store()
    for run_id in run_ids:
        store.runs.add(RunRow(run_id, 0.0, "t", {}, False, "", ""))
        assert store.lease(run_id).try_take()
    return store


def _together(store: Store, *run_ids: str) -> list[Future[Rows]]:
    """Has an event of each of these runs stored in one transaction."""
    busy = threading.Event()
    store.submit(busy.wait, 10)
    told: list[Future[Rows]] = []
    for number, run_id in enumerate(run_ids):
        sql, values = store.journal.appending(run_id, str(number), "k", "{}", 0.0)
        told.append(store.write(run_id, partial(store.database.send, sql, **values)))
    busy.set()
    return told


def test_what_many_runs_write_at_once_is_one_transaction_in_which_none_fails_for_another(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, begun = _driven_here(place, "a", "b"), Mock()
    monkeypatch.setattr(Database, "transaction", _noting(Database.transaction, begun))
    assert [one.result(10) for one in _together(store, "a", "b", "a")] == [[(0,)], [(0,)], [(1,)]]
    assert begun.call_count == 1
    first, foreign, second = _together(store, "a", "nobody", "b")
    assert (first.result(10), second.result(10)) == ([], [(1,)]), "an identity is told once"
    with pytest.raises(StoreError, match=r"(?i)foreign key"):
        foreign.result(10)
    assert [len(store.journal.events(run_id)) for run_id in ("a", "b", "nobody")] == [2, 2, 0]
    store.close()


def test_while_another_process_keeps_the_database_all_that_is_to_be_stored_waits_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, begun = _driven_here(place, "a", "b", "c"), Mock()
    store.database.execute("SET lock_timeout = '50ms'" if place.url else "PRAGMA busy_timeout = 50")
    release = hold_all_writes(place)
    monkeypatch.setattr(Database, "transaction", _noting(Database.transaction, begun))
    failures = [one.exception(10) for one in _together(store, "a", "b", "c", "a")]
    release()
    assert [type(failure) for failure in failures] == [StoreBusy] * 4
    assert begun.call_count == 1
    store.close()


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt(), CancelledError()])
def test_whatever_breaks_a_write_off_whoever_waits_for_it_is_told(place: Place, error: BaseException) -> None:
    store = _driven_here(place, "a", "b")

    def broken() -> Any:
        raise error

    waiting = [*_together(store, "b"), store.write("a", broken), *_together(store, "b")]
    failure = waiting[1].exception(10)
    assert isinstance(failure, StoreError)
    assert str(failure) == f"broken off by {type(error).__name__}"
    assert [waiting[0].result(10), waiting[2].result(10)] == [[(0,)], []]
    [after] = _together(store, "a")
    assert after.exception(10) is failure, "nothing is stored behind a gap"
    store.close()


def test_what_comes_after_the_end_is_refused_each_time(place: Place) -> None:
    store = place.store()
    store.close()
    for _ in range(2):
        with pytest.raises(RuntimeError):
            store.write("a", lambda: list)


def _noting(whole: Any, begun: Mock) -> Any:
    def entered(self: Database, **how: Any) -> Any:
        begun()
        return whole(self, **how)

    return entered


@pytest.mark.parametrize("fails", [False, True])
def test_many_statements_and_their_end_are_two_ways_to_postgresql_and_back(
    place: Place, tmp_path: Path, fails: bool
) -> None:
    if place.url is None:
        pytest.skip("SQLite has no server")
    store = place.store()
    store.runs.add(RunRow("r", 0.0, "t", {}, False, "", ""))
    statements = [store.journal.appending("r", str(number), "k", "{}", 0.0) for number in range(3)]
    statements += [store.memo.remembering("nobody" if fails else "r", "key", "1")]
    with (tmp_path / "wire").open("w") as wire:
        server: Any = store.database.connection.pgconn  # type: ignore[attr-defined]
        server.trace(wire.fileno())
        with pytest.raises(StoreError, match="foreign key") if fails else nullcontext():
            with store.database.transaction(unread=True):
                sent = [store.database.send(sql, **values) for sql, values in statements]
            assert [rows() for rows in sent] == [[(0,)], [(1,)], [(2,)], [(1,)]]
        server.untrace()
    assert [one.seq for one in store.journal.events("r")] == ([] if fails else [0, 1, 2])
    # Where it fails, psycopg may see that before the end was sent, and asks for the rollback by itself.
    assert (tmp_path / "wire").read_text().count("\tSync") <= (3 if fails else 2)
    store.close()


def test_appending_does_not_cost_more_as_the_journal_grows(tmp_path: Path) -> None:
    """Counted in steps of SQLite's own machine, which no clock disturbs."""
    store = Store.open(tmp_path)
    store.runs.add(RunRow("r", 0.0, "t", {}, False, "", ""))
    costs = [_steps(store) for _ in range(2000)]
    store.close()
    assert max(costs[-100:]) < 2 * min(costs), (min(costs), max(costs[-100:]))


def _steps(store: Store) -> int:
    """What appending one event costs."""
    assert isinstance(store.database, SqliteDatabase)
    connection, steps = store.database.connection, list[int]()
    connection.set_progress_handler(lambda: steps.append(1), 1)
    sql, values = store.journal.appending("r", uuid.uuid4().hex, "k", "x" * 500, 0.0)
    store.database.execute(sql, **values)
    connection.set_progress_handler(None, 0)
    return len(steps)
