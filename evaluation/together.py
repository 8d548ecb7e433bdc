"""Several things at a time, and no more than so many."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def together(
    do: Callable[[Item], Awaitable[Result]], items: Iterable[Item], workers: int, *, in_order: bool = False
) -> AsyncGenerator[Result]:
    """Does it to each item, at most `workers` at a time, and yields what comes out as each ends, or in the order of the
    items. What one raises ends all; whoever stops listening ends them, too."""
    gate = asyncio.Semaphore(workers)

    async def one(item: Item) -> Result:
        async with gate:
            return await do(item)

    waiting = [asyncio.ensure_future(one(item)) for item in items]
    try:
        for ended in waiting if in_order else asyncio.as_completed(waiting):
            yield await ended
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
