"""Leaves iterators in their process and draws their items as they are wanted."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .peer import Peer


_ALONE = 32
"""Items that are drawn one by one, because a program may read on only a little."""
_AHEAD_ITEMS = 256
_AHEAD_SECONDS = 0.001
"""Limits of drawing ahead: items, and seconds, after which the items so far are sent."""
MORE, ENDED, RAISED = 0, 1, 2


_MANY: list[Any] = [[], (), {}, set[int](), range(0), "", b""]
_STORED: frozenset[Any] = frozenset(map(type, map(iter, _MANY)))
"""Types of iterators that give what is stored, and do nothing besides."""


class IteratorDrawer:
    """Draws from this side's iterators for the other side: after _ALONE single items, several at a time where nobody
    can notice."""

    def __init__(self, exports: dict[int, Any], acts: Callable[[], bool] | None = None) -> None:
        """`acts` returns whether the other side can notice what was done here since it was called last. Without it,
        only what is stored is drawn ahead."""
        self._exports = exports
        self._acts = acts
        self._drawn: dict[int, int] = {}
        self._acting: set[int] = set()
        """Numbers of iterators that do something else than to give items."""

    def draw(self, number: int, how: str, payload: Any) -> list[Any]:
        """Advances an iterator for the other side. Returns [items, state, what ended it]. `how` is next, send, throw or
        close."""
        iterator = self._exports.get(number, iter(()))
        items: list[Any] = []
        if self._acts is not None:
            self._acts()  # what was done before is not this iterator's doing
        try:
            items.append(_step(iterator, how, payload))
            self._is_acting(number)
            before = self._drawn[number] = self._drawn.get(number, 0) + 1
            until = perf_counter() + _AHEAD_SECONDS
            while before > _ALONE and len(items) < _AHEAD_ITEMS and perf_counter() < until:
                if self._is_acting(number):
                    break
                items.append(next(iterator))
        except StopIteration as end:
            return [items, ENDED, end.value]
        except Exception as problem:  # noqa: BLE001 - what the iterator raises comes after the items before it
            return [items, RAISED, problem]
        return [items, MORE, None]

    def _is_acting(self, number: int) -> bool:
        """Returns whether this iterator may do, or did, what the other side notices."""
        if type(self._exports.get(number)) not in _STORED and (self._acts is None or self._acts()):
            self._acting.add(number)
        return number in self._acting

    def drive(self, number: int, how: str, payload: Any) -> Any:
        """Returns the next step of an async iterator, to be awaited. `how` is asend, athrow or aclose."""
        step = getattr(self._exports[number], how)
        return step() if how == "aclose" else step(payload)


def _step(iterator: Any, how: str, payload: Any) -> Any:
    if how == "next":
        return next(iterator)
    if how == "send":
        return iterator.send(payload)
    if how == "throw":
        return iterator.throw(payload)
    if hasattr(iterator, "close"):
        iterator.close()
    raise StopIteration


_begun: set[int] = set()
"""Number of the generator whose stand-in is being moved to the position of the original."""


def catch_up(stand_in: Any, number: int) -> Any:
    """Returns the stand-in of a generator that has begun, moved to where it waits for what is sent to it."""
    if stand_in.gi_frame is not None and not stand_in.gi_suspended:
        _begun.add(number)
        next(stand_in)
    return stand_in


def drawn(peer: Peer, number: int) -> Generator[Any, Any, Any]:
    """Returns a generator of this process that draws from an iterator of the other one."""
    how, payload = "next", None
    while True:
        drawn_there: Any = [[None], MORE, None] if number in _begun else None
        _begun.discard(number)
        items, state, last = drawn_there or peer.call({"op": "draw"}, (number, how, payload), {})
        how, payload = "next", None
        for item in items:
            try:
                sent = yield item
            except GeneratorExit:
                _close(peer, number)
                raise
            except BaseException as problem:  # noqa: BLE001 - thrown in here, it belongs to the other side
                how, payload = "throw", problem
                break
            if sent is not None:
                how, payload = "send", sent
                break
        else:
            if state == ENDED:
                return last
            if state == RAISED:
                raise last


def _close(peer: Peer, number: int) -> None:
    """Closes an iterator of the other process. Raises what that raises."""
    _, state, last = peer.call({"op": "draw"}, (number, "close", None), {})
    if state == RAISED:
        raise last


async def async_drawn(peer: Peer, number: int) -> AsyncGenerator[Any, Any]:
    """Returns an async generator of this process that draws from one of the other."""
    how, payload = "asend", None
    while True:
        try:
            item = await peer.call({"op": "drive"}, (number, how, payload), {})
        except StopAsyncIteration:
            return
        how, payload = "asend", None
        try:
            payload = yield item
        except GeneratorExit:
            await peer.call({"op": "drive"}, (number, "aclose", None), {})
            raise
        except BaseException as problem:  # noqa: BLE001 - thrown in here, it belongs to the other side
            how, payload = "athrow", problem
