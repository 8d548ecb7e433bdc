"""Builds mirror classes from the descriptions that the other process sends."""

from __future__ import annotations

import enum
import sys
import types
from abc import ABCMeta
from collections import namedtuple
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from . import twins
from .describe import ENUM_KINDS, SPECIALS
from .handle import (
    LIBRARY_HOOKS,
    NUMBER,
    SIDE,
    Handle,
    Mirror,
    asked,
    copied,
    deeply_copied,
)
from .methods import Docstring, computed, method, named_in_a_class, special
from .overriding import hidden_by, hidden_in

TEXT = "_handle_text"
"""Attribute that holds the text of an exception from the other process."""
_DATACLASS = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
"""Attributes that `dataclasses.fields`, `asdict`, `replace` and `match` look for."""
_COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_BASIC = ("builtins", "types", "typing", "abc")
_OF_GROUPS = frozenset(("split", "subgroup", "derive"))
"""Methods of an exception that `except*` asks."""
_FRAMEWORKS = ("pytest", "_pytest", "pytest_asyncio", "pluggy", "hypothesis")
_MAY_BE_A_BASE = 1 << 10
"""The flag of classes that others may derive from."""
_OF_ZONES = ("utcoffset", "dst", "tzname", "fromutc")
_HOOKS: dict[str, dict[str, Any]] = {
    "__set_name__": {"__set_name__": named_in_a_class},
    "__copy__": {"__copy__": copied, "__deepcopy__": deeply_copied},
}
"""What a mirror gets if its class has a special method of that name."""
Decode = Callable[[Any], Any]
Space = dict[str, Any]


def build(number: int, description: list[Any], decode: Decode) -> type:
    """Returns a class for this description. Raises TypeError, ValueError or KeyError for a malformed one."""
    kind, (name, full_name, module, doc), library, told_bases, specials, methods, more = description
    if not (isinstance(name, str) and name.isidentifier()):
        raise TypeError("a class without a name")
    asks: Space = {f"_@{name}": bool(specials.pop(f"__{name}__", False)) for name in ("instancecheck", "class_getitem")}
    for hook, own in _HOOKS.items():
        asks |= own if specials.pop(hook, False) else {}
    if not (SPECIALS.issuperset(specials) and all(map(_is_method_name, methods))):
        raise TypeError("a method that no honest class is told with")
    bases = (kind == "exception" and _caught_here(*library)) or tuple(decode(base) for base in told_bases)
    known = _known(library[1]) if kind == "object" else []
    hides = hidden_by(bases) | hidden_in(known)
    space: Space = {
        key: method(key, number, decode(told), decode(attributes), hides) for key, (told, attributes) in methods.items()
    }
    space |= {key: special(key, number) if on else None for key, on in specials.items()}
    # else a class could claim the tests' module, by which `guard` knows the tests' own objects
    home = module if module in SIDE.peer.modules else "solution"
    space |= {NUMBER: number, "__module__": home, "__qualname__": str(full_name), "__doc__": doc, **asks}
    if asks["_@class_getitem"] and kind != "object":  # for kind "object", `Mirror` asks for them
        space["__class_getitem__"] = classmethod(_item_of_a_class)
    if kind == "meta":
        space.pop("mro", None)  # `type` would call it while the class is made
        return _AskingType(name, (Mirror,), space)
    if kind == "object":
        return _object(name, library, bases, space | {"_@hides": hides, "_@known": known}, more, decode)
    if kind == "enum":
        return _enum(name, space, more, decode)
    return _native(kind, name, bases, space, more, decode)


def _caught_here(is_library: bool, known: list[list[str]], _: Any) -> tuple[type, ...]:
    """Returns, in a tuple, the exception class of an installed package by which the tests would catch this one: they
    import that package, and the class is made as Python makes exceptions; () if there is none. Test frameworks end
    checks by theirs, which are no business of the program."""
    if not is_library:
        return ()
    module, name = known[0]
    top = module.partition(".")[0]
    if module not in sys.modules:
        SIDE.peer.import_first()
    found = vars(sys.modules[module]).get(name) if module in sys.modules and top not in _FRAMEWORKS else None
    if not isinstance(found, type) or not issubclass(found, BaseException) or name.startswith("_"):
        return ()
    plain = all(owner.__module__ == "builtins" or "__new__" not in vars(owner) for owner in found.__mro__)
    if plain and found.__flags__ & _MAY_BE_A_BASE:
        return (found,)
    SIDE.peer.sealed.add(name)
    return ()


def _is_method_name(name: str) -> bool:
    """Returns whether the name is no special method: those are told apart, because their answers count differently."""
    return name.isidentifier() and not (name.startswith("__") and name.endswith("__"))


