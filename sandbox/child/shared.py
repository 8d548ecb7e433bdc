"""Containers that both processes hold: a change on one side reaches the other with the next message."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from operator import is_
from sys import getrefcount
from typing import Any, Protocol, cast

from . import arrays

_MOST = 2000
_KINDS: dict[type, str] = {
    list: "l",
    dict: "d",
    set: "s",
    bytearray: "b",
    deque: "q",
    defaultdict: "D",
    Counter: "C",
    OrderedDict: "O",
}
TRACKED = frozenset(_KINDS)
_MAKERS: dict[str, Callable[[], Any]] = {
    "l": list,
    "d": dict,
    "s": set,
    "b": bytearray,
    "q": deque,
    "D": defaultdict,
    "C": Counter,
    "O": OrderedDict,
}
Code = Callable[[Any], Any]


class Encoder(Protocol):
    """Turns values into JSON."""

    def encode(self, value: Any) -> Any: ...

    def encoded(self, items: Any) -> list[Any]: ...


def body(value: Any, encoder: Encoder) -> Any:
    """The content of a container in JSON."""
    kind = _KINDS.get(cast(type[Any], type(value)), "n")
    if kind == "n":
        return encoder.encode(value.tobytes())
    if kind in "dDCO":
        return [encoder.encoded(value), encoder.encoded(value.values())]
    if kind == "b":
        return value.hex()
    return encoder.encoded(value)


def fill(value: Any, content: Any, decode: Code) -> None:
    """Give a container this content, in place. Raises what malformed content raises."""
    if isinstance(value, dict):
        keys, items = content
        fresh = dict(zip([decode(key) for key in keys], [decode(item) for item in items], strict=True))
        keyed = cast(dict[Any, Any], value)
        keyed.clear()
        keyed.update(fresh)
    elif type(value) is bytearray:
        value[:] = bytes.fromhex(content)
    elif type(value) not in TRACKED:
        arrays.fill(value, decode(content))
    else:
        fresh_items = [decode(item) for item in content]
        value.clear()
        (value.update if type(value) is set else value.extend)(fresh_items)


def _extra(value: Any) -> Any:
    """What besides its content makes the container."""
    if type(value) is deque:
        return value.maxlen  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if type(value) not in TRACKED:
        return [value.dtype.str, list(value.shape)]
    return value.default_factory if type(value) is defaultdict else None


def make(kind: str, extra: Any) -> Any:
    """An empty container. Raises KeyError for an unknown kind."""
    if kind == "n":
        return arrays.empty(extra)
    if kind == "q":
        return deque[Any](maxlen=extra)
    return defaultdict[Any, Any](extra) if kind == "D" else _MAKERS[kind]()


def parts(value: Any) -> tuple[str, Any]:
    """Kind and extra of an array, or a container whose exact type is in TRACKED."""
    return _KINDS.get(cast(type[Any], type(value)), "n"), _extra(value)


def _changed(value: Any, before: Any) -> bool:
    if type(value) not in TRACKED:
        return arrays.differ(value, before)
    if len(value) != len(before):
        return True
    if type(value) is bytearray:
        return value != before
    if isinstance(value, dict):
        keyed = cast(dict[Any, Any], value)
        return not (all(map(is_, keyed, before)) and all(map(is_, keyed.values(), before.values())))
    return not all(map(is_, value, before))


class Shared:
    """The containers known to both sides, by number; `first` is 0 on one side and 1 on the other."""

    def __init__(self, first: int) -> None:
        self.next_number = first
        self._known: dict[int, list[Any]] = {}
        """Number -> container, its shallow copy when it last crossed."""
        self._numbers: dict[int, int] = {}

    @property
    def busy(self) -> bool:
        return bool(self._known)

    def number(self, value: Any) -> int | None:
        """The number of a known container."""
        return self._numbers.get(id(value))

    def add(self, value: Any) -> int | None:
        """Track a container of this side; None where too many are tracked already."""
        if len(self._known) >= _MOST:
            return None
        number = self.next_number
        self.next_number += 2
        self.accept(number, value)
        return number

    def accept(self, number: int, value: Any) -> None:
        """Track a container under the other side's number, or anew after its content was set."""
        self._known[number] = [value, value.copy()]
        self._numbers[id(value)] = number

    def get(self, number: int) -> Any:
        return self._known[number][0]

    def settle(self, number: int) -> None:
        """Remember the content as it is now as known to both sides."""
        entry = self._known[number]
        entry[1] = entry[0].copy()

    def updates(self, encoder: Encoder) -> list[Any]:
        """[number, content] of each container that changed since it last crossed."""
        told: list[Any] = []
        for number, entry in list(self._known.items()):
            value, before = entry
            if _changed(value, before):
                entry[1] = value.copy()
                told.append([number, body(value, encoder)])
        return told

    def apply(self, updates: list[Any], decode: Code) -> None:
        """Take over the other side's updates. Raises KeyError and what malformed content raises."""
        for number, content in updates:
            fill(self._known[number][0], content, decode)
            self.settle(number)

    def drop_unused(self) -> list[int]:
        """Forget what nobody else on this side refers to any more, and give its numbers."""
        dropped: list[int] = []
        for number in list(self._known):
            entry = self._known[number]
            if getrefcount(entry[0]) <= 2:
                self.forget(number)
                dropped.append(number)
        return dropped

    def forget_from(self, number: int) -> None:
        """Forget what this side tracked from that number on: the other side never heard of it."""
        while self.next_number > number:
            self.next_number -= 2
            self.forget(self.next_number)

    def forget(self, number: int) -> None:
        entry = self._known.pop(number, None)
        if entry is not None:
            self._numbers.pop(id(entry[0]), None)
