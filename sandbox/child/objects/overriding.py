"""Watches methods by which a class of the program hides those of the builtin class that it derives from."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from itertools import product
from types import MethodDescriptorType
from typing import Any

from ..values.shared import TRACKED
from .describe import VALUES

Answering = Callable[..., Any]


def _judging(value: Any) -> set[str]:
    """Returns the names of methods by which this value answers yes or no."""
    found: set[str] = set()
    methods = [method for method in type(value).__dict__.values() if type(method) is MethodDescriptorType]
    for method, args in product(methods, ((), (value,))):
        with suppress(Exception):
            found |= {method.__name__} if type(method(value, *args)) is bool else set[str]()
    return found


YES_NO_METHODS = frozenset[str]().union(*map(_judging, ("a", b"a", 1.5, frozenset((1,)), Decimal(1))))
"""Methods by which plain values answer yes or no."""


def hidden_by(bases: tuple[type, ...]) -> dict[str, Any]:
    """Returns the methods of the builtin class that a class with these bases derives from. Those of a dict are left
    out: none of them judges, and caches answer by methods of that name for what is not there."""
    owners: list[Any] = [owner for base in bases for owner in base.__mro__ if owner in (*VALUES, *TRACKED)]
    if not owners or issubclass(owners[0], dict):
        return {}
    return {name: found for name, found in owners[0].__dict__.items() if type(found) is MethodDescriptorType}


def beside(native: Any, ask: Answering, doubt: Callable[[], None]) -> Answering:
    """Returns a method that answers as `ask` does. Where the `native` one says something else of the same content,
    `doubt` is called: a test that asks a text how it begins takes the answer for Python's own."""

    def answer(*args: Any, **kwargs: Any) -> Any:
        expected = _expected(native, *args, **kwargs)
        given = ask(*args, **kwargs)
        if given is not None and given != expected:
            doubt()
        return given

    return answer


def _expected(native: Any, thing: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns what the native method answers for the content of this object; None if it raises."""
    copied: Any = native.__objclass__.__dict__.get("copy")
    try:
        return native(copied(thing) if copied else thing, *args, **kwargs)
    except Exception:  # noqa: BLE001 - the solution's own method may take anything
        return None
