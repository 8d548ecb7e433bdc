"""Encodes what crosses between the processes: exact builtin values as data, everything else through hooks."""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any, cast

from . import arrays
from .shared import TRACKED, SharedContainers
from .standard import reader_for, writer_for

_SIMPLE = frozenset((type(None), bool, float, str))
_WIDE = 1 << 2000
"""Integers of 2000 bits or more cross in hexadecimal: decimal digits take quadratic time, and Python refuses very long
ones."""
_MANY = 1 << 12
"""Bytes objects of at least this length cross in base64, which takes less room than hexadecimal."""
_INTEGERS = {int}
_fresh = [0]
"""What `getrefcount` counts, seen from `_container`, for a list that only the list around it holds; set by
`_calibrate`."""
Code = Callable[[Any], Any]


class DecodeError(Exception):
    """Raised for data that no honest side sends."""


class CannotCross(TypeError):
    """Raised for a value of the tests that the other process must not or cannot hold."""


class TooLarge(CannotCross):
    """Raised for a value beyond the limits of size or depth."""


class ValueCodec:
    """Turns values into JSON and back. Containers that this side still holds are shared, all others are copied."""

    def __init__(self, shared: SharedContainers, foreign: Code, hooks: dict[str, Code]) -> None:
        self.shared = shared
        shared.codes = self
        self._foreign = foreign
        self.writers: dict[type, Code] = {
            int: _integer,
            tuple: lambda value: {"t": self.encoded(value)},
            bytes: _octets,
            frozenset: lambda value: {"F": [self.encode(item) for item in value]},
            **dict.fromkeys(TRACKED, self._container),
        }
        self._readers: dict[str, Code] = {
            "t": lambda items: tuple(self.decoded(items)),
            "F": lambda items: frozenset(self.decoded(items)),
            "B": bytes.fromhex,
            "b": lambda text: _binascii().a2b_base64(text),
            "i": lambda digits: int(digits, 16),
            "=": lambda content: self._built(content[0], content[1:]),
            "-": lambda content: self._built(None, content),
            "@": shared.get,
            **hooks,
        }

    def _learn_writer(self, kind: type) -> Code:
        known = writer_for(kind)
        if arrays.is_array(kind):
            self.writers[kind] = self._array
            return self._array
        if known is None:
            self.writers[kind] = self._foreign
            return self._foreign
        tag, take_apart = known

        def write(value: Any) -> Any:
            pieces = take_apart(value)
            return self._foreign(value) if pieces is None else {tag: [self.encode(piece) for piece in pieces]}

        self.writers[kind] = write
        return write

    def _learn_reader(self, tag: str) -> Code:
        put_together = reader_for(tag)
        read = self._readers[tag] = lambda items: put_together(self.decoded(items))
        return read

    def encode(self, value: object) -> Any:
        """Returns the JSON for one value. Raises RecursionError if it is nested too deep, and what the hook for other
        values raises."""
        kind = type(value)
        if kind in _SIMPLE:
            return value
        return (self.writers.get(kind) or self._learn_writer(kind))(value)

    def _array(self, value: Any) -> Any:
        return self._container(value) if arrays.is_plain(value) else self._foreign(value)

    def _container(self, value: Any) -> Any:
        if getrefcount(value) > _fresh[0]:
            return self.held(value, [])
        return self.encoded(value) if type(value) is list else self._told(value, [], False)

    def held(self, value: Any, cls: list[Any]) -> Any:
        """Returns the JSON for a container that stays shared. `cls` is its class in JSON, or empty for a builtin's own
        class."""
        number = self.shared.number(value)
        return {"@": number} if number is not None else self._told(value, cls, True)

    def _told(self, value: Any, cls: list[Any], held: bool) -> Any:
        number = self.shared.add(value) if held else None
        head = [*self.shared.head(value), *cls]
        return {"-": head} if number is None else {"=": [number, *head]}

    def encoded(self, items: Any) -> list[Any]:
        """Returns the JSON for each item of a list or tuple."""
        kinds = set(map(type, items))
        if kinds <= _SIMPLE or (kinds == _INTEGERS and min(items) > -_WIDE and max(items) < _WIDE):
            return list(items)
        return [self.encode(item) for item in items]

    def decode(self, data: object) -> Any:
        """Returns the value that `data` encodes. Raises DecodeError, KeyError, TypeError, ValueError or RecursionError
        if `data` is no encoding."""
        kind = type(data)
        if kind is list:
            return self.decoded(data)  # pyright: ignore[reportArgumentType]
        if kind is dict:
            ((tag, content),) = cast(dict[str, Any], data).items()
            return (self._readers.get(tag) or self._learn_reader(tag))(content)
        return data

    def decoded(self, items: list[Any]) -> list[Any]:
        """Returns the values of a JSON list."""
        kinds = set(map(type, items))
        if list in kinds or dict in kinds:
            return [self.decode(item) for item in items]
        return items

    def _built(self, number: int | None, head: list[Any]) -> Any:
        cls = self.decode(head[3]) if len(head) > 3 else None
        return self.shared.build(number, head, cls)


def or_text(value: Any, encode: Code, tell: Callable[[Any], str] = str) -> Any:
    """Returns the JSON for a value, or its text if it cannot cross."""
    try:
        return encode(value)
    except (CannotCross, RecursionError):
        return tell(value)


def _octets(value: bytes) -> Any:
    if len(value) < _MANY:
        return {"B": value.hex()}
    return {"b": _binascii().b2a_base64(value, newline=False).decode("ascii")}


def _binascii() -> Any:
    import binascii  # noqa: PLC0415 - every library mapped costs each fork, and few runs need this one

    return binascii


def _integer(value: int) -> Any:
    return value if -_WIDE < value < _WIDE else {"i": hex(value)}


def _calibrate() -> int:
    """Returns what `getrefcount` counts, seen from `_container`, for a list that only the list around it holds."""
    seen: list[int] = []

    class Probe(ValueCodec):
        def _container(self, value: Any) -> Any:
            seen.append(getrefcount(value))

    Probe(SharedContainers(0), _integer, {}).encoded([[]])
    return seen[0]


_fresh[0] = _calibrate()
