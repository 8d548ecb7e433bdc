"""Watches methods of the program's classes by which an object of theirs may pose as a value of Python's: those named as
methods by which values judge, and those that hide a method of the value class that the program's class derives from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from decimal import Decimal
from functools import partial
from itertools import product
from types import MethodDescriptorType
from typing import Any, cast

from ..values.shared import TRACKED
from ..values.standard import writer_for
from .describe import VALUES

Answering = Callable[..., Any]


_VALUES = ("a", b"a", 1.5, frozenset((1,)), Decimal(1))


def _answering(answer: type, value: Any) -> set[str]:
    """Returns the names of methods by which this value gives such answers."""
    found: set[str] = set()
    methods = [method for method in type(value).__dict__.values() if type(method) is MethodDescriptorType]
    for method, args in product(methods, ((), (value,))):
        with suppress(Exception):
            found |= {method.__name__} if type(method(value, *args)) is answer else set[str]()
    return {name for name in found if not name.startswith("__")}


JUDGING_METHODS = frozenset(("equals",)).union(*map(partial(_answering, bool), _VALUES))
"""Methods by which plain values say yes or no; by `equals` a table of pandas does. What an object of the solution
answers there can be guessed without knowing anything, so it proves as little as its `__eq__`."""
_ANSWERING = JUDGING_METHODS.union(*map(partial(_answering, int), _VALUES))
"""These, and those by which plain values say how often, or where, they hold something."""


def judges(owner: Any, name: str, named: Set[type]) -> bool:
    """Returns whether objects of this class may pose as a value by what they have under this name. `named` are the
    classes that the tests asked for by name."""
    return name in JUDGING_METHODS or name in vars(owner).get("_@hides", ()) or is_nameless(owner, name, named)


def is_nameless(owner: Any, name: str, named: Set[type]) -> bool:
    """Returns whether the tests may take objects of the program's class for others when they call this method: they
    never named it, and it is no library's class that has such a method here too."""
    libraries = cast(list[type], vars(owner)["_@known"] if vars(owner).get("_@library") else [])
    known = any(hasattr(library, name) for library in libraries)
    return not name.startswith("_") and named.isdisjoint(owner.__mro__) and not known


def may_pose(held: Mapping[Any, Any]) -> bool:
    """Returns whether an object that holds this can be called under a name by which values judge or count."""
    return any(callable(held[name]) for name in held.keys() & _ANSWERING)


def hidden_in(libraries: list[Any]) -> dict[str, Any]:
    """Returns None under each name in these classes of libraries, if they are such as values cross by."""
    values = [cls for cls in libraries if isinstance(cls, type) and writer_for(cls)]
    return dict.fromkeys(name for cls in values for name in vars(cls))


def hidden_by(bases: tuple[type, ...]) -> dict[str, Any]:
    """Returns the methods of the builtin class that a class with these bases derives from. Those of a dict are left
    out: none of them judges, and caches answer by methods of that name for what is not there."""
    owners: list[Any] = [owner for base in bases for owner in base.__mro__ if owner in (*VALUES, *TRACKED)]
    if not owners or issubclass(owners[0], dict):
        return {}
    return {name: found for name, found in owners[0].__dict__.items() if type(found) is MethodDescriptorType}


def beside(native: Any, ask: Answering, doubt: Callable[[], None]) -> Answering:
    """Returns a method that answers as `ask` does. Where the `native` one says something else of the same content, or
    there is none, `doubt` is called: a test that asks a text how it begins takes the answer for Python's own."""

    def answer(*args: Any, **kwargs: Any) -> Any:
        expected = _expected(native, *args, **kwargs)
        given = ask(*args, **kwargs)
        if native is None or (given is not None and given != expected):
            doubt()
        return given

    return answer


def _expected(native: Any, thing: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns what the native method answers for the content of this object; None if it raises, or is none."""
    if native is None:
        return None
    copied: Any = native.__objclass__.__dict__.get("copy")
    try:
        return native(copied(thing) if copied else thing, *args, **kwargs)
    except Exception:  # noqa: BLE001 - the solution's own method may take anything
        return None
