"""Lets the tests' side compare instances of classes that Python completes from their fields (dataclasses, attrs).

Such a class is described with its fields, from which this side makes a dataclass of its own, the twin class. What
instances answer to ==, < or hash is what twins with the same field values answer. An instance that the tests make by a
constructor which only sets fields is at first only a twin: the other process learns of its values only when it is first
handed over, so no earlier answer of the program can depend on them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from types import MemberDescriptorType
from typing import Any, cast

from .generated import FACTORY, is_written, made_anew

COMPLETED = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__repr__")
_SETTING = ("__setattr__", "_cached_setattr_get", "_setattr", "NOTHING")
"""Names that a generated constructor may call besides its fields' names and its default factories."""
_FACTORIES = (list, dict, set)
_FIXED: tuple[Any, ...] = (bool, int, float, complex, str, bytes, type(None))
_FLAGS = ("init", "compare", "hash", "repr", "kw_only")
"""What a field says of itself."""
_NO_DEFAULT = ("_MISSING_TYPE", "_Nothing")


def _fields_of(cls: type) -> tuple[type, list[Any]] | None:
    """Returns the class in the MRO that was completed from its fields last, with those fields; None if there is no such
    class."""
    for owner in cls.__mro__:
        if "__attrs_attrs__" in vars(owner):
            return owner, list(vars(owner)["__attrs_attrs__"])
        if "__dataclass_fields__" in vars(owner):
            return owner, list(sys.modules["dataclasses"].fields(owner))
    return None


def _owner(cls: type, name: str) -> type:
    return next(owner for owner in cls.__mro__ if name in owner.__dict__)


def _written(cls: type, fields: list[Any], anew: Any) -> list[str]:
    """Returns those names of COMPLETED that were written for exactly these fields."""
    if any(getattr(field, "eq_key", None) or getattr(field, "order_key", None) for field in fields):
        return []
    return [name for name in COMPLETED if is_written(vars(_owner(cls, name))[name], anew, name)]


def describe(cls: type, encode: Callable[[Any], Any]) -> Any:
    """Returns [name, generated methods, whether the other side can construct it, is frozen, fields], or None for a
    class without fields. A field is [name, flags, metadata, default]; its default is [], [value] or [None, factory]."""
    found = _fields_of(cls)
    if found is None:
        return None
    owner, fields = found
    anew = made_anew(owner, fields)
    made = _owner(cls, "__init__") is owner and _is_constructible(cls, fields, anew)
    frozen = _owner(cls, "__setattr__") is not object
    with_defaults = made or all(map(_has_fixed_default, fields))
    told = [_told(field, with_defaults, encode) for field in fields]
    return [cls.__qualname__, _written(cls, fields, anew), made, frozen, told]


def _told(field: Any, with_default: Any, encode: Callable[[Any], Any]) -> list[Any]:
    flags: dict[str, Any] = {name: bool(getattr(field, name)) for name in ("init", "repr", "kw_only")}
    flags |= {"compare": bool(getattr(field, "compare", getattr(field, "eq", True))), "hash": field.hash}
    metadata = encode(dict(field.metadata)) if field.metadata else None
    return [field.name, flags, metadata, [encode(part) for part in _default(field) if with_default]]


def _has_fixed_default(field: Any) -> bool:
    """Returns whether a field has no default, or one that is the same, or a new empty container, for each object."""
    factory = _factory(field)
    if factory is not None:
        return factory in _FACTORIES
    return all(type(default) in _FIXED or isinstance(default, Enum) for default in _default(field))


def _default(field: Any) -> list[Any]:
    factory = _factory(field)
    if factory is not None:
        return [None, factory]
    return [] if type(field.default).__name__ in _NO_DEFAULT else [field.default]


def _factory(field: Any) -> Any:
    given = getattr(field, "default_factory", getattr(field.default, "factory", None))
    return None if given is None or type(given).__name__ in _NO_DEFAULT else given


