"""Makes inputs at corners of their types: empty, one item, equal items, ties, halves, signs, reversed, ends of
ranges."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from itertools import combinations, islice, zip_longest
from typing import Any

from .changeable import Made, changeable_calls, unparse_call
from .inputs import Arguments, Constraint, are_allowed, gathered
from .layouts import Formed, Laid
from .moments import has_moment

_MAX_CALL_CHARS = 400
"""The most characters of a call that is made."""
_INNER = 4
"""How many corners of the first item of a list are tried inside the list."""
_INNER_ROWS = 10
"""How many corners of a list inside a record are tried."""
_NUMBERS = (0, 1, -1)
_HALVES = (0.5, 1.5, 2.5, 0.125, 1.005)
"""Floats that are tried in addition to whole numbers: halves of a whole and of a cent. The first three are exact in
floating point; the float 1.005 is a little less than 1.005."""


def corner_calls(
    calls: Sequence[str], constraints: Collection[Constraint] = (), ends: Sequence[int] = (), limit: int = 40
) -> tuple[str, ...]:
    """Returns at most `limit` new calls, each a known call with arguments at corners of their types. Of calls with the
    same types the longest is used, which leaves most to change. `ends` are numbers of the task; they and their
    neighbours are tried, since behaviour often changes there. No call breaks a constraint."""
    return _made(tuple(calls), frozenset(constraints), tuple(ends))[:limit]


@lru_cache(maxsize=64)
def _made(calls: tuple[str, ...], constraints: frozenset[Constraint], ends: tuple[int, ...]) -> tuple[str, ...]:
    """Makes all corner calls. Cached, because every step of a run asks for the same."""
    made: dict[str, None] = {}
    for row in zip_longest(*(_changed(*base, ends) for base in _richest(calls))):
        for name, arguments in filter(None, row):
            call = unparse_call(name, *arguments)
            if len(call) <= _MAX_CALL_CHARS and call not in calls and are_allowed(arguments, constraints):
                made[call] = None
    return tuple(made)


def _richest(calls: Sequence[str]) -> list[tuple[str, list[Any], dict[str, Any]]]:
    """Returns the longest call for each combination of types."""
    found: dict[object, tuple[str, list[Any], dict[str, Any]]] = {}
    short = sorted(filter(lambda call: len(call) <= _MAX_CALL_CHARS, map(gathered, calls)), key=len)
    for parsed in changeable_calls(dict.fromkeys(short)):
        name, args, keywords = parsed
        found[name, *map(type, args), *((key, type(value)) for key, value in keywords.items())] = parsed
    return list(found.values())


def _changed(
    name: str, args: list[Any], keywords: dict[str, Any], ends: Sequence[int]
) -> Iterator[tuple[str, Arguments]]:
    """Yields calls with two arguments of one type swapped and made equal, then with a corner of each argument in
    turn."""
    for i, j in combinations(range(len(args)), 2):
        if _are_of_one_kind(args[i], args[j]) and args[i] != args[j]:
            swapped = {i: args[j], j: args[i]}
            yield name, ([swapped.get(place, arg) for place, arg in enumerate(args)], keywords)
            yield name, ([args[i] if place == j else arg for place, arg in enumerate(args)], keywords)
    places: list[int | str] = [*range(len(args)), *keywords]
    corners = [_corners(keywords[p] if isinstance(p, str) else args[p], ends) for p in places]
    for row in zip_longest(*([(p, new) for new in found] for p, found in zip(places, corners, strict=True))):
        for place, new in filter(None, row):
            if isinstance(place, int):
                yield name, ([*args[:place], new, *args[place + 1 :]], keywords)
            else:
                yield name, (args, {**keywords, place: new})


def _are_of_one_kind(one: Any, other: Any) -> bool:
    alike = not isinstance(one, Formed) or (isinstance(other, Formed) and one.has_form(other.text))
    return type(one) is type(other) and alike


def _corners(value: Any, ends: Sequence[int]) -> list[Any]:
    """Returns corner values of the type of `value`, each once, without the value itself; [] for a type without
    corners."""
    makers: Mapping[type, Callable[[Any], Iterator[Any]]] = {
        bool: lambda truth: iter([not truth]),
        int: lambda number: iter([*_NUMBERS, -number, *(end + step for end in ends for step in (0, -1, 1))]),
        float: lambda number: iter([0.0, -number, *_HALVES, *(float(end) for end in ends)]),
        str: _texts,
        list: _rows,
        tuple: lambda row: map(tuple, _rows(list(row))),
        dict: _mappings,
        bytes: lambda data: (text.encode("latin-1", "replace") for text in _texts(data.decode("latin-1"))),
        Decimal: lambda number: map(Decimal, ("0", "1", "-1", "0.5", "0.005", "2.675", f"{-number}")),
        date: _days,
        datetime: _days,
        Formed: _zeroed,
        Laid: lambda laid: iter(laid.corners()),
        Made: _made_otherwise,
    }
    made = makers[type(value)](value) if type(value) in makers else iter(())
    return list({repr(new): new for new in made if repr(new) != repr(value)}.values())


def _zeroed(text: Formed) -> Iterator[Formed]:
    """Yields the text with each of its numbers zero, unless it tells a date or a time of day."""
    numbers = () if has_moment(text.text) else re.finditer(r"\d+", text.text)
    made = (f"{text.text[: one.start()]}{'0' * len(one[0])}{text.text[one.end() :]}" for one in numbers)
    yield from (replace(text, text=new) for new in made if text.has_form(new))


def _days(day: Any) -> Iterator[Any]:
    """Yields the ends of a month, of a year and of February."""
    yield from (day.replace(day=1), day.replace(month=12, day=31), day.replace(year=2024, month=2, day=29))
    yield from (day.replace(month=1, day=1), day.replace(year=1900, month=2, day=28))


def _made_otherwise(made: Made) -> Iterator[Made]:
    """Yields objects with one argument at a corner."""
    for place, value in enumerate(made.args):
        for new in _corners(value, ())[:_INNER]:
            yield Made(made.name, [*made.args[:place], new, *made.args[place + 1 :]], made.named)


def _texts(text: str) -> Iterator[str]:
    """Yields empty and blank texts, one letter, blanks around and between, an added digit and mark, doubled letters and
    words, other case, reversed."""
    words = text.split()
    yield from ("", " ", text[:1], f"  {text} ", f"{text}1", f"{text}!", text[:1] * 2)
    if len(words) > 1:
        yield from (" ".join([*reversed(words), *words]), "  ".join(words), " ".join(reversed(words)))
    yield from (text[::-1] + text, text.swapcase(), text[::-1], "\t\n")


def _rows(items: list[Any]) -> Iterator[list[Any]]:
    """Yields the empty list, one item, repeated items, ties, other orders, and corners of the first item."""
    yield []
    if not items:
        return
    yield from (items[:1], items[:1] * 2, [*items, items[0]])
    yield from _tied(items)
    yield from (items[::-1], items[:1] * len(items))
    inner = _with_corner_parts(items[0]) if _are_alike(items) else _corners(items[0], ())
    for new in islice(inner, _INNER):
        yield [new, *items[1:]]


def _are_alike(items: list[Any]) -> bool:
    """Returns whether the items are records, points or rows of a table: things with parts, and all with the same
    ones."""
    keys = [tuple(_keys(item)) for item in items]
    return bool(keys[0]) and len(set(keys)) == 1 and len(set(map(type, items))) == 1


def _keys(item: Any) -> list[Any]:
    """Returns the keys or indices of a value's parts; [] for a value without parts."""
    return list(item) if isinstance(item, dict) else [*range(len(item))] if isinstance(item, list | tuple) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _with(whole: Any, key: Any, new: Any) -> Any:
    """Returns a copy of a value with one part changed."""
    parts: Any = dict(whole) if isinstance(whole, dict) else list(whole)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    parts[key] = new
    return type(whole)(parts)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _with_corner_parts(item: Any) -> Iterator[Any]:
    """Yields copies of a record, each with one part at a corner."""
    for row in zip_longest(*([(key, new) for new in _corners(item[key], ())] for key in _keys(item))):
        yield from (_with(item, key, new) for key, new in filter(None, row))


def _tied(items: list[Any]) -> Iterator[list[Any]]:
    """Yields lists with a tie: two different items that are equal in one part (length of texts, size of numbers, one
    field of a record), in both orders and alone."""
    first, last = items[0], items[-1]
    other: list[Any] = [_with(last, key, first[key]) for key in _keys(first)] if _are_alike([first, last]) else []
    if isinstance(first, str):
        other = [first[::-1], first.swapcase()]
    elif isinstance(first, int | float) and not isinstance(first, bool):
        other = [-first]
    for new in (new for new in other if new != first):
        yield from ([*items, new], [new, *items], [first, new])


def _mappings(value: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
    """Yields the empty mapping, one entry, equal values, reversed order, corners of the first value, and corners of
    lists in other values."""
    yield {}
    if not value:
        return
    first, *_ = value
    yield from ({first: value[first]}, dict.fromkeys(value, value[first]), dict(reversed(value.items())))
    for new in _corners(value[first], ())[:_INNER]:
        yield {**value, first: new}
    for key, rows in value.items():
        if key != first and isinstance(rows, list):
            yield from ({**value, key: new} for new in islice(_rows(rows), _INNER_ROWS))  # pyright: ignore[reportUnknownArgumentType]
