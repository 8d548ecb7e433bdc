"""Objects that stand for an object of the other process. Every use of one is a question that is asked there."""

from __future__ import annotations

import sys
from types import FunctionType, GenericAlias, MethodType
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ..load import TESTS
from .overriding import judges

if TYPE_CHECKING:
    from ..proxy.peer import Peer

NUMBER = "_handle_number"
"""The attribute of mirrored classes that holds their number."""
LIBRARY_HOOKS = ("__array", "__dlpack", "__torch", "__dataframe", "__arrow", "_repr_", "_mock_", "__pytest")
"""Attributes by which libraries let an object take over what they do."""
_SLOT, _TWIN, _AGE = "_handle_own_number", "_handle_own_twin", "_handle_own_age"
_BASES: Any = type.__dict__["__bases__"].__get__
_FLAGS: Any = type.__dict__["__flags__"].__get__


class _Side:
    """What mirrors know of this process. It is no attribute of theirs, because the solution's classes may have one of
    that name."""

    peer: Peer
    building = False
    hidden: ClassVar[set[str]] = set()
    """Names of methods that some object hides by an attribute of its own, which was set from this process."""


SIDE = _Side()


def asked(name: str, *args: Any) -> Any:
    """Asks the other process what this built-in returns for an object there."""
    answer = SIDE.peer.call({"g": ["builtins", name]}, args, {})
    owner = args[0] if isinstance(args[0], type) else type(args[0])
    asks = name == "getattr" and callable(answer) and NUMBER in vars(owner)
    if asks and judges(owner, args[1], SIDE.peer.named):
        SIDE.peer.answered()
    return answer


def copied(thing: Any) -> Any:
    """Serves as `__copy__` of an object: its own side makes the copy."""
    return SIDE.peer.call({"g": ["copy", "copy"]}, (thing,), {})


def deeply_copied(thing: Any, _memo: Any) -> Any:
    return SIDE.peer.call({"g": ["copy", "deepcopy"]}, (thing,), {})


def restored(data: bytes) -> Any:
    """Returns the object of the other process that is pickled in these bytes."""
    return SIDE.peer.call({"op": "restored"}, (data,), {})


