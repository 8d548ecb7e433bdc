"""Builds mirrored classes from their descriptions."""

from __future__ import annotations

import builtins
import enum
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from .handle import NUMBER, Handle, Mirror, method, special, value_method, value_operator
from .operators import OPERATORS

TEXT = "_handle_text"


def build(number: int, description: list[Any], decode: Callable[[Any], Any]) -> type:
    """A class for this description. Raises TypeError, ValueError or KeyError for what describes none."""
    kind, name, bases, specials, methods, more = description
    if not (isinstance(name, str) and name.isidentifier()):
        raise TypeError("a class without a name")
    maker = {"object": _object, "enum": _enum, "record": _record, "exception": _exception}[kind]
    return maker(number, name, tuple(decode(base) for base in bases), (specials, methods, more), decode)


Parts = tuple[dict[str, bool], dict[str, int], Any]
Decode = Callable[[Any], Any]


def _object(number: int, name: str, bases: tuple[type, ...], parts: Parts, _decode: Decode) -> type:
    specials, methods, more = parts
    space: dict[str, Any] = {"__slots__": (), NUMBER: number, "__module__": "solution"}
    space |= {key: method(number, key, flag) for key, flag in methods.items()}
    own = {key for key, on in specials.items() if on} - {"__copy__", "__deepcopy__", "__dir__", "__format__"}
    space |= {key: special(key) for key in own - {"__bool__", "__repr__", "__str__"}}
    if specials.get("__hash__") is False:
        space["__hash__"] = None
    elif "__hash__" not in own:
        space["__hash__"] = object.__hash__
    space["@truth"] = bool(own & {"__bool__", "__len__"})
    space["@equal"] = "__eq__" in own
    native, fields = more
    if native:
        pretended = type(name, (getattr(builtins, native),), {})
        space["__class__"] = property(lambda _: pretended)
        space["@native"] = native if "__eq__" not in own else None
    if fields:
        space |= _dataclass_parts(*fields)
    Mirror.building = True
    try:
        return Mirror(name, bases or (Handle,), space)
    finally:
        Mirror.building = False


def _dataclass_parts(names: list[str], frozen: bool) -> dict[str, Any]:
    """What `dataclasses.fields`, `asdict` and `replace` look for."""
    import dataclasses  # noqa: PLC0415 - only where a dataclass really crossed

    made: Any = dataclasses.make_dataclass("Fields", names, frozen=frozen)
    return {name: getattr(made, name) for name in ("__dataclass_fields__", "__dataclass_params__")}


def _exception(number: int, name: str, bases: tuple[type, ...], parts: Parts, _decode: Decode) -> type:
    def constructed(self: Any, *args: Any, **kwargs: Any) -> None:
        twin = Mirror.peer.call({"~": number}, args, kwargs)
        self.args = twin.args
        self.__dict__.update(twin.__dict__)

    space: dict[str, Any] = {"__init__": constructed, NUMBER: number, "__str__": _text, "__getattr__": _asked}
    return _AskingType(name, bases, space | _values(number, parts))


def _text(self: Any) -> str:
    known = self.__dict__.get(TEXT)
    return known if isinstance(known, str) else ", ".join(map(str, self.args))


def _record(number: int, name: str, _bases: tuple[type, ...], parts: Parts, decode: Decode) -> type:
    fields, defaults, built = parts[2]
    base: Any = namedtuple(name, fields, defaults=[decode(value) for _, value in defaults])  # pyright: ignore
    space: dict[str, Any] = {"__slots__": (), NUMBER: number, **_values(number, parts)}
    if built:
        space["__new__"] = _constructor(number)
    space["__getattr__"] = _asked
    return _AskingType(name, (base,), space)


def _constructor(number: int) -> Callable[..., Any]:
    def construct(_cls: type, *args: Any, **kwargs: Any) -> Any:
        return Mirror.peer.call({"~": number}, args, kwargs)

    return construct


def _values(number: int, parts: Parts) -> dict[str, Any]:
    specials, methods, _ = parts
    space: dict[str, Any] = {key: value_method(number, key, flag) for key, flag in methods.items()}
    for key, on in specials.items():
        if on and key not in ("__hash__", "__eq__", "__ne__"):
            space[key] = value_operator(number, key) if key in OPERATORS else value_method(number, key, 0)
    return space


def _asked(self: Any, name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return Mirror.peer.call({"g": ["builtins", "getattr"]}, (self, name), {})


def _class_asked(cls: type, name: str) -> Any:
    number = cls.__dict__.get(NUMBER)
    if number is None or name.startswith("_"):
        raise AttributeError(name)
    return Mirror.peer.call({"get": [number, name]}, (), {})


class _AskingType(type):
    __getattr__ = _class_asked


class _AskingEnum(enum.EnumMeta):
    __getattr__ = _class_asked


class _Asking:
    __getattr__ = _asked


class _Enum(_Asking, enum.Enum, metaclass=_AskingEnum): ...


class _Flag(_Asking, enum.Flag, metaclass=_AskingEnum): ...


class _IntEnum(_Asking, enum.IntEnum, metaclass=_AskingEnum): ...


class _StrEnum(_Asking, enum.StrEnum, metaclass=_AskingEnum): ...


class _IntFlag(_Asking, enum.IntFlag, metaclass=_AskingEnum): ...


_ENUMS: tuple[Any, ...] = (_IntFlag, _Flag, _IntEnum, _StrEnum, _Enum)


def _enum(number: int, name: str, _bases: tuple[type, ...], parts: Parts, decode: Decode) -> type:
    base, members = parts[2]
    made: Any = _ENUMS[base](name, [(key, decode(value)) for key, value in members])
    for key, value in {NUMBER: number, **_values(number, parts)}.items():
        type.__setattr__(made, key, value)
    return made
