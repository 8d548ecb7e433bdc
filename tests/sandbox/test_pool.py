"""Which worker a run gets, and what becomes of the worker afterwards; no process is started here."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio

from sandbox import SandboxBroken, pool
from sandbox.backends import load
from sandbox.launch import Place
from sandbox.pool import RECYCLE_AFTER, WorkerPool

pytestmark = pytest.mark.asyncio


class Worker:
    """A worker that is only there."""

    started: list[Worker]

    def __init__(self, place: Place, flavour: str) -> None:
        self.place, self.flavour = place, flavour
        self.alive, self.runs, self.pid = True, 0, 1000 + len(self.started)
        self.stopped = self.cancelled = self.awaited = 0
        self.obeys, self.walls = True, ()
        self.clean = asyncio.Event()
        self.clean.set()
        self.started.append(self)

    @classmethod
    async def start(cls, _backend: Any, place: Place, flavour: str, walls: Any) -> Worker:
        os.makedirs(place.root)
        made = cls(place, flavour)
        made.walls = walls
        return made

    @property
    def tidy(self) -> bool:
        return self.clean.is_set()

    async def until_tidy(self) -> None:
        self.awaited += 1
        await self.clean.wait()

    async def cancel(self) -> bool:
        self.cancelled += 1
        return self.obeys

    async def stop(self) -> None:
        self.stopped += 1
        self.alive = False


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    """Every worker that was started so far."""
    Worker.started = []
    monkeypatch.setattr(pool, "Link", Worker)
    return Worker.started


@pytest_asyncio.fixture
async def workers(started: list[Worker]) -> AsyncGenerator[WorkerPool]:
    assert not started
    opened = WorkerPool(load("bare"), 2)
    yield opened
    await opened.close()


async def used(workers: WorkerPool, *kind: Any) -> Any:
    """The worker that a run gets, which ends well."""
    async with workers.worker(*kind) as worker:
        return worker


def is_there(folder: str) -> bool:
    return os.path.exists(folder)


async def settled(workers: WorkerPool) -> None:
    """Waits until nothing is left to do besides runs."""
    while workers._chores:  # pyright: ignore[reportPrivateUsage]
        await asyncio.gather(*workers._chores)  # pyright: ignore[reportPrivateUsage]
        await asyncio.sleep(0)


async def test_a_worker_serves_runs_of_its_kind_only(workers: WorkerPool, started: list[Worker]) -> None:
    first = await used(workers, "bare")
    assert await used(workers, "bare") is first
    others = [await used(workers, *kind) for kind in (("bare", (), 1), ("bare", ("/p",), 0), ("data",))]
    assert len({id(worker) for worker in (first, *others)}) == 4
    assert (others[0].place.seed, others[1].place.paths, others[2].flavour) == (1, ("/p",), "data")
    assert len({worker.place.root for worker in started}) == len(started)
    assert sorted(workers.pids()) == [worker.pid for worker in started]


async def test_the_last_worker_of_a_kind_gets_a_companion_once_and_one_for_data_none(
    workers: WorkerPool, started: list[Worker]
) -> None:
    for kind, expected in (("bare", 2), ("data", 3)):
        for _ in range(4):
            await used(workers, kind)
            await settled(workers)
        assert len(started) == expected


async def test_no_more_runs_than_the_pool_allows_go_on_at_a_time(workers: WorkerPool) -> None:
    async with workers.worker("bare"), workers.worker("bare"):
        third = asyncio.ensure_future(used(workers, "bare"))
        await asyncio.sleep(0)
        assert not third.done()
    assert (await third).alive


@pytest.mark.parametrize("how", ["old", "dead", "young"])
async def test_a_worker_that_is_old_or_dead_serves_no_other_run(
    workers: WorkerPool, started: list[Worker], how: str
) -> None:
    async with workers.worker("data") as one:
        worker: Any = one
        worker.runs = RECYCLE_AFTER - (how == "young")
        worker.alive = how != "dead"
    await settled(workers)
    assert (worker.stopped, is_there(worker.place.root)) == ((0, True) if how == "young" else (1, False))
    assert (await used(workers, "data") is worker) == (how == "young")
    assert sorted(workers.pids()) == [each.pid for each in started if each.alive]


async def test_a_worker_that_died_while_it_waited_is_replaced(workers: WorkerPool) -> None:
    worker: Any = await used(workers, "data")
    worker.alive = False
    assert await used(workers, "data") is not worker
    assert (worker.stopped, is_there(worker.place.root)) == (1, False)


async def test_a_worker_that_has_much_to_remove_waits_with_it_for_the_next_run(workers: WorkerPool) -> None:
    async with workers.worker("data") as one:
        worker: Any = one
        worker.clean.clear()
    other = await used(workers, "data")
    assert other is not worker
    worker.clean.set()
    await settled(workers)
    assert worker.awaited == 1
    assert {await used(workers, "data"), await used(workers, "data")} == {worker, other}


@pytest.mark.parametrize("obeys", [True, False])
async def test_a_run_that_is_cancelled_costs_its_worker_only_if_that_does_not_end_it(
    workers: WorkerPool, obeys: bool
) -> None:
    lent: asyncio.Queue[Any] = asyncio.Queue()

    async def runs() -> None:
        async with workers.worker("data") as worker:
            await lent.put(worker)
            await asyncio.Event().wait()

    task = asyncio.ensure_future(runs())
    worker = await lent.get()
    worker.obeys = obeys
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await settled(workers)
    assert (worker.cancelled, worker.stopped) == (1, int(not obeys))
    assert (await used(workers, "data") is worker) == obeys


async def test_a_worker_that_broke_is_ended(workers: WorkerPool) -> None:
    lent: list[Any] = []

    async def runs() -> None:
        async with workers.worker("data") as worker:
            lent.append(worker)
            raise SandboxBroken("it died")

    with pytest.raises(SandboxBroken, match="it died"):
        await runs()
    await settled(workers)
    assert lent[0].stopped == 1


async def test_only_kinds_without_a_worker_are_warmed(workers: WorkerPool, started: list[Worker]) -> None:
    first = await used(workers, "bare")
    await workers.warm([("bare", 0), ("bare", 1), ("data", 0)])
    assert [(worker.flavour, worker.place.seed) for worker in started] == [("bare", 0), ("bare", 1), ("data", 0)]
    assert await used(workers, "bare") is first
    assert await used(workers, "bare", (), 1) is started[1]


@pytest.mark.parametrize(("given", "walls"), [(None, load("walled").WALLS), (("seccomp",), ("seccomp",))])
async def test_workers_have_all_walls_of_their_backend_or_those_that_are_named(
    started: list[Worker], given: tuple[str, ...] | None, walls: tuple[str, ...]
) -> None:
    opened = WorkerPool(load("walled"), 1, given)
    await used(opened, "bare")
    await opened.close()
    assert (started[0].walls, bool(walls)) == (walls, True)


async def test_what_every_test_is_run_with_must_be_there(workers: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(_: Any) -> list[str]:
        return ["pytest", "coverage"]

    monkeypatch.setattr(pool, "lacking", lacking)
    with pytest.raises(SandboxBroken, match="not installed: pytest, coverage"):
        await used(workers, "pytest")
    assert (await used(workers, "bare")).alive


async def test_a_closed_pool_leaves_no_worker_and_no_folder(workers: WorkerPool, started: list[Worker]) -> None:
    async with workers.worker("bare") as one:
        worker: Any = one
        await workers.close()
        assert (worker.stopped, is_there(workers.home)) == (1, False)
    await settled(workers)
    assert workers.pids() == []
    with pytest.raises(SandboxBroken, match="the sandbox is closed"):
        await used(workers, "bare")
    assert len(started) == 1


async def test_a_closed_pool_has_nothing_left_to_do(workers: WorkerPool) -> None:
    async with workers.worker("data") as one:
        worker: Any = one
        worker.clean.clear()
    await workers.close()
    assert not workers._chores  # pyright: ignore[reportPrivateUsage]
    assert worker.stopped == 1


async def test_a_worker_that_comes_up_while_the_pool_closes_is_ended(
    workers: WorkerPool, started: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    up = asyncio.Event()

    async def start(_backend: Any, place: Place, flavour: str, _walls: Any) -> Worker:
        await up.wait()
        return Worker(place, flavour)

    monkeypatch.setattr(Worker, "start", start)
    run = asyncio.ensure_future(used(workers, "bare"))
    await asyncio.sleep(0)
    await workers.close()
    up.set()
    with pytest.raises(SandboxBroken, match="the sandbox is closed"):
        await run
    assert [worker.stopped for worker in started] == [1]
