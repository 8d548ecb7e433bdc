"""What journal, memo and viewer add to a durable graph, as a ratio: `python -m tests.benches.manager [postgresql://...]`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, cast

from framework.engine import Live
from tests.framework.places import Place
from tests.framework.toy import Happened, ToyContext, ToyEngine, ToyState, no_step, reply

ROUNDS = 15
REPEATS = 5
BAR = 2.0


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
    async def pay(self, act: Any) -> Any:
        return await act()

    async def settled(self) -> None: ...


async def _bare(place: Place, run_id: str) -> float:
    """Seconds of the same graph with the same checkpoints, without journal, memo, viewer and lease."""
    store = place.store()
    graph = ToyEngine().compile(store.checkpointer)
    context = ToyContext(cast(Any, _Mute()), no_step, lambda: None, reply)
    config: Any = {"configurable": {"thread_id": run_id}, "recursion_limit": 100}
    start = time.perf_counter()
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
    seen = [item async for item in runs.follow(run_id) if not isinstance(item, Live)]
    seconds = time.perf_counter() - start
    await runs.aclose()
    assert len(seen) == ROUNDS * 12 + 4
    return seconds


async def _measure(place: Place) -> float:
    """How many times as long a managed run takes: the best of some, in turns."""
    pairs = [(await _bare(place.part(f"b{n}"), f"b{n}"), await _managed(place.part(f"m{n}"))) for n in range(REPEATS)]
    bare, managed = (min(seconds) for seconds in zip(*pairs, strict=True))
    steps = ROUNDS * 3 + 2
    print(f"{managed / steps * 1000:.2f} ms a super-step, {bare / steps * 1000:.2f} without: {managed / bare:.2f}x")
    return managed / bare


def main(url: str | None = None) -> int:
    """Returns the exit code: 0 where the ratio keeps within BAR."""
    with tempfile.TemporaryDirectory() as folder:
        return int(asyncio.run(_measure(Place(Path(folder), url))) > BAR)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
