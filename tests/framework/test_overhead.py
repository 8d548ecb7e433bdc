"""What the manager adds to a graph, as a ratio within one run."""

from __future__ import annotations

import time
import uuid

import pytest

from framework.engine import Live
from framework.store import Store

from .places import Place
from .toy import Happened, ToyContext, ToyEngine, ToyState, no_step, reply

ROUNDS = 15


class _Mute:
    """A port to nowhere."""

    run_id = "bare"
    driven_before = 0.0

    def emit(self, event: Happened, identity: str) -> None: ...
    def emit_live(self, event: Happened) -> None: ...
    def recall(self, key: str) -> None: ...
    def remember(self, key: str, value: object) -> None: ...
    def record(self, key: str, value: object) -> None: ...
    async def save_blob(self, name: str, mime: str, data: bytes) -> None: ...
    async def settled(self) -> None: ...


async def _bare(place: Place, run_id: str) -> float:
    """Seconds of the same graph with the same checkpoints, without journal, memo, viewer and lease."""
    store = place.store()
    graph = ToyEngine().compile(store.checkpointer)
    context = ToyContext(_Mute(), no_step, lambda: None, reply)
    start = time.perf_counter()
    config = {"configurable": {"thread_id": run_id}, "recursion_limit": 100}
    await graph.ainvoke(ToyState(rounds=ROUNDS), config, context=context, durability="sync")
    seconds = time.perf_counter() - start
    store.close()
    return seconds


async def _managed(place: Place) -> float:
    """Seconds of a run with a viewer."""
    engine = ToyEngine()
    engine.recursion_limit = 100
    runs = await place.runs(engine)
    start = time.perf_counter()
    run_id = await runs.submit({"rounds": ROUNDS}, title="t")
    seen = [item async for item in runs.tail(run_id) if not isinstance(item, Live)]
    seconds = time.perf_counter() - start
    await runs.aclose()
    assert len(seen) == ROUNDS * 12 + 4
    return seconds


@pytest.mark.slow
async def test_journal_memo_and_viewer_cost_little_beside_the_durable_graph(place: Place) -> None:
    pairs = [(await _bare(place.part(f"b{n}"), f"b{n}"), await _managed(place.part(f"m{n}"))) for n in range(5)]
    steps = ROUNDS * 3 + 2
    bare, managed = (min(seconds) / steps * 1000 for seconds in zip(*pairs, strict=True))
    # Some twice as much on PostgreSQL, where each event is a transaction over the wire.
    bar = 3 if place.url else 2
    assert managed < bar * bare, f"{managed:.2f} ms a super-step instead of {bare:.2f}"


@pytest.mark.slow
async def test_appending_does_not_get_slower_as_the_journal_grows(place: Place) -> None:
    """A long journal and a short one in turns, so that both see the same machine."""
    runs = await place.runs(ToyEngine())
    long, short = [await runs.submit({}, title="t") for _ in range(2)]
    _appending(runs.store, long, 5000)
    pairs = [(_appending(runs.store, long, 100), _appending(runs.store, short, 100)) for _ in range(10)]
    await runs.aclose()
    grown, fresh = (min(seconds) for seconds in zip(*pairs, strict=True))
    assert grown < 2 * fresh


def _appending(store: Store, run_id: str, count: int) -> float:
    """Seconds that so many events take."""
    start = time.perf_counter()
    for _ in range(count):
        store.journal.append(run_id, uuid.uuid4().hex, "k", {"text": "x" * 500})
    return time.perf_counter() - start
