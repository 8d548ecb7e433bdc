"""Describes classes and functions; from the descriptions the other process builds its mirrors."""

from __future__ import annotations

import abc
import enum
import sys
import types
import typing
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType
from typing import Any, cast

from ..values.shared import base_of
from ..values.standard import module_of
from . import twins

Describe = Callable[[Any], Any]
_SPECIAL_WORDS = """
len iter next contains getitem setitem delitem reversed missing call enter exit await aiter anext aenter aexit
eq ne lt le gt ge bool hash repr str format bytes int float complex index round trunc floor ceil
add sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul neg pos abs invert
radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor rmatmul
iadd isub imul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor imatmul length_hint fspath array
get set delete
"""
_COPYING = frozenset(("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__"))
_DESCRIBING = frozenset(("__get__", "__set__", "__delete__"))
_METHODS = (MethodDescriptorType, BuiltinFunctionType)
SPECIALS = frozenset(f"__{name}__" for name in _SPECIAL_WORDS.split())
VALUES: Any = (tuple, int, float, complex, str, bytes, frozenset)
_RECORD_OWN = frozenset(("__new__", "__repr__", "__getnewargs__", "_make", "_replace", "_asdict", "__match_args__"))
_MARKERS = (object, type, typing.Generic, typing.Protocol, abc.ABC, abc.ABCMeta)
"""Bases that say what a class is for and add no behaviour that a mirror would have to ask for."""
_CONSTRUCTORS = ("__new__", "__init__")
ENUM_KINDS: tuple[Any, ...] = (enum.IntFlag, enum.Flag, enum.IntEnum, enum.StrEnum, enum.Enum)
_KNOWN_WORDS = """
builtins datetime decimal fractions uuid pathlib collections types typing abc collections.abc enum numbers re array
zoneinfo dataclasses numpy functools ipaddress time urllib.parse sqlite3
"""
_KNOWN_MODULES = frozenset(_KNOWN_WORDS.split())
LIBRARIES = ("numpy", "pandas")
"""Installed packages whose values cross by value."""
_PURE_WORDS = """
builtins math cmath operator itertools functools collections heapq bisect copy statistics string textwrap dataclasses
contextlib abc typing re json
"""
_PURE_MODULES = frozenset(_PURE_WORDS.split())
_ACTING_WORDS = """
eval exec compile open input print breakpoint __import__ globals locals vars setattr delattr exit quit help license
credits copyright
"""
_ACTING_BUILTINS = frozenset(_ACTING_WORDS.split())


IN_TYPES: dict[Any, str] = {
    cls: name for name, cls in vars(types).items() if type(cls) is type and cls.__module__ == "builtins"
}
"""Classes of the interpreter that only the module `types` names."""


def is_known(cls: type) -> bool:
    """Returns whether both processes have this very class: a standard value type, or a public exception or enum of
    Python or of LIBRARIES. By private exceptions modules talk to themselves, such as unittest, which by one of them
    ends a check without a failure."""
    module, name = module_of(cls), cls.__qualname__
    public = issubclass(cls, BaseException | enum.Enum) and not name.startswith("_")
    if module not in _KNOWN_MODULES and not (public and (is_standard(module) or _is_of_libraries(module))):
        return False
    return cls in IN_TYPES or getattr(sys.modules.get(module), name, None) is cls


def _is_of_libraries(module: str) -> bool:
    return module.partition(".")[0] in LIBRARIES


def name_of_class(cls: type) -> list[str] | None:
    """Returns module and name of a class that both processes have; None for any other class."""
    if cls in IN_TYPES:
        return ["types", IN_TYPES[cls]]
    return [module_of(cls), cls.__qualname__] if is_known(cls) else None


def library_name(value: Any) -> list[str] | None:
    """Returns module and name of a class or function of LIBRARIES, for the process of the program, which has it too;
    None for any other value."""
    kind = cast(Any, type(value))
    if type(kind) is not type or not (kind in (type, FunctionType, *_METHODS) or _is_of_libraries(kind.__module__)):
        return None
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if type(module) is not str or type(name) is not str or not _is_of_libraries(module):
        return None
    return [module, name] if getattr(sys.modules.get(module), name, None) is value else None