class Mirror(type):
    """The class of mirrored classes."""

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any], /, **_: Any) -> Any:
        if not SIDE.building:
            SIDE.peer.subclassed(name)
        return super().__new__(cls, name, bases, space)

    def __init__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any], /, **_: Any) -> None:
        super().__init__(name, bases, space)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return SIDE.peer.construct(cls, args, kwargs)

    def __getattr__(cls, name: str) -> Any:
        if NUMBER not in cls.__dict__ or name.startswith(LIBRARY_HOOKS):
            raise AttributeError(name)
        return asked("getattr", cls, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        if SIDE.building or name.startswith("_abc_"):
            super().__setattr__(name, value)
        elif value is not None and value is cls.__dict__.get(name):
            asked("restore", cls, name)
        else:
            asked("setattr", cls, name, value)

    def __delattr__(cls, name: str) -> None:
        asked("delattr", cls, name)

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance) or cls._is_told_of(type(instance)):
            return True
        return cls._counts("isinstance", instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if super().__subclasscheck__(subclass) or cls._is_told_of(subclass):
            return True
        # Only for its own classes and the tests' own: abstract classes of this side ask this of any class.
        return (NUMBER in subclass.__dict__ or subclass.__module__ == TESTS) and cls._counts("issubclass", subclass)

    def _is_told_of(cls, derived: Any) -> bool:
        """Returns whether this is a library's class and the other a class of the solution that derives from it."""
        own = vars(cls)["_@told"][0] if vars(cls).get("_@library") else None
        return own is not None and isinstance(derived, Mirror) and own in vars(derived).get("_@told", ())

    def _counts(cls, asking: str, thing: Any) -> bool:
        """Asks the solution's registered classes, hooks or metaclass about an object that is not its instance by
        inheritance. A yes is the solution's own claim, and is noted as one. Nothing can be asked about a class that is
        still being built here."""
        if SIDE.building or not (cls.__dict__.get("_@instancecheck") and asked(asking, thing, cls)):
            return False
        SIDE.peer.answered()
        return True

    def __getitem__(cls, item: Any) -> Any:
        if cls.__dict__.get("_@class_getitem"):
            return asked("getattr", cls, "__class_getitem__")(item)
        return GenericAlias(cls, item)

    @property
    def __signature__(cls) -> Any:
        """The parameters of the constructor, for `inspect.signature`, which asks only code that looks at functions."""
        initializer = asked("getattr", cls, "__init__") if NUMBER in cls.__dict__ else None
        if type(initializer) is not FunctionType:
            raise AttributeError("__signature__")
        told = sys.modules["inspect"].signature(initializer)
        return told.replace(parameters=[*told.parameters.values()][1:])

    @property
    def __flags__(cls) -> int:
        """Tells `inspect.isabstract` whether the class is abstract."""
        return asked("getattr", cls, "__flags__") if NUMBER in cls.__dict__ else _FLAGS(cls)

    @property
    def __mro__(cls) -> tuple[type, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return tuple(cls.mro())

    def mro(cls) -> list[type]:
        found = super().mro()
        return found if SIDE.building else [base for base in found if base is not Handle]

    @property
    def __bases__(cls) -> tuple[type, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return tuple(object if base is Handle else base for base in _BASES(cls))


class _Making:
    """A step of making an object, by which tests go past the constructor: the object is made in its own process."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, thing: Any, owner: type) -> Any:
        found = asked("getattr", owner, self._name)
        return found if thing is None or self._name == "__new__" else MethodType(found, thing)


SIDE.building = True


class Handle(metaclass=Mirror):
    """An object of the other process. `_SLOT` is its number there, None as long as only its twin is known. `_TWIN`
    holds the values of its fields, and `_AGE` at which question they were last asked for."""

    __slots__ = ("__weakref__", _SLOT, _TWIN, _AGE)

    def __getattr__(self, name: str) -> Any:
        if name.startswith(LIBRARY_HOOKS):
            raise AttributeError(name)
        if number_of(self) is None and name in vars(twin_of(self)[0]):
            return getattr(twin_of(self)[0], name)
        return asked("getattr", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        asked("setattr", self, name, value)
        hide(self, name)

    def __delattr__(self, name: str) -> None:
        asked("delattr", self, name)

    def __repr__(self) -> str:
        SIDE.peer.answered("__repr__", self)
        return asked("repr", self)

    def __dir__(self) -> list[str]:
        return asked("dir", self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return restored, (SIDE.peer.call({"op": "pickled"}, (self, protocol), {}),)

    __copy__, __deepcopy__ = copied, deeply_copied
    __new__, __init__ = _Making("__new__"), _Making("__init__")  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]


SIDE.building = False


def hide(handle: Any, name: str) -> None:
    """Notes that the tests set this attribute of an object; if its class has a method of that name, the attribute hides
    it."""
    if SIDE.peer.prunes and own_method(handle, name) is not None and _own(handle, name):
        SIDE.hidden.add(name)
        type.__setattr__(cast(Any, Handle), "__getattribute__", _shown)


def _own(handle: Any, name: str) -> list[Any]:
    """Returns, in a list, what an object of the solution itself has under this name; [] when it has nothing."""
    return SIDE.peer.call({"op": "own"}, (handle, name), {})


def _shown(self: Any, name: str) -> Any:
    """Returns an attribute of a handle, once there are objects that hide methods of their classes."""
    own = _own(self, name) if name in SIDE.hidden else []
    return own[0] if own else object.__getattribute__(self, name)


def own_method(thing: Any, name: str) -> Any:
    """Returns the function that the class of an object has under this name; None for anything else."""
    found = next((vars(owner)[name] for owner in type(thing).__mro__ if name in vars(owner)), None)
    return found if type(found) is FunctionType else None


def new_handle(cls: type, number: int | None, twin: Any = None) -> Any:
    """Returns a handle of a mirrored class."""
    handle = object.__new__(cast(Any, cls))
    object.__setattr__(handle, _SLOT, number)
    set_twin(handle, twin, 0)
    return handle


def number_of(handle: Any) -> int | None:
    return object.__getattribute__(handle, _SLOT)


def set_number(handle: Any, number: int | None) -> None:
    object.__setattr__(handle, _SLOT, number)


def twin_of(handle: Any) -> tuple[Any, int]:
    """Returns the twin and its age."""
    return object.__getattribute__(handle, _TWIN), object.__getattribute__(handle, _AGE)


def set_twin(handle: Any, twin: Any, age: int) -> None:
    object.__setattr__(handle, _TWIN, twin)
    object.__setattr__(handle, _AGE, age)
