"""Values that are surely not the given one; an object that equals one of them as well equals anything."""

from __future__ import annotations

import operator
import os
import sys
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from .values import writer_for

_ADDING: tuple[Callable[[Any, Any], Any], ...] = (cast(Any, operator.add), cast(Any, operator.truediv))


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
    maker = _NEAR.get(kind)
    if maker is not None:
        return maker(value)
    if kind in (list, tuple, deque) or isinstance(value, tuple):
        return _near_items(value)
    if isinstance(value, dict):
        changed = cast(dict[Any, Any], value).copy()
        changed[_token()] = 0
        return [changed]
    return _near_standard(value, writer_for(kind)) or ([] if value is None else [None])


def _near_standard(value: Any, known: object) -> list[Any]:
    """A neighbour of a standard or numpy value, made by adding what its type can add."""
    if known is None and type(value).__module__ != "numpy":
        return []
    steps: list[Any] = [1, "x", b"x"]
    moments = sys.modules.get("datetime")
    if moments is not None:
        steps += [moments.timedelta(days=1), moments.timedelta(days=-1)]
    near: list[Any] = []
    for step in steps:
        for add in _ADDING:
            try:
                other = add(value, step)
            except (TypeError, ValueError, ArithmeticError):
                continue
            if type(other) is type(value) and other != value:
                near.append(other)
    return near


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
    """A sequence with one item changed, and where its class allows it a longer one."""
    make = value._make if hasattr(value, "_make") else cast(type[Any], type(value))
    longer = [] if hasattr(value, "_make") else [make([*value, 0])]
    if not value:
        return longer
    changed: list[Any] = [*value]
    place = _below(len(changed))
    near = _near(changed[place])
    changed[place] = near[0] if near else object.__name__
    return [*longer, make(changed)]


def _near_text(value: str) -> list[Any]:
    return [f"{value}{chr(97 + _below(26))}", value[:-1]] if value else ["x"]


def _near_set(value: Any) -> list[Any]:
    return [type(value)([*value, _token()])]


_NEAR: dict[type, Callable[[Any], list[Any]]] = {
    bool: lambda value: [not value],
    int: _near_number,
    float: _near_number,
    complex: _near_number,
    str: _near_text,
    bytes: lambda value: [value + b"x"],
    bytearray: lambda value: [value + b"x"],
    set: _near_set,
    frozenset: _near_set,
}
