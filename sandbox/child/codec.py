"""What crosses between the processes: exact builtin values as data, everything else through hooks."""

from __future__ import annotations

import base64
from collections.abc import Callable
from sys import getrefcount
from typing import Any

from .shared import TRACKED, Shared, body, fill, make, parts
from .values import READERS, WRITERS

_SIMPLE = frozenset((type(None), bool, float, str))
_WIDE = 1 << 2000


class Unreadable(Exception):
    """Data that no honest side sends."""


class CannotCross(TypeError):
    """A value of the tests that the other process must not or cannot hold."""


class Codec:
    """Turns values into JSON and back; containers that this side still holds are shared, others are copied."""

    def __init__(self, shared: Shared, foreign: Callable[[Any], Any], hooks: dict[str, Callable[[Any], Any]]) -> None:
        self.shared = shared
        self._foreign = foreign
        self._readers: dict[str, Callable[[Any], Any]] = {
            "t": lambda items: tuple(self.decoded(items)),
            "F": lambda items: frozenset(self.decoded(items)),
            "B": base64.b64decode,
            "i": lambda digits: int(digits, 16),
            "=": self._read_shared,
            "-": self._read_copied,
            "@": shared.get,
            **{tag: self._with_parts(reader) for tag, reader in READERS.items()},
            **hooks,
        }

    def _with_parts(self, reader: Callable[[list[Any]], Any]) -> Callable[[Any], Any]:
        return lambda items: reader(self.decoded(items))

    def encode(self, value: Any) -> Any:
        """JSON for one value. Raises RecursionError for too deep a nesting, and what the hook for the rest raises."""
        kind = type(value)
        if kind in _SIMPLE:
            return value
        if kind is int:
            return value if -_WIDE < value < _WIDE else {"i": hex(value)}
        if kind in TRACKED:
            number = self.shared.number(value)
            if number is not None:
                return {"@": number}
            if getrefcount(value) > _FRESH:
                return self._write_shared(value)
            return self.encoded(value) if kind is list else {"-": [*parts_json(self, value), body(value, self.encode)]}
        if kind is tuple:
            return {"t": self.encoded(value)}
        if kind is frozenset:
            return {"F": [self.encode(item) for item in value]}
        if kind is bytes:
            return {"B": base64.b64encode(value).decode("ascii")}
        writer = WRITERS.get(kind)
        if writer is not None:
            tag, pieces = writer(value)
            return {tag: [self.encode(piece) for piece in pieces]}
        return self._foreign(value)

    def encoded(self, items: Any) -> list[Any]:
        """JSON for each item of a list or tuple."""
        kinds = set(map(type, items))
        if kinds <= _SIMPLE or (kinds == _INTEGERS and min(items) > -_WIDE and max(items) < _WIDE):
            return list(items)
        return [self.encode(item) for item in items]

    def _write_shared(self, value: Any) -> Any:
        number = self.shared.add(value)
        head = parts_json(self, value)
        if number is None:
            return {"-": [*head, body(value, self.encode)]}
        return {"=": [number, *head, body(value, self.encode)]}

    def decode(self, data: Any) -> Any:
        """Raises Unreadable, KeyError, TypeError, ValueError or RecursionError for what is no encoding."""
        kind = type(data)
        if kind is list:
            return self.decoded(data)
        if kind is dict:
            ((tag, content),) = data.items()
            return self._readers[tag](content)
        return data

    def decoded(self, items: list[Any]) -> list[Any]:
        """The values of a JSON list."""
        kinds = set(map(type, items))
        if list in kinds or dict in kinds:
            return [self.decode(item) for item in items]
        return items

    def _read_shared(self, content: Any) -> Any:
        number, kind, extra, inner = content
        value = make(kind, self.decode(extra))
        self.shared.accept(number, value)
        fill(value, inner, self.decode)
        self.shared.settle(number)
        return value

    def _read_copied(self, content: Any) -> Any:
        kind, extra, inner = content
        value = make(kind, self.decode(extra))
        fill(value, inner, self.decode)
        return value


def parts_json(codec: Codec, value: Any) -> list[Any]:
    """Kind and extra of a container in JSON."""
    kind, extra = parts(value)
    return [kind, codec.encode(extra)]


_INTEGERS = {int}
_FRESH = 0


def _calibrate() -> int:
    """How many references a list has, seen from `encode`, that only the list around it holds."""
    seen: list[int] = []

    class Probe(Codec):
        def encode(self, value: Any) -> Any:
            seen.append(getrefcount(value))

    Probe(Shared(0), lambda _: None, {}).encoded([[]])
    return seen[0]


_FRESH = _calibrate()
