"""Does several things at a time, but no more than a given number."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def together(
    do: Callable[[Item], Awaitable[Result]], items: Iterable[Item], workers: int, *, in_order: bool = False
) -> AsyncGenerator[Result]:
    """Calls `do` for each item, at most `workers` at a time. Yields each result as it ends, or in the order of the
    items. An exception of one call ends all of them, and so does closing the generator."""
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
