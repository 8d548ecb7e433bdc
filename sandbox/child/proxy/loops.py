"""Joins the event loops of the two processes: `Pump` is the half on the tests' side, `Loop` that on the solution's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from functools import partial
from types import coroutine
from typing import TYPE_CHECKING, Any

from ..objects.raising import is_failure, is_own_failure
from ..reporter import TRAIL
from .swallowing import SWALLOWED

if TYPE_CHECKING:
    from .peer import Peer

_SLICE = 0.005
"""Seconds that the solution's loop runs before the tests' loop gets its turn."""


class Pump:
    """The tests' side. While the tests' loop awaits coroutines of the solution, it lets the solution's loop run, in
    turns with itself; that loop awaits coroutines of the tests in the same way."""

    def __init__(self, peer: Peer, doubt: Callable[[str], None], *, begins_at_once: bool) -> None:
        """With `begins_at_once`, an awaited coroutine takes its first step in the context of whoever awaits it."""
        self._doubt = doubt
        self._peer = peer
        self._failed = False
        """Whether a check of the tests failed in what the solution awaits."""
        self._begins_at_once = begins_at_once
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._lent: dict[int, asyncio.Future[Any]] = {}
        """What the solution's loop awaits of the tests', by numbers of this side."""
        self._last = 0
        self._driver: asyncio.Task[None] | None = None
        self.spins = False
        """Whether the solution's loop runs right now because the tests' loop lets it."""
        self._busy = False
        """Whether the solution's loop has something to do, awaited here or not."""

    def now(self) -> dict[str, Any]:
        """Returns whether the tests ask from within a running loop: what the program begins by a call is then begun in
        its own loop."""
        return {"loop": asyncio._get_running_loop() is not None}  # pyright: ignore

    def hear(self, extras: dict[str, Any]) -> None:
        """Notes whether the solution's loop has something to do."""
        self._busy = bool(extras.get("busy", self._busy))

    def go_on(self) -> None:
        """Lets what the program has begun go on while the tests' loop runs."""
        loop = asyncio._get_running_loop()  # pyright: ignore
        if self._busy and loop is not None:
            self._begin(loop)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._driver is None or self._driver.done() or self._driver.get_loop() is not loop:
            self._driver = loop.create_task(self._drive())

    def runs(self) -> bool:
        """Returns whether the two loops go on together, or will do so once the tests' code waits."""
        return self.spins or asyncio._get_running_loop() is not None  # pyright: ignore

    def lend(self, awaitable: Any) -> int:
        """Begins what the solution will await; returns the number under which the solution hears of the outcome."""
        self._last += 1
        self._lent[self._last] = asyncio.ensure_future(awaitable)
        return self._last

    def drop(self, number: int) -> None:
        """Cancels what was lent under that number: the solution no longer awaits it."""
        if number in self._lent:
            self._lent[number].cancel()

    def task(self, number: int) -> Any:
        """Returns what stands for a task or future of the program: a task of this loop if one runs, else
        a coroutine."""
        return self.wait(number) if asyncio._get_running_loop() is None else _TaskThere(self, number)  # pyright: ignore

    async def wait(self, number: int) -> Any:
        """Returns the value of the solution's awaitable of that number, or raises what it raises. Where whoever awaits
        it is cancelled, it hears of that, and decides how it ends, as within one loop."""
        future = self._expect(number)
        if self._begins_at_once:
            self._spin([number], 0.0, self._outcomes())
        while True:
            try:
                return await future
            except asyncio.CancelledError:
                if number not in self._waiting:
                    raise  # it has ended in the solution's loop
                future = self._expect(number)
                ends = self._driver is not None and self._driver.cancelling()
                if not ends:  # else the tests' loop ends, which the driver tells
                    self.cancel(number)

    def _expect(self, number: int) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        future = self._waiting[number] = loop.create_future()
        self._begin(loop)
        return future

    def cancel(self, number: int) -> None:
        """Cancels the solution's awaitable of that number, and lets it hear of that."""
        self._peer.call({"op": "cancel"}, (number,), {})
        self._spin([number], 0.0, self._outcomes())

    async def _drive(self) -> None:
        try:
            while self._waiting or self._busy:
                if self._waiting:
                    await _turn()
                self._spin(list(self._waiting), _slice(), self._outcomes())
                if not self._waiting:
                    await _turn()
        except asyncio.CancelledError:  # the tests' loop ends, and with it all that was begun in it
            self._settle(self._peer.call({"op": "finish"}, ([*self._waiting],), {}))
            raise
        except Exception as problem:  # noqa: BLE001 - whoever waits must hear of it, whatever it is
            for future in self._waiting.values():
                future.set_exception(problem)
            self._waiting.clear()

    def _spin(self, numbers: list[int], seconds: float, outcomes: list[Any]) -> None:
        """Lets the solution's loop run, and tells whoever waits here what has ended there."""
        self.spins = True
        try:
            ended = self._peer.call({"op": "spin"}, (numbers, seconds, outcomes), {})
        finally:
            self.spins = False
        self._settle(ended)

    def _outcomes(self) -> list[Any]:
        """Returns [number, raised, value] for each lent awaitable that has ended."""
        ended = {number: task for number, task in self._lent.items() if task.done()}
        self._lent = {number: task for number, task in self._lent.items() if number not in ended}
        outcomes: list[Any] = [[number, *_outcome(task)] for number, task in ended.items()]
        self._failed = self._failed or any(raised and is_own_failure(value) for _, raised, value in outcomes)
        return outcomes

    def _settle(self, ended: list[Any]) -> None:
        for number, raised, value in ended:
            if self._failed and not (raised and is_failure(value)):
                self._doubt(SWALLOWED)
            future = self._waiting.pop(number, None)
            if future is None or future.done():
                continue
            if not raised:
                future.set_result(value)
            elif isinstance(value, StopIteration):
                future.set_exception(RuntimeError("coroutine raised StopIteration"))
            else:
                future.set_exception(value)


