"""Takes classes and functions apart into descriptions from which the other process builds its mirrors."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

Describe = Callable[[Any], Any]
PLAIN, AWAITED = 0, 1
_COROUTINE = 0x80
_SPECIAL_WORDS = """
len iter next contains getitem setitem delitem reversed call enter exit await aiter anext aenter aexit
eq ne lt le gt ge bool hash repr str format bytes int float complex index round trunc floor ceil
add sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul neg pos abs invert
radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor rmatmul
iadd isub imul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor imatmul length_hint dir
fspath copy deepcopy
"""
SPECIALS = frozenset(f"__{name}__" for name in _SPECIAL_WORDS.split())
_NATIVE = frozenset((list, dict, set, frozenset, int, float, str, bytes, tuple, complex, bytearray))
_NATIVE_COMPARES = frozenset(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__bool__"))
_RECORD_OWN = frozenset(("__new__", "__repr__", "__getnewargs__", "_make", "_replace", "_asdict", "__match_args__"))
_ENUM_KINDS = (enum.IntFlag, enum.Flag, enum.IntEnum, enum.StrEnum, enum.Enum)
_KNOWN_MODULES = frozenset(
    (
        *("builtins", "datetime", "decimal", "fractions", "uuid", "pathlib", "collections", "types", "typing", "abc"),
        *("collections.abc", "enum", "numbers", "re", "array", "zoneinfo", "dataclasses", "numpy"),
    )
)

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


def is_known(cls: type) -> bool:
    """Whether both processes have this very class: a standard value type or a standard exception."""
    module, name = cls.__module__, cls.__qualname__
    if module not in _KNOWN_MODULES and not (issubclass(cls, BaseException) and is_standard(module)):
        return False
    found: Any = sys.modules.get(module)
    return getattr(found, name, None) is cls


def known_function(value: Any) -> list[str] | None:
    """Module and name of a standard function without effects of its own, which is the same in both processes."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if type(module) is not str or type(name) is not str or not is_known_function(module, name):
        return None
    return [module, name] if getattr(sys.modules.get(module), name, None) is value else None


def is_known_function(module: str, name: str) -> bool:
    return module.removeprefix("_") in _PURE_MODULES and name not in _ACTING_BUILTINS


def is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names and module not in ("__main__", "antigravity", "this")


def function_flag(function: Any) -> int:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return AWAITED if code is not None and code.co_flags & _COROUTINE else PLAIN


def special_of(thing: Any, name: str) -> Any:
    """A special method bound to `thing`, found as the interpreter finds it. Raises AttributeError."""
    kind = cast(type[Any], type(thing))
    for owner in kind.__mro__:
        if name in owner.__dict__:
            found = owner.__dict__[name]
            return found.__get__(thing, kind) if hasattr(cast(Any, type(found)), "__get__") else found
    raise AttributeError(name)


def kind_of(cls: type) -> str:
    if issubclass(cls, BaseException):
        return "exception"
    if issubclass(cls, enum.Enum):
        return "enum"
    if issubclass(cls, tuple) and hasattr(cast(Any, cls), "_fields"):
        return "record"
    return "object"


def describe(cls: type, describe_class: Describe, encode: Describe) -> list[Any]:
    """[kind, name, bases, specials, {method: flag}, more] of a class that the other side does not have."""
    kind = kind_of(cls)
    bases = [describe_class(base) for base in cls.__bases__ if _tells(base, kind)]
    return [kind, cls.__name__, bases, _specials(cls, kind), _methods(cls), _more(cls, kind, encode)]


def _tells(base: type, kind: str) -> bool:
    if kind == "exception":
        return True
    if kind != "object" or base is object:
        return False
    return not is_known(base) and not is_standard(base.__module__)


def _own(cls: type) -> list[type]:
    """The classes of the MRO that the program wrote, and the foreign ones whose behaviour it inherits."""
    return [c for c in cls.__mro__ if c is not object and c.__module__ not in ("enum", "typing", "abc", "builtins")]


def _specials(cls: type, kind: str) -> dict[str, bool]:
    """Special methods; False where one is switched off (`__hash__ = None`)."""
    told: dict[str, bool] = {}
    owners = cls.__mro__[:-1] if kind == "object" else _own(cls)
    if type(cls) is not type and kind == "object":
        told["__instancecheck__"] = True
    for owner in owners:
        for name, value in owner.__dict__.items():
            if owner in _NATIVE and name in _NATIVE_COMPARES:
                continue
            if name in SPECIALS and not (kind == "record" and name in _RECORD_OWN):
                told.setdefault(name, value is not None)
    if kind == "exception":
        told.pop("__str__", None)
        told.pop("__repr__", None)
    return told


def _methods(cls: type) -> dict[str, int]:
    told: dict[str, int] = {}
    for owner in _own(cls):
        for name, value in owner.__dict__.items():
            if isinstance(value, FunctionType) and not (name.startswith("__") and name.endswith("__")):
                told.setdefault(name, function_flag(cast(Any, value)))
            elif name not in told and not name.startswith("__"):
                told[name] = -1  # an attribute of another sort hides a method further up
    return {name: flag for name, flag in told.items() if flag >= 0 and name not in _RECORD_OWN}


def _more(cls: Any, kind: str, encode: Describe) -> Any:
    if kind == "enum":
        base = next(index for index, base in enumerate(_ENUM_KINDS) if issubclass(cls, base))
        return [base, [[name, encode(member.value)] for name, member in cls.__members__.items()]]
    if kind == "record":
        built = cls.__new__ is not next(c for c in cls.__mro__ if "_fields" in c.__dict__).__new__
        defaults = [[name, encode(value)] for name, value in cls._field_defaults.items()]
        return [list(cls._fields), defaults, built]
    return [_native(cls), _dataclass(cls)] if kind == "object" else None


def _native(cls: type) -> str | None:
    """The builtin value type that the class derives from."""
    return next((base.__name__ for base in cls.__mro__[1:] if base in _NATIVE), None)


def _dataclass(cls: Any) -> list[Any] | None:
    if not hasattr(cls, "__dataclass_fields__"):
        return None
    return [[field.name for field in cls.__dataclass_fields__.values()], bool(cls.__dataclass_params__.frozen)]
