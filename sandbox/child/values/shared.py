"""Keeps containers that both processes hold alike: a change on one side reaches the other with the next message."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection
from operator import is_
from sys import getrefcount
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from . import arrays, tables

if TYPE_CHECKING:
    from .codec import ValueCodec

_MOST = 2000
"""The most containers that are tracked, because each message compares the content of all of them."""
_MANY = 100
"""With this many tracked containers, empty ones that may stay empty are no longer tracked."""
_LETTERS: dict[Any, str] = {
    list: "l",
    dict: "d",
    set: "s",
    bytearray: "b",
    deque: "q",
    defaultdict: "D",
    Counter: "C",
    OrderedDict: "O",
    SimpleNamespace: "N",
}
TRACKED = frozenset(_LETTERS)
_BASES = {letter: base for base, letter in _LETTERS.items()}


def base_of(kind: type) -> Any:
    """Returns the container type that a class is or derives from, or for an array or table the module that packs it as
    one value; None for any other class."""
    if kind in TRACKED:
        return kind
    if arrays.is_array(kind) or tables.is_table(kind):
        return arrays if arrays.is_array(kind) else tables
    return next((base for base in kind.__mro__ if base in TRACKED), None)


class SharedContainers:
    """The containers known to both sides, by number. `first` is 0 on one side and 1 on the other, so that the sides
    never give the same number."""

    def __init__(self, first: int, look_at: Callable[[dict[Any, Any]], None] = lambda _: None) -> None:
        self.next_number = first
        self.look_at = look_at
        """Hears what an object of the other side holds by name or key."""
        self.codes: ValueCodec
        self._known: dict[int, list[Any]] = {}
        """Number -> [container, its base, what it held when it last crossed]."""
        self._numbers: dict[int, int] = {}
        self._telling: list[tuple[list[Any], Any]] = []
        """Entries of containers with their content in the message that is being composed."""
        self.made = 0
        """How many containers were built for the other side's messages."""

    @property
    def busy(self) -> bool:
        return bool(self._known)

    @property
    def is_roomy(self) -> bool:
        """Whether there is room for containers that are empty and may stay so; each message has to look at all known
        ones."""
        return len(self._known) < _MANY

    def number(self, value: Any) -> int | None:
        """Returns the number of a known container, else None."""
        return self._numbers.get(id(value))

    def add(self, value: Any) -> int | None:
        """Tracks a container of this side and returns its number; None if too many are tracked already."""
        if len(self._known) >= _MOST:
            return None
        number = self.next_number
        self.next_number += 2
        self._accept(number, value, base_of(cast(type[Any], type(value))))
        return number

    def keep(self, value: Any, number: int | None = None) -> int | None:
        """Gives a number to an object whose content crosses with it, so that it is one object on both sides. `number`
        is the other side's, if that has one. Returns None if too many are known already."""
        if len(self._known) >= _MOST:
            return None
        if number is None:
            number = self.next_number
            self.next_number += 2
        self._known[number] = [value, None, None]
        self._numbers[id(value)] = number
        return number

    def known(self, number: Any) -> Any:
        """Returns the object of that number; None if there is none."""
        return self._known[number][0] if number in self._known else None

    def _accept(self, number: int, value: Any, base: Any) -> None:
        self._known[number] = [value, base, self._held(value, base)]
        self._numbers[id(value)] = number

    def head(self, value: Any) -> list[Any]:
        """Returns what builds the container on the other side: [kind, what else makes it, content]."""
        base = base_of(cast(type[Any], type(value)))
        if base not in TRACKED:
            letter, fixed = ("n", arrays.is_fixed(value)) if base is arrays else ("p", False)
            return [letter, fixed, self.codes.encode(base.pack(value))]
        extra = value.maxlen if base is deque else value.default_factory if base is defaultdict else None
        return [_LETTERS[base], self.codes.encode(extra), self._told(self._held(value, base), base)]

    def build(self, number: int | None, head: list[Any], cls: Any) -> Any:
        """Builds a container from its head, tracked under the other side's number. Raises what malformed heads
        raise."""
        letter, extra, content = head[:3]
        self.made += 1
        base: Any = {"n": arrays, "p": tables}.get(letter) or _BASES[letter]
        if base in TRACKED:
            value = base.__new__(cls or base)
            if base is deque:
                base.__init__(value, (), self.codes.decode(extra))
            elif base is defaultdict:
                base.__init__(value, self.codes.decode(extra))
        else:
            value = base.unpack(self.codes.decode(content))
            if extra:
                arrays.fix(value)
        if number is not None:
            self._accept(number, value, base)
        if base in TRACKED:
            self._fill(value, base, content)
        if number is not None:
            self._settle(number)
        return value

    def get(self, number: int) -> Any:
        return self._known[number][0]

    def _settle(self, number: int) -> None:
        """Stores the present content as the one that both sides know."""
        entry = self._known[number]
        entry[2] = self._held(entry[0], entry[1])

    def updates(self) -> list[Any]:
        """Returns [number, content] of each container that changed since it last crossed."""
        told: list[Any] = []
        self._telling = []
        for number, entry in list(self._known.items()):
            value, base, before = entry
            if base is not None and not self._is_held(value, base, before):
                held = self._held(value, base)
                told.append([number, self._told(held, base)])
                self._telling.append((entry, held))
        return told

    def sent(self, dropped: Collection[int]) -> None:
        """Records that the other side has been told the updates and what was dropped."""
        for entry, held in self._telling:
            entry[2] = held
        self._telling = []
        for number in dropped:
            self.forget(number)

    def apply(self, updates: list[Any]) -> None:
        """Takes over the other side's updates. Raises KeyError and what malformed content raises."""
        for number, content in updates:
            value, base, _ = self._known[number]
            self._fill(value, base, content)
            self._settle(number)

    def unused(self) -> list[int]:
        """Returns the numbers of containers that nothing else on this side refers to."""
        return [number for number, entry in self._known.items() if getrefcount(entry[0]) <= 2]

    def forget_from(self, number: int) -> None:
        """Forgets what this side has tracked from that number on, of which the other side never heard."""
        while self.next_number > number:
            self.next_number -= 2
            self.forget(self.next_number)

    def forget(self, number: int) -> None:
        entry = self._known.pop(number, None)
        if entry is not None:
            self._numbers.pop(id(entry[0]), None)

    def _held(self, value: Any, base: Any) -> Any:
        """Returns the present content: the items, or keys and values; the bytes of an array; the JSON of a table."""
        if base in TRACKED:
            return [list(part) for part in _parts(*_content(value, base))]
        return base.pack(value) if base is arrays else self.codes.encode(base.pack(value))

    def _is_held(self, value: Any, base: Any, before: Any) -> bool:
        """Returns whether the content is still what it was before."""
        if base not in TRACKED:
            return self._held(value, base) == before
        content, kind = _content(value, base)
        if kind.__len__(content) != len(before[0]):
            return False
        return not before[0] or all(
            all(map(is_, now, then)) for now, then in zip(_parts(content, kind), before, strict=True)
        )

    def _told(self, held: Any, base: Any) -> Any:
        """Returns a container's content in JSON."""
        if base in TRACKED:
            return [self.codes.encoded(part) for part in held]
        return self.codes.encode(held) if base is arrays else held

    def _fill(self, value: Any, base: Any, content: Any) -> None:
        """Gives a container this content, in place, without calling methods of its subclass. Raises what malformed
        content raises."""
        if base not in TRACKED:
            base.fill(value, self.codes.decode(content))
            return
        parts = [[self.codes.decode(item) for item in part] for part in content]
        value, base = _content(value, base)
        if issubclass(base, dict):
            mapping: Any = OrderedDict if base is OrderedDict else dict
            fresh = dict(zip(*parts, strict=True))
            self.look_at(fresh)
            mapping.clear(value)
            for key, item in fresh.items():
                mapping.__setitem__(value, key, item)
        else:
            base.clear(value)
            (base.update if base is set else base.extend)(value, parts[0])


def _content(value: Any, base: Any) -> tuple[Any, Any]:
    """Returns the builtin container behind a value, and its type."""
    return (value.__dict__, cast(Any, dict)) if base is SimpleNamespace else (value, base)


def _parts(value: Any, base: Any) -> list[Any]:
    """Returns iterators over the items, or over keys and values. They call no method of a subclass, which could
    misreport its content."""
    if not issubclass(base, dict):
        return [base.__iter__(value)]
    mapping: Any = dict
    if base is not OrderedDict:
        return [mapping.__iter__(value), iter(mapping.values(value))]
    keys: list[Any] = list(cast(Any, base).__iter__(value))
    return [iter(keys), (mapping.__getitem__(value, key) for key in keys)]