class _TaskThere(asyncio.Task[Any]):
    """Stands for a task of the program. Unlike one of the tests' own, it has begun when it is cancelled."""

    def __init__(self, pump: Pump, number: int) -> None:
        self._coroutine = pump.wait(number)
        super().__init__(self._coroutine)
        self._cancel_there = partial(pump.cancel, number)

    def cancel(self, msg: Any | None = None) -> bool:
        if self._coroutine.cr_frame is None or self._coroutine.cr_suspended:
            return super().cancel(msg)
        self._cancel_there()
        return True


@coroutine
def _turn() -> Generator[None, None, None]:
    """Lets the loop do everything else first, even if the tests have replaced `asyncio.sleep`."""
    yield


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
    """Returns the value of an awaitable, run to its end at once, even inside a running loop."""
    outer = asyncio._get_running_loop()  # pyright: ignore
    asyncio._set_running_loop(None)  # pyright: ignore
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(awaitable)
    finally:
        loop.close()
        asyncio._set_running_loop(outer)  # pyright: ignore


class Loop:
    """The solution's side: one event loop for everything of the solution that the tests await."""

    def __init__(
        self, exports: dict[int, Any], release: Callable[[list[int]], None], drop: Callable[[int], object]
    ) -> None:
        """`drop` tells the tests' loop that the awaitable it runs under that number is no longer awaited."""
        self._exports = exports
        self._drop = drop
        self._release = release
        self._loop = asyncio.new_event_loop()
        self._tasks: dict[int, asyncio.Future[Any]] = {}
        self._given: dict[int, asyncio.Future[Any]] = {}

    def now(self) -> dict[str, Any]:
        """Returns whether there is something to do here."""
        loop: Any = self._loop
        return {"busy": bool(loop._ready or loop._scheduled or asyncio.all_tasks(loop))}

    def within(self, call: Callable[[], Any]) -> Any:
        """Returns what the call gives. The tests make it from within a running loop, so one runs here, too."""
        if asyncio._get_running_loop() is not None:  # pyright: ignore
            return call()
        asyncio._set_running_loop(self._loop)  # pyright: ignore
        try:
            return call()
        finally:
            asyncio._set_running_loop(None)  # pyright: ignore

    def finish(self, numbers: list[int]) -> list[Any]:
        """Cancels what is left when the tests' loop has ended, and waits until it has come to its end. Returns [number,
        raised, value] of `numbers` and of what ended; what has not begun by then never does."""
        given, self._given = self._given, {}
        left = asyncio.all_tasks(self._loop)
        for task in [*given.values(), *left]:
            task.cancel()
        if left:
            self._loop.run_until_complete(asyncio.wait(left))
        return [
            *([number, True, asyncio.CancelledError()] for number in numbers if number not in self._tasks),
            *self._ended(),
        ]

    def given(self, number: int) -> Any:
        """Returns an awaitable for what the tests' loop runs under that number."""
        future = self._given[number] = self._loop.create_future()
        return self._awaiting(number, future)

    async def _awaiting(self, number: int, future: asyncio.Future[Any]) -> Any:
        try:
            return await future
        except asyncio.CancelledError:
            if number not in self._given:
                raise  # it has ended in the tests' loop
            # If it is cancelled here, it is cancelled there too, and decides how it ends, as within one loop.
            self._given[number] = self._loop.create_future()
            self._drop(number)
            return await self._given[number]

    def spin(self, numbers: list[int], seconds: float, outcomes: list[Any]) -> list[Any]:
        """Runs until one of `numbers` has ended or the time is over. Returns [number, raised, value] of those that
        ended. `outcomes` holds the same for what the tests' loop has run."""
        for number, raised, value in outcomes:
            future = self._given.pop(number, None)
            if future is not None and not future.done():
                (future.set_exception if raised else future.set_result)(value)
        return self._loop.run_until_complete(self._until_one(numbers, seconds))

    async def _until_one(self, numbers: list[int], seconds: float) -> list[Any]:
        for number in numbers:
            if number not in self._tasks:
                self._begin(number)
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        elif seconds:
            await asyncio.wait([self._loop.create_future()], timeout=seconds)
        return self._ended()

    def _ended(self) -> list[Any]:
        ended = [number for number, task in self._tasks.items() if task.done()]
        told: list[Any] = []
        for number in ended:
            task = self._tasks.pop(number)
            told.append([number, *([True, asyncio.CancelledError()] if task.cancelled() else task.result())])
        # What stands for a task there lives on when it has ended.
        self._release([number for number in ended if not isinstance(self._exports.get(number), asyncio.Future)])
        return told

    def _begin(self, number: int) -> asyncio.Future[Any]:
        task = self._tasks[number] = self._loop.create_task(_awaited_outcome(self._exports[number]))
        return task

    def cancel(self, number: int) -> None:
        """Cancels an awaitable that the tests no longer await; it hears of it in the next slice. One that has not begun
        takes its first step before, as it would have when it was awaited."""
        if number in self._tasks:
            self._tasks[number].cancel()
        else:
            self._loop.call_soon(self._begin(number).cancel)


async def _awaited_outcome(awaitable: Any) -> list[Any]:
    try:
        return [False, await awaitable]
    except Exception as problem:  # noqa: BLE001 - what the coroutine raises is its answer
        problem.__dict__.pop(TRAIL, None)
        return [True, problem]
