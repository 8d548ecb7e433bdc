"""Containers that both processes hold: a change on one side reaches the other with the next message."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from operator import is_
from sys import getrefcount
from typing import Any, Protocol, cast

from . import arrays

_MOST = 2000
_LETTERS: dict[Any, str] = {
    list: "l",
    dict: "d",
    set: "s",
    bytearray: "b",
    deque: "q",
    defaultdict: "D",
    Counter: "C",
    OrderedDict: "O",
}
TRACKED = frozenset(_LETTERS)
_BASES = {letter: base for base, letter in _LETTERS.items()}
Code = Callable[[Any], Any]


class Encoder(Protocol):
    """Turns values into JSON."""

    def encode(self, value: Any) -> Any: ...

    def encoded(self, items: Any) -> list[Any]: ...


def base_of(kind: type) -> Any:
    """The container type that a class is or derives from; None for any other class, also numpy's array."""
    return kind if kind in TRACKED else next((base for base in kind.__mro__ if base in TRACKED), None)


def _packed(value: Any, base: Any) -> bytes | None:
    """The content of what holds bytes and no objects: a bytearray, or (base None) an array of numpy."""
    return bytes(value) if base is bytearray else arrays.pack(value) if base is None else None


def _parts(value: Any, base: Any) -> list[Any]:
    """Iterators over the items, or over keys and values; they read past whatever a subclass makes of its content."""
    if not issubclass(base, dict):
        return [base.__iter__(value)]
    mapping: Any = dict
    if base is not OrderedDict:
        return [mapping.__iter__(value), iter(mapping.values(value))]
    keys: list[Any] = list(cast(Any, base).__iter__(value))
    return [iter(keys), (mapping.__getitem__(value, key) for key in keys)]


def _held(value: Any, base: Any) -> Any:
    """The content as it is now."""
    packed = _packed(value, base)
    return packed if packed is not None else [list(part) for part in _parts(value, base)]


def _is_held(value: Any, base: Any, before: Any) -> bool:
    """Whether the content is still what it was."""
    packed = _packed(value, base)
    if packed is not None:
        return packed == before
    same_size = base.__len__(value) == len(before[0])
    return same_size and all(all(map(is_, now, then)) for now, then in zip(_parts(value, base), before, strict=True))


def _told(held: Any, encoder: Encoder) -> Any:
    """A content in JSON."""
    return encoder.encode(held) if type(held) is bytes else [encoder.encoded(part) for part in held]


def _fill(value: Any, base: Any, content: Any, decode: Code) -> None:
    """Give a container this content, in place and past its class. Raises what malformed content raises."""
    if base is bytearray:
        value[:] = decode(content)
    elif base is None:
        arrays.fill(value, decode(content))
    elif issubclass(base, dict):
        keys, items = ([decode(item) for item in part] for part in content)
        fresh = dict(zip(keys, items, strict=True))
        mapping: Any = OrderedDict if base is OrderedDict else dict
        mapping.clear(value)
        for key, item in fresh.items():
            mapping.__setitem__(value, key, item)
    else:
        items = [decode(item) for item in content[0]]
        base.clear(value)
        (base.update if base is set else base.extend)(value, items)


def _extra(value: Any, base: Any) -> Any:
    """What besides its content makes the container."""
    if base is deque:
        return value.maxlen
    if base is None:
        return arrays.pack(value)
    return value.default_factory if base is defaultdict else None


class Shared:
    """The containers known to both sides, by number; `first` is 0 on one side and 1 on the other."""

    def __init__(self, first: int) -> None:
        self.next_number = first
        self._known: dict[int, list[Any]] = {}
        """Number -> container, its base, what it held when it last crossed."""
        self._numbers: dict[int, int] = {}
        self.made = 0
        """How many containers of the other side there have been."""

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
        self._accept(number, value, base_of(cast(type[Any], type(value))))
        return number

    def _accept(self, number: int, value: Any, base: Any) -> None:
        self._known[number] = [value, base, _held(value, base)]
        self._numbers[id(value)] = number

    def head(self, value: Any, encoder: Encoder) -> list[Any]:
        """What builds the container on the other side: kind, extra, content."""
        base = base_of(cast(type[Any], type(value)))
        extra = encoder.encode(_extra(value, base))
        return [_LETTERS.get(base, "n"), extra, None if base is None else _told(_held(value, base), encoder)]

    def build(self, number: int | None, head: list[Any], cls: Any, decode: Code) -> Any:
        """A container from its head, tracked under the other side's number. Raises what malformed heads raise."""
        letter, extra, content = head[:3]
        if letter == "n":
            value, base = arrays.unpack(decode(extra)), None
        else:
            base = _BASES[letter]
            value = base.__new__(cls or base)
            if base in (deque, defaultdict):
                base.__init__(value, *([(), decode(extra)] if base is deque else [decode(extra)]))
        self.made += 1
        if number is not None:
            self._accept(number, value, base)
        if base is not None:
            _fill(value, base, content, decode)
        if number is not None:
            self._settle(number)
        return value

    def get(self, number: int) -> Any:
        return self._known[number][0]

    def _settle(self, number: int) -> None:
        """Remember the content as it is now as known to both sides."""
        entry = self._known[number]
        entry[2] = _held(entry[0], entry[1])

    def updates(self, encoder: Encoder) -> list[Any]:
        """[number, content] of each container that changed since it last crossed."""
        told: list[Any] = []
        for number, entry in list(self._known.items()):
            value, base, before = entry
            if not _is_held(value, base, before):
                entry[2] = _held(value, base)
                told.append([number, _told(entry[2], encoder)])
        return told

    def apply(self, updates: list[Any], decode: Code) -> None:
        """Take over the other side's updates. Raises KeyError and what malformed content raises."""
        for number, content in updates:
            value, base, _ = self._known[number]
            _fill(value, base, content, decode)
            self._settle(number)

    def drop_unused(self) -> list[int]:
        """Forget what nobody else on this side refers to any more, and give its numbers."""
        dropped = [number for number, entry in self._known.items() if getrefcount(entry[0]) <= 2]
        for number in dropped:
            self.forget(number)
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
