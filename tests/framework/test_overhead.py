"""What the manager adds to a graph, counted: statements, and what one of them costs in a long journal.

How long it takes is measured by `make bench-store`.
"""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import Future
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from framework.database.base import Database, Rows
from framework.database.sqlite import SqliteDatabase
from framework.engine import Live
from framework.errors import StoreError
from framework.records import RunRow
from framework.store import Store

from .places import Place
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
        assert len([item async for item in runs.tail(run_id) if not isinstance(item, Live)]) == rounds * 12 + 4
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


def test_what_many_runs_write_at_once_is_one_transaction_in_which_none_fails_for_another(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, begun, busy = place.store(), Mock(), threading.Event()

    def tell(run_id: str, identity: str) -> Future[Rows]:
        sql, values = store.journal.appending(run_id, identity, "k", {}, 0.0)
        return store.write(run_id, partial(store.database.send, sql, **values))

    def together(*run_ids: str) -> list[Future[Rows]]:
        busy.clear()
        store.submit(busy.wait, 10)
        begun.reset_mock()
        told = [tell(run_id, str(number)) for number, run_id in enumerate(run_ids)]
        busy.set()
        return told

    for run_id in ("a", "b"):
        store.runs.add(RunRow(run_id, 0.0, "t", {}, False, "", ""))
        assert store.lease(run_id).try_take()
    monkeypatch.setattr(Database, "transaction", _noting(Database.transaction, begun))
    assert [one.result(10) for one in together("a", "b", "a")] == [[(0,)], [(0,)], [(1,)]]
    assert begun.call_count == 1
    first, foreign, second = together("a", "nobody", "b")
    assert (first.result(10), second.result(10)) == ([], [(1,)]), "an identity is told once"
    with pytest.raises(StoreError, match=r"(?i)foreign key"):
        foreign.result(10)
    assert [len(store.journal.events(run_id)) for run_id in ("a", "b", "nobody")] == [2, 2, 0]
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
def test_many_statements_are_one_way_to_postgresql_and_back(place: Place, tmp_path: Path, fails: bool) -> None:
    if place.url is None:
        pytest.skip("SQLite has no server")
    store = place.store()
    store.runs.add(RunRow("r", 0.0, "t", {}, False, "", ""))
    statements = [store.journal.appending("r", str(number), "k", {}, 0.0) for number in range(3)]
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
    assert (tmp_path / "wire").read_text().count("\tSync") == 1
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
    store.journal.append("r", uuid.uuid4().hex, "k", {"text": "x" * 500})
    connection.set_progress_handler(None, 0)
    return len(steps)
