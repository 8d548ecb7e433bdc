"""Values that are surely not the given one; an object that equals one of them as well equals anything."""

from __future__ import annotations

import os
from typing import Any, cast


def decoys(value: Any) -> list[Any]:
    """A few values of the same sort as `value`, each different from it, in random order."""
    others = [*_near(value), _token()]
    others.sort(key=lambda _: os.urandom(8))
    return others


def _token() -> str:
    return f"decoy-{os.urandom(6).hex()}"


def _below(limit: int) -> int:
    return int.from_bytes(os.urandom(8), "big") % limit


def _near(value: Any) -> list[Any]:
    kind = cast(type[Any], type(value))
    if kind is bool:
        return [not value]
    if kind in (int, float, complex):
        return _near_number(value)
    if kind is str:
        return [f"{value}{chr(97 + _below(26))}", value[:-1]] if value else ["x"]
    if kind is bytes:
        return [value + b"x"]
    if kind in (list, tuple):
        return _near_items(value)
    if kind is dict:
        return [{**value, _token(): 0}]
    if kind in (set, frozenset):
        return [kind([*value, _token()])]
    return [] if value is None else [None]


def _near_number(value: Any) -> list[Any]:
    """So many that guessing which of them is meant does not pay."""
    steps = [step for step in range(-8, 9) if step]
    return [value + step for step in steps if value + step != value and value == value]


def token_like(value: Any) -> list[Any]:
    """Values of the sort of `value` that no honest container holds."""
    number = int.from_bytes(os.urandom(7), "big")
    like: dict[type, Any] = {int: number, float: number + 0.5, str: _token(), bytes: _token().encode()}
    return [like.get(cast(type[Any], type(value)), (_token(), number)), _token()]


def _near_items(value: Any) -> list[Any]:
    kind = cast(type[Any], type(value))
    longer = kind([*value, 0])
    if not value:
        return [longer]
    changed = [*value]
    place = _below(len(changed))
    near = _near(changed[place])
    changed[place] = near[0] if near else object.__name__
    return [longer, kind(changed)]
