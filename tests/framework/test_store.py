"""The state directory: journal, paid work, artifacts, runs, leases, and what goes wrong with it."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from framework.errors import StoreBroken, StoreError
from framework.secret import kept_key
from framework.storage.database.base import HEAD, Rows
from framework.storage.journal import written
from framework.storage.records import MAX_BLOB_BYTES, MAX_RUN_BYTES, RunRow
from framework.storage.store import Store

from .places import Place
from .processes import open_and_close, processes, start, told
from .steps import Open, texts


def append(store: Store, run_id: str, identity: str, data: dict[str, str]) -> Rows:
    """The event's number, unless the run has that identity already."""
    sql, values = store.journal.appending(run_id, identity, "k", written(data), time.time())
    return store.database.execute(sql, **values)


def row(run_id: str, created: float = 1.0, title: str = "t", owner: str = "") -> RunRow:
    return RunRow(run_id, created, title, {"a": [1]}, False, owner, "")


async def test_an_event_is_stored_once_under_its_identity(place: Place) -> None:
    store = place.store()
    for run_id in ("r", "other"):
        store.runs.add(row(run_id))
    before = time.time()
    assert [append(store, "r", i, {"n": i}) for i in ("a", "b", "a", "c")] == [[(0,)], [(1,)], [], [(2,)]]
    assert append(store, "other", "a", {}) == [(0,)]
    events = store.journal.events("r")
    assert [(event.seq, event.kind, event.data) for event in events] == [
        (0, "k", {"n": "a"}),
        (1, "k", {"n": "b"}),
        (2, "k", {"n": "c"}),
    ]
    assert before <= events[0].ts <= events[2].ts <= time.time()
    assert [event.seq for event in store.journal.events("r", after=0, limit=1)] == [1]
    store.close()


async def test_what_was_stored_is_there_after_a_restart(tmp_path: Path, place: Place) -> None:
    store = Place(tmp_path / "deep" / "state", place.url).store()
    store.runs.add(row("r"))
    append(store, "r", "i", {"text": "ä\u2028"})
    store.memo.remember("r", "key", {"reply": "ä"})
    store.blobs.save("r", "plot.png", "image/png", b"\x00\xff")
    store.close()
    store = Place(tmp_path / "deep" / "state", place.url).store()
    assert store.runs.get("r") == row("r")
    assert store.journal.events("r")[0].data == {"text": "ä\u2028"}
    assert store.memo.recall("r", "key") == {"reply": "ä"}
    assert store.blobs.load("r", "plot.png") == ("image/png", b"\x00\xff")
    store.close()


async def test_the_first_value_that_is_remembered_stays(place: Place) -> None:
    store = place.store()
    store.runs.add(row("r"))
    assert store.memo.recall("r", "key") is None
    assert store.memo.remember("r", "key", 1)
    assert not store.memo.remember("r", "key", 2)
    assert store.memo.recall("r", "key") == 1
    store.close()