def _is_constructible(cls: Any, fields: list[Any], anew: Any) -> bool:
    """Returns whether the constructor does nothing but set fields, each from an argument or a plain default."""
    if not is_written(cls.__init__, anew, "__init__"):
        return False
    code, names = cls.__init__.__code__, {field.name for field in fields if field.init}
    takes = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    calls = {name for name in code.co_names if not name.startswith(FACTORY)} - names.union(_SETTING)
    setter = _owner(cls, "__setattr__")
    untouched = cls.__new__ is object.__new__ and cls.__getattribute__ is object.__getattribute__
    untouched = untouched and type(cls).__call__ is type.__call__ and not getattr(cls, "__abstractmethods__", ())
    untouched = untouched and (setter is object or is_written(cls.__setattr__, anew, "__setattr__"))
    return untouched and not calls and set(takes) == names and all(_is_plain(cls, field) for field in fields)


def _is_plain(cls: type, field: Any) -> bool:
    """Returns whether setting the field only sets an attribute, and the tests' side can make its default itself."""
    held = next((vars(owner)[field.name] for owner in cls.__mro__ if field.name in vars(owner)), None)
    own_slot = type(held) is MemberDescriptorType and held.__name__ == field.name
    plain = held is None or own_slot or not hasattr(cast(Any, type(held)), "__set__")
    return plain and _factory(field) in (None, *_FACTORIES)


def build(name: str, told: list[Any], decode: Callable[[Any], Any]) -> Any:
    """Returns the twin class for a description. Raises TypeError or ValueError for a malformed one."""
    import dataclasses  # noqa: PLC0415 - needed only once such a class really crossed

    full_name, names, _, frozen, fields = told
    items: list[Any] = []
    for field, told_flags, metadata, default in fields:
        given = [decode(part) for part in default]
        known = {"default_factory": given[1]} if len(given) > 1 else dict(zip(("default",), given, strict=False))
        flags = {flag: told_flags[flag] for flag in _FLAGS}
        items.append((field, object, dataclasses.field(**flags, metadata=decode(metadata), **known)))
    hashes, orders = "__hash__" in names, "__lt__" in names
    made_class: Any = dataclasses.make_dataclass(name, items, order=orders, frozen=frozen, unsafe_hash=hashes)
    made_class.__qualname__ = str(full_name)
    return made_class


def construct(twin_class: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Returns a twin as the constructor makes it from these arguments; None if that leaves a field without a value.
    Raises TypeError for wrong arguments."""
    twin = twin_class(*args, **kwargs)
    return twin if all(hasattr(twin, name) for name in field_names(twin_class)) else None


def given(twin_class: Any, args: Any, kwargs: dict[str, Any]) -> dict[int, Any]:
    """Returns which arguments and defaults of a constructor stand for which fields, by the fields' places; {} if one
    stands for none, or if a field that counts gets its value from the constructor itself."""
    fields = twin_class.__dataclass_fields__.values()
    in_order = [field.name for field in fields if field.init and not field.kw_only]
    fixed = {field.name: made for field in fields for made in _made_anew(field)}
    named = {**fixed, **dict(zip(in_order, args, strict=False)), **kwargs}
    places = {field.name: place for place, field in enumerate(fields)}
    counting = {field.name for field in fields if field.compare}
    complete = len(args) <= len(in_order) and counting <= named.keys() <= places.keys()
    return {places[name]: value for name, value in named.items()} if complete else {}


def _made_anew(field: Any) -> list[Any]:
    """Returns, in a list, what a field of a twin class holds by default; [] if that is not known."""
    factory = _factory(field)
    return [factory()] if factory in _FACTORIES else [made for made in _default(field) if factory is None]


def fill(twin_class: Any, values: list[Any]) -> Any:
    """Returns a twin that holds these values. Raises ValueError if their number is wrong."""
    twin = object.__new__(twin_class)
    twin.__dict__.update(zip(field_names(twin_class), values, strict=True))
    return twin


def field_names(twin_class: Any) -> list[str]:
    return list(twin_class.__dataclass_fields__)


def arguments(twin: Any) -> dict[str, Any]:
    """Returns the arguments of a constructor that makes an object like this twin."""
    return {field.name: getattr(twin, field.name) for field in twin.__dataclass_fields__.values() if field.init}