def _object(name: str, library: Any, bases: tuple[type, ...], space: Space, more: Any, decode: Decode) -> type:
    if "__eq__" in space and "__hash__" not in space:
        space["__hash__"] = None
    if more is not None:
        twin = twins.build(name, more, decode)
        space |= {key: computed(key, space[NUMBER]) for key in more[1] if key in twins.COMPLETED}
        space |= {key: getattr(twin, key) for key in _DATACLASS} | {
            "_@twin": twin,
            "_@made": bool(more[2]),
        }
    space |= {"_@library": bool(library[0] and library[1]), "_@told": library[1]}
    space["__doc__"] = Docstring(space["__doc__"])
    known: list[Any] = space["_@known"]
    concrete = [cls for cls in known if isinstance(cls, type) and not isinstance(cls, ABCMeta)]
    zone: Any = getattr(sys.modules.get("datetime"), "tzinfo", None)
    if zone is not None and zone in known:  # datetime's C code asks such an object, and accepts only a real tzinfo
        bases = (*(bases or (Handle,)), cast(type, zone))
        space |= {key: special(key, space[NUMBER]) for key in _OF_ZONES if key in space}
    if concrete:
        space["__class__"] = property(lambda _: concrete[0])
    meta: Any = decode(library[2]) or Mirror
    SIDE.building = True
    try:
        made: Any = meta(name, bases or (Handle,), {"__slots__": (), **space})
        for cls in known:
            if isinstance(cls, ABCMeta):
                cls.register(made)
    finally:
        SIDE.building = False
    return made


def _known(library: list[list[str]]) -> list[Any]:
    """Returns what classes of installed modules have these names here."""
    named = [
        (module, owner)
        for module, owner in library
        if module in sys.modules and (module not in _BASIC or owner == "property")
    ]
    return [vars(sys.modules[module]).get(owner) for module, owner in named]


def _native(kind: str, name: str, bases: tuple[type, ...], space: Space, more: Any, decode: Decode) -> type:
    """Returns a real class: its instances are exceptions, tuples, lists ... of this process, and its methods are asked
    for in the other."""
    made, fields, defaults = more
    if fields is not None:
        bases = (namedtuple(name, fields, defaults=[decode(value) for _, value in defaults]),)  # pyright: ignore
        space["__slots__"] = ()  # only the fields can be set
    space["__getattr__"] = _asked
    if kind == "exception":
        space |= {key: special(key, space[NUMBER]) for key in _OF_GROUPS & space.keys()}
        space |= {"__str__": _text} | ({} if made else {"__init__": _initializer(space[NUMBER])})
        return _AskingType(name, bases, space)
    if kind == "container":
        space["__setattr__"] = _set
    if made is None:
        return _TypedDict(name, bases, space)
    if made:
        return _AskingType(name, bases, space)
    own = {key: _compared(getattr(bases[0], key)) for key in _COMPARISONS}
    return _Constructing(name, bases, {"__hash__": bases[0].__hash__, **own, **space})


def _item_of_a_class(cls: Any, item: Any) -> Any:
    return asked("getattr", cls, "__class_getitem__")(item)


def _text(self: Any) -> str:
    known = self.__dict__.get(TEXT)
    return known if isinstance(known, str) else ", ".join(map(str, self.args))


def _initializer(number: int) -> Callable[..., None]:
    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        there = SIDE.peer.call({"~": number}, args, kwargs)
        self.args = there.args
        self.__dict__.update(there.__dict__)

    return initialize


def _compared(native: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Returns a builtin comparison that reports an answer of the solution if both objects were filled by the program's
    own constructor: such a comparison proves nothing."""

    def compare(self: Any, other: Any) -> Any:
        if isinstance(type(other), _Constructing):
            SIDE.peer.answered()
        return native(self, other)

    return compare


def _set(self: Any, name: str, value: Any) -> None:
    asked("setattr", self, name, value)


def _asked(self: Any, name: str) -> Any:
    if name.startswith(("__", *LIBRARY_HOOKS)) or (name.startswith("_") and name.endswith("_")):
        raise AttributeError(name)
    return asked("getattr", self, name)


def _class_asked(cls: type, name: str) -> Any:
    if NUMBER not in cls.__dict__:
        raise AttributeError(name)
    return asked("getattr", cls, name) if name in _OF_TYPED_DICTS else _asked(cls, name)


_OF_TYPED_DICTS = ("__total__", "__required_keys__", "__optional_keys__")


class _AskingType(type):
    __getattr__ = _class_asked


class _TypedDict(_AskingType):
    """Metaclass of typed dicts, which only say what a dict holds."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return dict(*args, **kwargs)


class _Constructing(_AskingType):
    """Metaclass of real classes whose constructor is the program's own."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return SIDE.peer.construct(cls, args, kwargs)


class _AskingEnum(enum.EnumMeta):
    __getattr__ = _class_asked


class _Asking:
    __getattr__ = _asked


_ENUMS: tuple[Any, ...] = tuple(
    types.new_class(f"_{kind.__name__}", (_Asking, kind), {"metaclass": _AskingEnum}) for kind in ENUM_KINDS
)


def _enum(name: str, space: Space, more: Any, decode: Decode) -> type:
    base, mixed, completes, members = more
    if any(key.startswith("__") for key, _ in members):
        raise TypeError("a member that is a special method")
    made: Any = _ENUMS[base](name, [(key, enum.member(decode(value))) for key, value in members], type=decode(mixed))
    if completes:
        space["_missing_"] = staticmethod(partial(_looked_up, space[NUMBER]))
    for key, value in space.items():
        type.__setattr__(made, key, value)
    return made


def _looked_up(number: int, value: Any) -> Any:
    """Returns the member that the program gives for a value of none. It may be what is compared with such a member, so
    it confirms nothing."""
    SIDE.peer.answered()
    return SIDE.peer.call({"~": number}, (value,), {})
