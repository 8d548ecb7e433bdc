"""Waits for a future that goes on even if its waiter is cancelled."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

T = TypeVar("T")


def shielded(going_on: asyncio.Future[T]) -> asyncio.Future[T]:
    """Returns a future to await, as `asyncio.shield` does. `asyncio.shield` alone would log a later error of `going_on`
    as one that nobody saw if its waiter is cancelled meanwhile."""
    going_on.add_done_callback(_look_at)
    return asyncio.shield(going_on)


def _look_at(ended: asyncio.Future[Any]) -> None:
    if not ended.cancelled():
        ended.exception()
