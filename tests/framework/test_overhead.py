"""What the manager adds to a graph, as a ratio within one run."""

from __future__ import annotations

import time

import pytest

from framework.engine import Live

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
async def test_journal_memo_and_viewer_cost_less_than_the_durable_graph_itself(place: Place) -> None:
    pairs = [(await _bare(place.part(f"b{n}"), f"b{n}"), await _managed(place.part(f"m{n}"))) for n in range(5)]
    steps = ROUNDS * 3 + 2
    bare, managed = (min(seconds) / steps * 1000 for seconds in zip(*pairs, strict=True))
    assert managed < 2 * bare, f"{managed:.2f} ms a super-step instead of {bare:.2f}"


@pytest.mark.slow
async def test_appending_does_not_get_slower_as_the_journal_grows(place: Place) -> None:
    runs = await place.runs(ToyEngine())
    run_id = await runs.submit({}, title="t")
    times: list[float] = []
    for part in range(10):
        start = time.perf_counter()
        for number in range(500):
            runs.store.journal.append(run_id, f"{part}:{number}", "k", {"text": "x" * 500})
        times.append(time.perf_counter() - start)
    await runs.aclose()
    assert min(times[-3:]) < 2 * min(times[:3])
