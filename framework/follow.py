"""Follows a run for its viewers: replays the journal, then gives live events, without touching the run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

from .drive import Driver
from .engine import E, Engine, Envelope, Live
from .errors import StoreBroken, StoreError
from .storage.store import Store

_POLL, _SELDOM, _LEAST_OFTEN = 0.15, 1.2, 5.0
"""The seconds between two looks at the journal. _POLL is for a run of which this process hears nothing. _SELDOM is for
a run whose news the bus brings, in case some were lost; the wait doubles up to _LEAST_OFTEN while the looks find
nothing. Each look is three statements, so the looks of many viewers keep a database busy."""
_AWAY_S, _TRIES = 0.5, 1200
"""The seconds between two tries while the database is away, and the number of tries (ten minutes in all)."""
T = TypeVar("T")


async def events_after(
    run_id: str,
    after: int,
    *,
    store: Store,
    driver: Driver[E],
    engine: Engine[E],
    is_live: Callable[[str], Awaitable[bool]],
) -> AsyncGenerator[Envelope[E] | Live[E]]:
    """Yields the events with seq > `after` in order and without gaps, live ones between them. It ends when no more can
    come. Raises UnknownRun, StoreError."""
    bus = driver.bus
    with bus.subscribe(run_id) as inbox:
        seldom = _SELDOM
        while True:
            live, more = await is_live(run_id), await store.do(store.journal.events, run_id, after)
            seldom = _SELDOM if more else min(2 * seldom, _LEAST_OFTEN)
            for entry in more:
                after = entry.seq
                yield Envelope(run_id, entry.seq, entry.ts, entry.kind, engine.decode(entry.kind, entry.data))
            if not (live or more):
                return
            # A run that nobody drives may have gone on while its events were yielded, so this looks again at once.
            patience = (seldom if bus.is_fed or run_id in driver else _POLL) if live else 0
            while (item := await inbox.get(patience)) is not None:
                if isinstance(item, Live):
                    yield item
                elif item.seq == after + 1:
                    after = item.seq
                    yield item
                elif item.seq > after:
                    # The inbox overflowed, or another process wrote: the next look at the journal closes the gap.
                    break


async def past_outages(tell: Callable[[int], AsyncGenerator[T]], after: int = -1) -> AsyncGenerator[T]:
    """Yields what `tell(after)` yields, and calls `tell` again from the last event on while the database is away, so
    that no viewer is sent away for that. Raises StoreError if the outage lasts or the store is broken, and what else
    `tell` raises."""
    left = _TRIES
    while True:
        try:
            async with aclosing(tell(after)) as items:
                async for item in items:
                    if isinstance(item, Envelope):
                        after, left = item.seq, _TRIES
                    yield item
            return
        except StoreError as error:
            left -= 1
            if left < 0 or isinstance(error, StoreBroken):
                raise
            await asyncio.sleep(_AWAY_S)


async def past_outage(ask: Callable[[], Awaitable[T]]) -> T:
    """Returns what `ask` answers, and asks again while the database is away. Raises StoreError if the outage lasts."""

    async def once(_: int) -> AsyncGenerator[T]:
        yield await ask()

    async with aclosing(past_outages(once)) as answers:
        return await anext(answers)
