"""Runs the solution's coroutines, a slice of time at each request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from .report import TRAIL


class Loop:
    """One event loop for everything that the tests await."""

    def __init__(
        self, exports: dict[int, Any], release: Callable[[list[int]], None], drop: Callable[[int], object]
    ) -> None:
        """`drop`: tells the tests' loop that nobody awaits what it runs under that number any more."""
        self._exports = exports
        self._drop = drop
        self._release = release
        self._loop = asyncio.new_event_loop()
        self._tasks: dict[int, asyncio.Future[Any]] = {}
        self._given: dict[int, asyncio.Future[Any]] = {}

    def given(self, number: int) -> Any:
        """Returns an awaitable for what the tests' loop runs under that number."""
        future = self._given[number] = self._loop.create_future()
        return self._awaiting(number, future)

    async def _awaiting(self, number: int, future: asyncio.Future[Any]) -> Any:
        try:
            return await future
        except asyncio.CancelledError:
            if number not in self._given:
                raise  # so it came to its end there
            # Cancelled here, it is cancelled there, and has the last word, as within one loop.
            self._given[number] = self._loop.create_future()
            self._drop(number)
            return await self._given[number]

    def spin(self, numbers: list[int], seconds: float, outcomes: list[Any]) -> list[Any]:
        """Run until one has ended or the time is over; [number, raised, value] of those that ended. `outcomes`: the
        same of what the tests' loop has run."""
        for number, raised, value in outcomes:
            future = self._given.pop(number, None)
            if future is not None and not future.done():
                (future.set_exception if raised else future.set_result)(value)
        return self._loop.run_until_complete(self._until_one(numbers, seconds))

    async def _until_one(self, numbers: list[int], seconds: float) -> list[Any]:
        for number in numbers:
            if number not in self._tasks:
                self._tasks[number] = asyncio.ensure_future(_outcome(self._exports[number]))
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        ended = [number for number, task in self._tasks.items() if task.done()]
        told: list[Any] = []
        for number in ended:
            task = self._tasks.pop(number)
            told.append([number, *([True, asyncio.CancelledError()] if task.cancelled() else task.result())])
        self._release(ended)
        return told

    def cancel(self, number: int) -> None:
        """The tests no longer await this one; it hears of it in the next slice."""
        task = self._tasks.get(number)
        if task is not None:
            task.cancel()


async def _outcome(awaitable: Any) -> list[Any]:
    try:
        return [False, await awaitable]
    except Exception as problem:  # noqa: BLE001 - what the coroutine raises is its answer
        problem.__dict__.pop(TRAIL, None)
        return [True, problem]
