"""A run that is killed anywhere goes on without a doubled event, execution or paid call."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from collections import Counter
from contextlib import aclosing

import pytest

from framework.engine import Envelope
from framework.errors import RunBusy
from framework.runs import Runs

from .places import Place
from .processes import answer, hang, keeping, paying, processes, run_in_child, start, submit, told
from .toy import Happened, ToyEngine

pytestmark = pytest.mark.slow

SPEC = {"rounds": 1, "ask": True}
NODES = ("plan", "branch 1", "branch 2", "join", "review", "finish")
OUTCOME = "reply for plan, reply for branch 1, reply for branch 2, reply for join, review: yes"
EVENTS = sorted([*(f"{node} {what}" for node in NODES for what in ("began", "paid", "ended")), OUTCOME])


async def _events(runs: Runs[Happened], run_id: str) -> list[Happened]:
    return [item.event async for item in runs.follow(run_id) if isinstance(item, Envelope)]


async def _until_noticed(runs: Runs[Happened], run_id: str) -> None:
    """A database server ends the session of a dead process when it next reads from it."""
    while await runs.is_live(run_id):  # noqa: ASYNC110 - another process's end is no event here
        await asyncio.sleep(0.01)


async def _finish(place: Place, run_id: str = "r") -> None:
    """Continues the killed run here and checks that it is what an undisturbed one would be."""
    engine = ToyEngine(pay=paying(place.directory / "calls"), kept=keeping(place.directory / "calls"))
    runs = await place.runs(engine)
    try:
        await _until_noticed(runs, run_id)
        if await runs.status(run_id) in ("stopped", "new"):
            await runs.resume(run_id)
            await _events(runs, run_id)
        if pending := await runs.pending(run_id):
            await runs.answer(run_id, pending.id, {"text": "yes"})
        events = await _events(runs, run_id)
        assert await runs.status(run_id) == "done"
        assert sorted(event.text for event in events) == EVENTS
        assert [entry.seq for entry in runs.store.journal.events(run_id)] == list(range(len(EVENTS)))
    finally:
        await runs.aclose()


def assert_calls(place: Place, file: str = "calls", losses: int = 1) -> None:
    """No call is paid again once its reply is stored; one that was paid a moment before the kill cannot be known.
    `losses`: kills and failures of the database, each of which may keep the word that a reply is stored from us."""
    lines = (place.directory / file).read_text().splitlines()
    assert {line for line in lines if not line.startswith("kept ")} == set(NODES)
    for node in NODES:
        told = [line for line in lines if line in (node, f"kept {node}")]
        paid = told.count(node)
        assert told in ([node] * paid, [*[node] * paid, f"kept {node}"])
        assert paid <= 2
        assert 2 * paid - len(told) <= losses


@pytest.mark.parametrize("tick", [2, 5, 8, 9, 14, 27, 35])
async def test_a_run_killed_at_any_step_ends_as_if_undisturbed(place: Place, tick: int) -> None:
    assert await asyncio.to_thread(run_in_child, submit, place, SPEC, "r", tick) == -signal.SIGKILL
    await _finish(place)
    assert_calls(place)


@pytest.mark.parametrize("tick", [1, 6, 8, 12])
async def test_an_answer_survives_a_kill_and_is_not_asked_for_again(place: Place, tick: int) -> None:
    await asyncio.to_thread(run_in_child, submit, place, SPEC, "r", 0)
    assert await asyncio.to_thread(run_in_child, answer, place, "r", "yes", tick) == -signal.SIGKILL
    runs = await place.runs(ToyEngine())
    await _until_noticed(runs, "r")
    assert (await runs.status("r"), await runs.pending("r")) == ("stopped", None)
    await runs.aclose()
    await _finish(place)
    assert_calls(place)


async def test_a_run_killed_at_every_step_ends_as_if_undisturbed(place: Place) -> None:
    tick = 0
    for tick in itertools.count(1):
        part = place.part(f"before{tick}")
        if await asyncio.to_thread(run_in_child, submit, part, SPEC, f"r{tick}", tick) == 0:
            break
        await _finish(part, f"r{tick}")
        assert_calls(part)
    assert tick > 35


async def test_an_answered_run_killed_at_every_step_ends_as_if_undisturbed(place: Place) -> None:
    tick = 0
    for tick in itertools.count(1):
        part = place.part(f"after{tick}")
        assert await asyncio.to_thread(run_in_child, submit, part, SPEC, f"r{tick}", 0) == 0
        if await asyncio.to_thread(run_in_child, answer, part, f"r{tick}", "yes", tick) == 0:
            break
        await _finish(part, f"r{tick}")
        assert_calls(part)
    assert tick > 15


async def test_a_run_stopped_at_any_step_ends_as_if_undisturbed(place: Place) -> None:
    stops: list[asyncio.Task[bool]] = []
    left = 0

    def tick() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            stops.append(asyncio.create_task(runs.stop(run_id)))

    runs = await place.runs(ToyEngine(tick=tick))
    number = 0
    for number in itertools.count(1):
        left, run_id = number, f"r{number}"
        await runs.submit({}, title="t", run_id=run_id)
        await _events(runs, run_id)
        if left > 0:
            break
        assert await stops[-1]
        # A stop during the last step may find the run finished.
        if await runs.status(run_id) != "done":
            await runs.resume(run_id)
        events = Counter(event.text for event in await _events(runs, run_id))
        assert await runs.status(run_id) == "done"
        assert events.pop("stopped") == 1
        assert sorted(events.elements()) == sorted(set(events))
        assert len(events) == 16
    assert number > 30
    await runs.aclose()


async def test_a_run_whose_process_was_killed_can_be_taken_over_at_once(place: Place) -> None:
    here, there = processes.Pipe()
    child = start(hang, place, "r", "join", there)
    assert await asyncio.to_thread(told, here) == "hanging"
    runs = await place.runs(ToyEngine())
    assert await runs.status("r") == "running"
    assert child.pid
    os.kill(child.pid, signal.SIGKILL)
    child.join(10)
    await _until_noticed(runs, "r")
    assert await runs.status("r") == "stopped"
    await runs.resume("r")
    events = await _events(runs, "r")
    assert Counter(event.text for event in events).most_common(1)[0][1] == 1
    assert await runs.status("r") == "done"
    await runs.aclose()


async def test_a_run_of_another_process_can_be_watched_and_stopped_within_a_second(place: Place) -> None:
    here, there = processes.Pipe()
    child = start(hang, place, "r", "join", there)
    assert await asyncio.to_thread(told, here) == "hanging"
    runs = await place.runs(ToyEngine())
    async with aclosing(runs.follow("r")) as items:
        seen = [(await anext(items)).event.text for _ in range(11)]
        assert (seen[0], seen[-1]) == ("plan began", "join paid")
        with pytest.raises(RunBusy, match=f"is driven by pid {child.pid} on "):
            await runs.resume("r")
        async with asyncio.timeout(1):
            assert await runs.stop("r")
        assert [item.event.text async for item in items] == ["stopped"]
    assert await asyncio.to_thread(told, here) == "stopped"
    child.join(10)
    await runs.aclose()