def known_function(value: Any) -> list[str] | None:
    """Returns module and name of a standard function without side effects, which is the same in both processes; None
    for any other value."""
    if type(value) not in (FunctionType, *_METHODS) and type(value).__module__ != "typing":
        return None
    owner = getattr(value, "__objclass__", getattr(value, "__self__", None))
    if type(value) in _METHODS and isinstance(owner, type) and is_known(owner) and not value.__name__.startswith("_"):
        return [module_of(owner), f"{owner.__qualname__}.{value.__name__}"]
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if type(module) is not str or type(name) is not str:
        return None
    if module.removeprefix("_") not in _PURE_MODULES or name in _ACTING_BUILTINS:
        return None
    return [module, name] if getattr(sys.modules.get(module), name, None) is value else None


def is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names and module not in ("__main__", "antigravity", "this")


def special_of(thing: Any, name: str) -> Any:
    """Returns a special method bound to `thing`, found as the interpreter finds it. Raises AttributeError."""
    kind = cast(type[Any], type(thing))
    for owner in kind.__mro__:
        if name in owner.__dict__:
            found = owner.__dict__[name]
            return found.__get__(thing, kind) if hasattr(cast(Any, type(found)), "__get__") else found
    raise AttributeError(name)


def kind_of(cls: Any) -> str:
    """Returns how instances of a class cross. "meta": they are classes; "exception", "enum": by their parts; "value":
    as the immutable builtin that they derive from; "container": as the mutable one, shared; "object": by number."""
    if issubclass(cls, type):
        return "meta"
    if issubclass(cls, BaseException):
        return "exception"
    if issubclass(cls, enum.Enum):
        return "enum"
    if base_of(cls) is not None:
        return "container"
    simple = issubclass(cls, VALUES) and not any("n_sequence_fields" in vars(owner) for owner in cls.__mro__)
    return "value" if simple else "object"


def value_base(cls: type) -> Any:
    """Returns the immutable builtin that a class of kind "value" derives from."""
    return next(base for base in cls.__mro__ if base in VALUES)


def native_parts(value: Any) -> Any:
    """Returns the arguments from which that builtin makes the value anew."""
    base = value_base(cast(type[Any], type(value)))
    return [[*frozenset.__iter__(value)]] if base is frozenset else base.__getnewargs__(value)


def describe(cls: type, describe_class: Describe, encode: Describe, look: Callable[[type, str, Any], Any]) -> list[Any]:
    """Returns [kind, names, libraries, bases, specials, {method: what is told of it}, more] of a class that the other
    side does not have. Names are its own name, the qualified one, its module and its docstring. Libraries are whether
    the class is a library's, those classes in its MRO that are, and its metaclass if that is the program's."""
    kind = kind_of(cls)
    bases = [describe_class(base) for base in cls.__bases__ if _tells(base, kind)]
    known = [[owner.__module__, owner.__qualname__] for owner in cls.__mro__[:-1] if _is_library(owner)]
    doc = cls.__dict__.get("__doc__")
    names = [cls.__name__, cls.__qualname__, cls.__module__, doc if type(doc) is str else None]
    more: Any = _more(cls, kind, encode)
    of_fields = kind == "object" and more is not None
    # an exception's text crosses with it, and methods written for the fields need no question
    written: list[str] = cast(Any, more)[1] if of_fields else []
    specials = _specials(cls, kind, ["__str__"] if kind == "exception" else written)
    rest: list[Any] = [specials, _methods(cls, kind, look), more]
    meta = type(cls) if kind == "object" and type(cls) is not type and not _is_library(type(cls)) else None
    return [kind, names, [_is_library(cls), known, meta and describe_class(meta)], bases, *rest]


def is_installed(module: str) -> bool:
    """Returns whether a module is of the standard library or of an installed package, which both processes can
    import."""
    spec = getattr(sys.modules.get(module.partition(".")[0]), "__spec__", None)
    return is_standard(module) or "-packages" in str(getattr(spec, "origin", ""))


def _is_library(cls: type) -> bool:
    """Returns whether a class is of an installed module; one that only bears the name of such a class is none."""
    module = cls.__module__
    named = vars(sys.modules[module]).get(cls.__qualname__, cls) if module in sys.modules else cls
    return named is cls and is_installed(module)


