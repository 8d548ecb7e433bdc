"""The solution's side: does whatever the tests' side asks, and knows nothing of the tests."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

from .handle import number_of
from .lazy import Drawer, drawn
from .peer import Peer
from .report import TRAIL
from .wire import Wire

_ON_MODULES: dict[str, Callable[..., Any]] = {"getattr": getattr, "setattr": setattr, "delattr": delattr}


class Host(Peer):
    """Answers calls on the solution."""

    def __init__(self, wire: Wire, files: tuple[str, ...]) -> None:
        super().__init__(wire, 1, files)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: dict[int, asyncio.Future[Any]] = {}
        self.operations: dict[str, Callable[..., Any]] = {
            "draw": Drawer(self.exports).draw,
            "spin": self._spin,
            "cancel": self._cancel,
        }

    def resolve(self, target: Any) -> Callable[..., Any]:
        ((tag, content),) = target.items()
        if tag == "~":
            return self.exports[content]
        if tag == "a":
            return self._method(*content)
        if tag == "s":
            thing = self.exports[content[0]]
            special: Callable[..., Any] = getattr(cast(Any, type(thing)), content[1])
            return lambda *args, **kwargs: special(thing, *args, **kwargs)
        if tag == "g":
            return self.known_global(*content)
        if tag == "module":
            module, doing = importlib.import_module(content[0]), content[1]
            return lambda *args: _ON_MODULES[doing](module, *args)
        if tag == "op":
            return self.operations[content]
        return _attribute(tag, self.exports[content[0]], content[1])

    def _method(self, number: int, name: str, owner: int | None = None) -> Callable[..., Any]:
        thing = self.exports[number]
        if owner is None or type(thing) is self.exports[owner]:
            return getattr(thing, name)
        unbound = getattr(self.exports[owner], name)
        return lambda *args, **kwargs: unbound(thing, *args, **kwargs)

    def read_iterator(self, number: int) -> Iterator[Any]:
        return drawn(self, number)

    def compare(self, name: str, handle: Any, other: Any) -> Any:
        """Comparison with an object of the tests."""
        return self.call({"s": [number_of(handle), name]}, (other,), {})

    def truth(self, handle: Any, own: bool) -> bool:
        return bool(self.call({"g": ["builtins", "bool"]}, (handle,), {})) if own else True

    def subclassed(self, name: str) -> None:
        """A class of the tests may be subclassed by the solution, but its instances stay here."""

    def _spin(self, numbers: list[int], seconds: float) -> list[Any]:
        """Run these awaitables until one has ended or the time is over; [number, raised, value] of those that ended."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(self._until_one(numbers, seconds))

    async def _until_one(self, numbers: list[int], seconds: float) -> list[Any]:
        for number in numbers:
            if number not in self._tasks:
                self._tasks[number] = asyncio.ensure_future(_outcome(self.exports[number]))
        await asyncio.wait(self._tasks.values(), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        ended = [number for number, task in self._tasks.items() if task.done()]
        told: list[Any] = []
        for number in ended:
            task = self._tasks.pop(number)
            told.append([number, *([True, asyncio.CancelledError()] if task.cancelled() else task.result())])
        self.release(ended)
        return told

    def _cancel(self, number: int) -> None:
        task = self._tasks.get(number)
        if task is not None:
            task.cancel()


async def _outcome(awaitable: Any) -> list[Any]:
    try:
        return [False, await awaitable]
    except Exception as problem:  # noqa: BLE001 - what the coroutine raises is its answer
        problem.__dict__.pop(TRAIL, None)
        return [True, problem]


def _attribute(tag: str, thing: Any, name: str) -> Callable[..., Any]:
    if tag == "get":
        return partial(getattr, thing, name)
    if tag == "set":
        return partial(setattr, thing, name)
    if tag == "del":
        return partial(delattr, thing, name)
    raise TypeError(f"no such target: {tag}")
