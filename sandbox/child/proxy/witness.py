"""Decides whether it is seen here, and not only said by the program, how an object compares to one that the tests made
by a constructor of the program's own.

The one that the tests made has to hold what they gave, and the other what it held before the program heard of that.
What objects hold crosses as text, which nobody can change later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, Flag
from fractions import Fraction
from math import isfinite
from sys import modules
from typing import Any, cast

from ..values.canonical import Opaque, canonical

_MOST_READ = 64
"""Living objects of a class that are looked at when one more is made."""
_MOST = 2000
"""Objects that are looked at in one run; of what comes then nothing is seen."""
_NUMBERS = (bool, int, float, Decimal, Fraction)
_OTHERS = (complex, str, bytes, type(None), date, time, timedelta)
_MIXED_IN: tuple[Any, ...] = (int, float, str)
"""Types of which members of an enum may be, and which compare as these do."""
Texts = tuple[str, ...]
"""What an object holds, field by field; () if that is not known."""
Read = Callable[[list[int]], list[Texts]]
"""Returns what objects of the program hold, by their numbers."""


def text(value: Any) -> str:
    """Returns the text of a plain value, the same for equal values and another for others; "" if something of the
    program may answer for it."""
    kind = cast(Any, type(value))
    try:
        return _text_of_member(value) if issubclass(kind, Enum) else canonical(_level(value))
    except (Opaque, ValueError, OverflowError, RecursionError):
        return ""


def _text_of_member(member: Any) -> str:
    """Returns the text of a member of an enum: that of its number or text if it equals that. Flags that no member
    stands for have no name. Raises Opaque if it compares in another way of its own."""
    for told in _MIXED_IN:
        if isinstance(member, told):
            return canonical(_level(told.__add__(member, told())))
    if type(member).__eq__ is not object.__eq__:
        raise Opaque
    return f"{type(member).__name__}({member.value})" if isinstance(member, Flag) else canonical(member)


def _level(value: Any) -> Any:
    """Returns a plain value in which those parts that are equal are of one type. Raises Opaque for any other value."""
    kind = cast(Any, type(value))
    if kind in (list, tuple):
        return cast(Any, kind(map(_level, value)))
    if kind in (set, frozenset):
        return frozenset(map(_level, value))
    if kind is dict:
        return {_level(key): _level(part) for key, part in value.items()}
    if kind is complex and not value.imag:
        return _level(value.real)
    if kind is datetime and _is_zone(value.tzinfo):
        return value.astimezone(UTC) if value.tzinfo else value.replace(fold=0)
    if kind in _NUMBERS:
        return Fraction(value) if isfinite(value) else value
    if kind not in _OTHERS or (kind is time and value.tzinfo):
        raise Opaque
    return value


def _is_zone(zone: Any) -> bool:
    """Returns whether this is no time zone, or one of the standard library."""
    known = getattr(modules.get("zoneinfo"), "ZoneInfo", timezone)
    return zone is None or type(zone) in (timezone, known)


Noted = tuple[dict[int, str], dict[int, Texts]]
"""Texts of what the tests give for an object, by the places of its fields, and what others hold just before."""


class Witness:
    """What is known here of objects of the program, by their numbers."""

    def __init__(self) -> None:
        self.made: dict[int | None, Noted] = {}
        """What was noted before the tests made an object."""
        self._looked = 0

    def note(self, given: dict[int, Any], living: Callable[[], list[int]], read: Read) -> Noted:
        """Notes what the tests are about to give for an object, and what the last of the `living` ones hold: the
        program says that before it hears of the other."""
        self._looked += 1
        asked = living()[-_MOST_READ:] if given and self._looked < _MOST else []
        self._looked += len(asked)
        held = dict(zip(asked, read(asked), strict=True)) if asked else {}
        return {place: text(value) for place, value in given.items()}, held

    def shows(self, compared: dict[int, Texts], read: Read) -> bool:
        """Returns whether two objects, of which these texts were compared here, are seen to hold just that."""
        if len(compared) == 1:
            return True  # they are one
        one, other = compared
        expected = [pair for pair in ((one, other), (other, one)) if pair[1] in self._noted(pair[0])[1]]
        held = dict(zip(compared, read([one, other]), strict=True)) if expected else {}
        told = held == compared and all(map(all, held.values()))
        return told and any(self._holds(*pair, held) for pair in expected)

    def _noted(self, number: int) -> Noted:
        return self.made.get(number, ({}, {}))

    def _holds(self, number: int, answer: int, held: dict[int, Texts]) -> bool:
        """Returns whether one object still holds what the tests gave, and the other what it held before."""
        given, before = self._noted(number)
        return all(held[number][at] == told for at, told in given.items()) and before[answer] == held[answer]
