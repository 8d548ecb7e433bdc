"""Tells whether the methods of a class are those that Python or attrs writes for its fields.

A program may replace them, or change the fields afterwards. So the same class is made anew, and its methods are
compared with those that are there."""

from __future__ import annotations

import sys
from types import CodeType, FunctionType
from typing import Any, cast

_OF_CODE = ("co_code", "co_names", "co_varnames", "co_freevars", "co_flags", "co_argcount")
_BUILTINS = frozenset(("NotImplemented", "hash", "super", "type", "tuple"))
"""Builtins that written methods use; a program may have something else of that name."""
_OF_ITS_OWN = ("cls", "repr_running")
"""Variables of written methods that are another class's."""
FACTORY = "__attr_factory_"
"""How the names of default factories begin in what attrs writes."""
_FLAGS = ("init", "repr", "hash", "kw_only")


def made_anew(owner: Any, fields: list[Any]) -> Any:
    """Returns a class of these fields with all methods that can be written for them; `object` where these fields make
    no class. This takes about a millisecond."""
    attrs = "__attrs_attrs__" in vars(owner)
    frozen = owner.__setattr__ is not object.__setattr__
    try:
        return _of_attrs(owner, fields, frozen) if attrs else _dataclass(owner, fields, frozen)
    except (TypeError, ValueError):
        return object


def _dataclass(owner: Any, fields: list[Any], frozen: bool) -> Any:
    dataclasses: Any = sys.modules["dataclasses"]
    flags = (*_FLAGS, "compare", "default", "default_factory")
    items = [(field.name, object, dataclasses.field(**_told(field, flags, dataclasses.MISSING))) for field in fields]
    ways = {"frozen": frozen, "slots": "__slots__" in vars(owner)}
    return dataclasses.make_dataclass("Anew", items, eq=True, order=True, unsafe_hash=True, **ways)


def _of_attrs(owner: Any, fields: list[Any], frozen: bool) -> Any:
    attr: Any = sys.modules["attr"]
    flags = (*_FLAGS, "eq", "order", "default", "converter", "validator", "on_setattr", "alias")
    items = {field.name: attr.ib(**_told(field, flags, attr.NOTHING)) for field in fields}
    slots = "__slots__" in vars(owner)
    return attr.make_class("Anew", items, slots=slots, frozen=frozen, eq=True, order=True, unsafe_hash=True)


def _told(field: Any, flags: tuple[str, ...], nothing: Any) -> dict[str, Any]:
    told = {name: getattr(field, name) for name in flags}
    return {name: value for name, value in told.items() if value is not nothing}


def is_written(method: Any, anew: Any, name: str) -> bool:
    """Returns whether a method does what the one of this name of the class that was made anew does."""
    return _does_the_same(method, vars(anew).get(name))


def _does_the_same(one: Any, other: Any) -> bool:
    if type(one) is not FunctionType or type(other) is not FunctionType:
        return False
    code, anew = one.__code__, other.__code__
    if any(getattr(code, part) != getattr(anew, part) for part in _OF_CODE) or _constants(code) != _constants(anew):
        return False
    if not _BUILTINS.isdisjoint({*code.co_names} & one.__globals__.keys()):
        return False
    return len(_used(one)) == len(_used(other)) and all(map(_is_one, _used(one), _used(other)))


def _constants(code: CodeType) -> list[Any]:
    """Returns the constants of a method; the only number is that by which attrs tells the hashes of classes apart."""
    return [None if type(constant) is int else constant for constant in code.co_consts]


def _used(function: Any) -> list[Any]:
    """Returns defaults and default factories of a method, and functions and fields inside it."""
    code = function.__code__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    held = [cell.cell_contents for name, cell in cells if name not in _OF_ITS_OWN]
    factories = [function.__globals__.get(name) for name in code.co_names if name.startswith(FACTORY)]
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items(), *held, *factories]


def _is_one(one: Any, other: Any) -> bool:
    kind = cast(Any, type(one))
    if kind in (list, tuple) and kind is type(other):
        ours, theirs = _names(one), _names(other)
        return len(ours) == len(theirs) and all(a is b for a, b in zip(ours, theirs, strict=True))
    return one is other or _does_the_same(one, other)


def _names(fields: Any) -> list[Any]:
    return [getattr(field, "name", field) for field in fields]
