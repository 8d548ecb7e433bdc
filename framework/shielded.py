"""Waiting for what goes on whoever waits for it."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

T = TypeVar("T")


def shielded(going_on: asyncio.Future[T]) -> asyncio.Future[T]:
    """To be awaited as `asyncio.shield`, which forgets what goes on with whoever is cancelled meanwhile: an error in
    which it ends later would be logged as one that was overlooked."""
    going_on.add_done_callback(_look_at)
    return asyncio.shield(going_on)


def _look_at(ended: asyncio.Future[Any]) -> None:
    if not ended.cancelled():
        ended.exception()