async def test_artifacts_are_listed_replaced_and_bounded(place: Place) -> None:
    store = place.store()
    store.runs.add(row("r"))
    for data in (b"old", b"newer"):
        store.blobs.save("r", "a.txt", "text/plain", data)
    assert [(blob.name, blob.mime, blob.size) for blob in store.blobs.list("r")] == [("a.txt", "text/plain", 5)]
    assert store.blobs.load("r", "none") is None
    with pytest.raises(StoreError, match=r"'big' has \d+ bytes; the limit is"):
        store.blobs.save("r", "big", "x/y", bytes(MAX_BLOB_BYTES + 1))
    for number in range(MAX_RUN_BYTES // MAX_BLOB_BYTES - 1):
        store.blobs.save("r", f"full{number}", "x/y", bytes(MAX_BLOB_BYTES))
    with pytest.raises(StoreError, match="would exceed"):
        store.blobs.save("r", "last", "x/y", bytes(MAX_BLOB_BYTES))
    store.close()


async def test_a_search_reads_over_hyphens_and_the_like(place: Place) -> None:
    store = place.store()
    titles = (
        "Implement K-means clustering",
        "kmeans_plot with centroids",
        "The person's IQ; 100% {of} it",
        "K or means",
    )
    for number, title in enumerate(titles):
        store.runs.add(row(f"r-{number}", float(number), title, "me"))

    def found(query: str) -> list[str]:
        return [each.run_id for each in store.runs.list(query=query)]

    assert found("kmeans") == found("K-Means") == found("K\u2019means") == ["r-1", "r-0"]
    assert found("kmeans centroids") == ["r-1"]
    assert found("persons") == found("person's {of}") == ["r-2"]
    assert found("r-3") == ["r-3"]
    assert found("kmeans persons") == []
    assert found("-") == found(" ") == found(""), "nothing is looked for"
    store.close()


async def test_runs_are_found_newest_first_by_word_and_owner(place: Place) -> None:
    store = place.store()
    for number, (title, owner) in enumerate([("Sort a list", "me"), ("100% sorted_", "you"), ("Plot", "me")]):
        store.runs.add(row(f"r{number}", float(number), title, owner))
    assert [found.run_id for found in store.runs.list()] == ["r2", "r1", "r0"]
    assert [found.run_id for found in store.runs.list(query="SORT")] == ["r1", "r0"]
    assert [found.run_id for found in store.runs.list(query="%")] == ["r1"]
    assert [found.run_id for found in store.runs.list(query="list sort")] == ["r0"]
    assert [found.run_id for found in store.runs.list(owner="me", limit=1)] == ["r2"]
    assert store.runs.beyond("me", 1) == ["r0"]
    store.close()


async def test_a_deleted_run_leaves_nothing(place: Place) -> None:
    store = place.store()
    store.runs.add(row("r"))
    append(store, "r", "i", {})
    store.memo.remember("r", "key", 1)
    store.blobs.save("r", "a", "x/y", b"1")
    store.delete_run("r")
    assert (store.runs.get("r"), store.journal.events("r"), store.memo.recall("r", "key")) == (None, [], None)
    assert store.blobs.list("r") == []
    store.close()


async def test_a_lease_has_one_holder(place: Place) -> None:
    store = place.store()
    first, second = store.lease("r"), store.lease("r")
    assert second.is_free()
    assert await first.take()
    assert not second.is_free()
    assert not await second.take(patience=0.05)
    first.release()
    assert await second.take()
    second.release()
    store.close()


async def test_a_look_at_a_lease_is_one_statement_at_most(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    store = place.store()
    assert store.lease("r").is_free()
    execute = Mock(wraps=store.database.execute)
    monkeypatch.setattr(store.database, "execute", execute)
    assert store.lease("r").is_free()
    assert execute.call_count <= 1
    store.close()


async def test_a_probed_lease_can_be_taken_all_the_same(place: Place) -> None:
    store = place.store()
    probe, lease = store.lease("r"), store.lease("r")
    assert await probe.take()
    asyncio.get_running_loop().call_later(0.05, probe.release)
    assert await lease.take()
    lease.release()
    store.close()


async def test_an_unusable_state_directory_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for directory in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/state")):
        with pytest.raises(StoreError, match=r"the state directory .* cannot be used: ") as caught:
            Store.open(directory)
        assert "\n" not in str(caught.value)


async def test_a_corrupt_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match=r"the state file .*journal.sqlite cannot be used: file is not a database"):
        Store.open(tmp_path)


async def test_a_database_that_is_broken_is_told_at_once_to_whoever_watches(
    opened: Open, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place.url:
        pytest.skip("SQLite's way of being broken")
    monkeypatch.setattr("framework.follow._AWAY_S", 3600.0)
    runs = await opened()
    run_id = await runs.submit({}, title="t")
    await texts(runs, run_id)
    runs.store.database.execute("PRAGMA writable_schema = ON")
    runs.store.database.execute("UPDATE sqlite_schema SET rootpage = 1000000 WHERE name = 'events'")
    runs.store.database.execute("PRAGMA writable_schema = RESET")
    with pytest.raises(StoreBroken, match=r"cannot be used: malformed .*; .* bring back a copy or move it away$"):
        [item async for item in runs.follow(run_id)]


async def test_what_a_newer_version_made_is_refused(place: Place) -> None:
    store = place.store()
    store.database.execute("UPDATE alembic_version SET version_num = '9999'")
    store.close()
    with pytest.raises(StoreError, match=rf"was written by a newer version \(schema 9999, this one reads {HEAD}\)"):
        place.store()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_read_only_directory_is_one_line(tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o500)
    with pytest.raises(StoreError, match="cannot be used"):
        Store.open(tmp_path)


@pytest.mark.slow
async def test_many_processes_may_open_a_fresh_store_at_once(place: Place) -> None:
    here, there = processes.Pipe()
    children = [start(open_and_close, place, there) for _ in range(4)]
    results = [await asyncio.to_thread(told, here) for _ in children]
    for child in children:
        child.join(10)
    assert results == [True] * 4


def test_a_kept_key_survives_restarts_and_is_private(tmp_path: Path) -> None:
    first = kept_key(tmp_path / "state", "browser")
    assert kept_key(tmp_path / "state", "browser") == first != kept_key(tmp_path / "state", "other")
    assert len(first.reveal()) == 43
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "state").iterdir()] == [0o600, 0o600]
    (tmp_path / "state" / "browser.key").write_text("")
    with pytest.raises(StoreError, match="is damaged"):
        kept_key(tmp_path / "state", "browser")


async def test_what_runs_keep_is_found_and_forgotten_by_owner_and_goes_with_its_run(place: Place) -> None:
    store = place.store()
    for number, (run_id, owner) in enumerate([("a1", "ann"), ("a2", "ann"), ("b1", "bob")]):
        store.runs.add(row(run_id, float(number), owner=owner))
        store.memo.remember(run_id, "memory", [run_id])
        store.memo.remember(run_id, "other", [])
    assert store.memo.of_owner("ann", "memory") == [("a2", 1.0, ["a2"]), ("a1", 0.0, ["a1"])]
    assert store.memo.of_owner("ann", "memory", 1) == [("a2", 1.0, ["a2"])]
    assert [run_id for run_id, *_ in store.memo.of_owner(None, "memory")] == ["b1", "a2", "a1"]
    assert store.memo.forget("ann", "memory", "b1") == 0
    assert store.memo.forget("ann", "memory", "a1") == 1
    store.delete_run("a2")
    assert store.memo.of_owner("ann", "memory") == []
    assert store.memo.forget(None, "memory") == 1
    assert [store.memo.recall(run_id, "other") for run_id in ("a1", "b1")] == [[], []]
    store.close()
