"""Joins the event loops of the two processes."""

from __future__ import annotations

import asyncio
from typing import Any

from .handle import Caller

_SLICE = 0.005
"""Seconds the solution's loop runs before the tests' loop gets its turn."""


class Pump:
    """Lets the solution's coroutines run, all that are awaited at once, while the tests' loop awaits them; and the
    other way round."""

    def __init__(self, peer: Caller) -> None:
        self._peer = peer
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._lent: dict[int, asyncio.Future[Any]] = {}
        """What the solution's loop awaits of the tests', by a number of its own."""
        self._last = 0
        self._driver: asyncio.Task[None] | None = None
        self.spins = False
        """The solution's loop runs right now, and it is the tests' loop that lets it."""

    def lend(self, awaitable: Any) -> int:
        """Begin what the solution will await; the number under which it hears of the outcome."""
        self._last += 1
        self._lent[self._last] = asyncio.ensure_future(awaitable)
        return self._last

    def drop(self, number: int) -> None:
        """The solution no longer awaits what was lent under that number."""
        if number in self._lent:
            self._lent[number].cancel()

    async def wait(self, number: int) -> Any:
        """The value of the solution's awaitable of that number, or what it raises."""
        loop = asyncio.get_running_loop()
        future = self._waiting[number] = loop.create_future()
        if self._driver is None or self._driver.done() or self._driver.get_loop() is not loop:
            self._driver = loop.create_task(self._drive())
        try:
            return await future
        except asyncio.CancelledError:
            if number in self._waiting:
                del self._waiting[number]
                self._peer.call({"op": "cancel"}, (number,), {})
                self._peer.call({"op": "spin"}, ([], 0.0, []), {})
            raise

    async def _drive(self) -> None:
        while self._waiting:
            await asyncio.sleep(0)
            self.spins = True
            try:
                ended = self._peer.call({"op": "spin"}, (list(self._waiting), _slice(), self._outcomes()), {})
            except Exception as problem:  # noqa: BLE001 - whoever waits must hear of it, whatever it is
                for future in self._waiting.values():
                    future.set_exception(problem)
                self._waiting.clear()
                return
            finally:
                self.spins = False
            for number, raised, value in ended:
                self._settle(number, raised, value)

    def _outcomes(self) -> list[Any]:
        """Returns [number, raised, value] for each awaitable that was lent and has ended."""
        ended = {number: task for number, task in self._lent.items() if task.done()}
        self._lent = {number: task for number, task in self._lent.items() if number not in ended}
        return [[number, *_outcome(task)] for number, task in ended.items()]

    def _settle(self, number: int, raised: bool, value: Any) -> None:
        future = self._waiting.pop(number, None)
        if future is None or future.done():
            return
        if not raised:
            future.set_result(value)
        elif isinstance(value, StopIteration):
            future.set_exception(RuntimeError("coroutine raised StopIteration"))
        else:
            future.set_exception(value)


def _outcome(task: asyncio.Future[Any]) -> list[Any]:
    if task.cancelled():
        return [True, asyncio.CancelledError()]
    problem = task.exception()
    return [False, task.result()] if problem is None else [True, problem]


def _slice() -> float:
    """Returns the seconds until this process's own loop has something to do, at most _SLICE."""
    loop: Any = asyncio.get_running_loop()
    if getattr(loop, "_ready", None):
        return 0.0
    timers = getattr(loop, "_scheduled", None)
    return min(_SLICE, max(0.0, timers[0].when() - loop.time())) if timers else _SLICE


def run_here(awaitable: Any) -> Any:
    """The value of an awaitable, run to its end at once, also inside a running loop."""
    outer = asyncio._get_running_loop()  # pyright: ignore
    asyncio._set_running_loop(None)  # pyright: ignore
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(awaitable)
    finally:
        loop.close()
        asyncio._set_running_loop(outer)  # pyright: ignore
