"""Watching a run: its journal replayed, then followed live, without touching the run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable

from .bus import EventBus
from .engine import E, Engine, Envelope, Live
from .port import Published
from .store import Store

_POLL = 0.15
"""Seconds between looks at the journal of a run that another process drives."""


async def follow(
    run_id: str,
    after: int,
    *,
    store: Store,
    bus: EventBus[Published[E]],
    engine: Engine[E],
    is_live: Callable[[str], Awaitable[bool]],
) -> AsyncGenerator[Envelope[E] | Live[E]]:
    """Events with seq > after in order and without gaps, live ones between them; ends when no more can come."""
    with bus.subscribe(run_id) as inbox:
        while True:
            more = await is_live(run_id)
            for entry in await store.do(store.journal.events, run_id, after):
                more, after = True, entry.seq
                yield Envelope(run_id, entry.seq, entry.ts, entry.kind, engine.decode(entry.kind, entry.data))
            if not more:
                return
            while (item := await inbox.get(_POLL)) is not None:
                if isinstance(item, Live):
                    yield item
                elif item.seq == after + 1:
                    after = item.seq
                    yield item
                elif item.seq > after:
                    # The inbox overflowed, or another process wrote: the journal closes the gap.
                    break