def _tells(base: type, kind: str) -> bool:
    if kind in ("enum", "meta") or base is object or kind_of(base) != kind:
        return False
    return kind != "object" or not (is_known(base) or is_standard(base.__module__))


def _told_owners(cls: type, kind: str) -> list[type]:
    """Returns the classes of the MRO whose behaviour is told with this one: for the kinds "object" and "meta" all but
    markers, else those that only one side has."""
    if kind in ("object", "meta"):
        return [owner for owner in cls.__mro__ if owner not in _MARKERS]
    return [owner for owner in cls.__mro__ if owner is not object and not is_known(owner)]


def _specials(cls: type, kind: str, unasked: list[str]) -> dict[str, bool]:
    """Returns the special methods without those in `unasked`; the value is False if the class switches one off, as in
    `__hash__ = None`."""
    owners = _told_owners(cls, kind)
    told = dict.fromkeys(_hooks(cls, kind, owners), True)
    inherited = [] if kind == "object" else [owner for owner in cls.__mro__ if owner not in owners]
    for owner in owners:
        for name, value in owner.__dict__.items():
            copied = any(
                getattr(known, name, None) is value for known in inherited
            )  # as enums do with the methods of their bases
            if name in SPECIALS and not copied and not (name in _RECORD_OWN and "_fields" in owner.__dict__):
                told.setdefault(name, value is not None)
    return {name: value for name, value in told.items() if name not in unasked}


def _hooks(cls: type, kind: str, owners: list[type]) -> list[str]:
    """Returns those special methods of which only their existence is told."""
    told: list[str] = ["__instancecheck__"] if kind == "object" and type(cls) is not type else []
    own_items = [vars(owner).get("__class_getitem__") for owner in owners]
    if any(isinstance(getattr(item, "__func__", None), FunctionType) for item in own_items):
        told.append("__class_getitem__")
    if kind == "object" and any(not _DESCRIBING.isdisjoint(vars(owner)) for owner in owners):
        told.append("__set_name__")
    if kind == "container" or (kind == "exception" and any(not _COPYING.isdisjoint(vars(owner)) for owner in owners)):
        told.append("__copy__")
    return told


def _methods(cls: type, kind: str, look: Callable[[type, str, Any], Any]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for owner in _told_owners(cls, kind):
        for name, value in owner.__dict__.items():
            if isinstance(value, FunctionType) and not (name.startswith("__") and name.endswith("__")):
                told.setdefault(name, value)
            elif name not in told and not name.startswith("__"):
                told[name] = None  # an attribute of another sort hides a method of a base class
    told = {name: value for name, value in told.items() if value is not None and name not in _RECORD_OWN}
    looked = {name: look(cls, name, value) for name, value in told.items()}
    return {name: seen for name, seen in looked.items() if seen is not None}


def _more(cls: Any, kind: str, encode: Describe) -> Any:
    if kind == "enum":
        base = next(index for index, base in enumerate(ENUM_KINDS) if issubclass(cls, base))
        mixed = cls._member_type_ if ENUM_KINDS[base] is enum.Enum and cls._member_type_ in VALUES else None
        completes = any("_missing_" in owner.__dict__ for owner in _told_owners(cls, kind))
        members = [[name, encode(member.value)] for name, member in cls.__members__.items()]
        return [base, encode(mixed), completes, members]
    if kind == "object":
        return twins.describe(cls, encode)
    if kind == "meta":
        return None
    fields = cls.__dict__.get("_fields") if kind == "value" else None
    defaults = [[name, encode(value)] for name, value in cls._field_defaults.items()] if fields else []
    return [_is_made_by_python(cls, kind), fields and list(fields), defaults]


def _is_made_by_python(cls: type, kind: str) -> bool | None:
    """Returns whether no constructor of the program makes the instances; None for typed dicts, whose instances are
    plain dicts."""
    if typing.is_typeddict(cls):
        return None
    owners = [owner for owner in _told_owners(cls, kind) if "_fields" not in owner.__dict__]
    return all(name not in owner.__dict__ for owner in owners for name in _CONSTRUCTORS)
