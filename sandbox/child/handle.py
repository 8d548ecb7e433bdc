"""Objects that stand for an object of the other process: every use of theirs is a question asked there."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from typing import Any, Protocol, cast

from .describe import AWAITED
from .operators import OPERATORS, Ask

Json = Any
COMPARISONS = frozenset(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"))
NUMBER = "_handle_number"
"""Attribute of mirrored classes."""
_LIBRARY_HOOKS = ("__array", "__dlpack", "__torch", "__dataframe", "__arrow", "_repr_", "_mock_", "__pytest")
"""Attributes by which libraries let an object take over what they do."""
_SLOT = "_handle_own_number"


class Caller(Protocol):
    """The side of the conversation that mirrors speak to."""

    def call(self, target: Json, args: Any, kwargs: dict[str, Any]) -> Any: ...

    def compare(self, name: str, handle: Any, other: Any) -> Any: ...

    def operate(self, name: str, ask: Ask, other: Any) -> Any: ...

    def truth(self, handle: Any, own: bool) -> bool: ...

    def subclassed(self, name: str) -> None: ...


class Mirror(type):
    """The class of mirrored classes."""

    peer: Caller
    building = False

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        if not Mirror.building:
            Mirror.peer.subclassed(name)
        return super().__new__(cls, name, bases, space)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return Mirror.peer.call({"~": cls.__dict__[NUMBER]}, args, kwargs)

    def __getattr__(cls, name: str) -> Any:
        if NUMBER not in cls.__dict__ or name.startswith(_LIBRARY_HOOKS):
            raise AttributeError(name)
        return Mirror.peer.call({"get": [cls.__dict__[NUMBER], name]}, (), {})

    def __setattr__(cls, name: str, value: Any) -> None:
        if Mirror.building or name.startswith("_abc_"):
            super().__setattr__(name, value)
        elif value is not None and value is cls.__dict__.get(name):
            Mirror.peer.call({"del": [cls.__dict__[NUMBER], name]}, (), {})  # puts the original back
        else:
            Mirror.peer.call({"set": [cls.__dict__[NUMBER], name]}, (value,), {})

    def __delattr__(cls, name: str) -> None:
        Mirror.peer.call({"del": [cls.__dict__[NUMBER], name]}, (), {})

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        if "__instancecheck__" not in cls.__dict__:
            return False
        return bool(Mirror.peer.call({"g": ["builtins", "isinstance"]}, (instance, cls), {}))

    def __getitem__(cls, item: Any) -> Any:
        return cls

    def __iter__(cls) -> Any:
        return iter(Mirror.peer.call({"g": ["builtins", "list"]}, (cls,), {}))


Mirror.building = True


class Handle(metaclass=Mirror):
    """An object of the other process."""

    __slots__ = ("__weakref__", _SLOT)

    def __getattr__(self, name: str) -> Any:
        if name.startswith(_LIBRARY_HOOKS):
            raise AttributeError(name)
        return Mirror.peer.call({"get": [number_of(self), name]}, (), {})

    def __setattr__(self, name: str, value: Any) -> None:
        Mirror.peer.call({"set": [number_of(self), name]}, (value,), {})

    def __delattr__(self, name: str) -> None:
        Mirror.peer.call({"del": [number_of(self), name]}, (), {})

    def __repr__(self) -> str:
        return Mirror.peer.call({"g": ["builtins", "repr"]}, (self,), {})

    def __str__(self) -> str:
        return Mirror.peer.call({"g": ["builtins", "str"]}, (self,), {})

    def __format__(self, spec: str) -> str:
        return Mirror.peer.call({"g": ["builtins", "format"]}, (self, spec), {})

    def __dir__(self) -> list[str]:
        return Mirror.peer.call({"g": ["builtins", "dir"]}, (self,), {})

    def __copy__(self) -> Any:
        return Mirror.peer.call({"g": ["copy", "copy"]}, (self,), {})

    def __deepcopy__(self, _memo: Any) -> Any:
        return Mirror.peer.call({"g": ["copy", "deepcopy"]}, (self,), {})

    def __bool__(self) -> bool:
        own = type(self).__dict__.get("@truth", False)
        return Mirror.peer.truth(self, own)

    def __eq__(self, other: object) -> Any:
        return Mirror.peer.compare("__eq__", self, other)

    def __ne__(self, other: object) -> Any:
        return Mirror.peer.compare("__ne__", self, other)

    __hash__ = object.__hash__


Mirror.building = False


def number_of(handle: Any) -> int:
    return object.__getattribute__(handle, _SLOT)


def handle_for(cls: type, number: int) -> Any:
    """A new handle of a mirrored class."""
    handle = object.__new__(cast(Any, cls))
    object.__setattr__(handle, _SLOT, number)
    return handle


def special(name: str) -> Callable[..., Any]:
    """The mirror of a special method."""
    if name in COMPARISONS:
        return _comparison(name)
    if name == "__await__":
        return _awaited
    if name in OPERATORS:
        return _operator(name)

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        return Mirror.peer.call({"s": [number_of(self), name]}, args, kwargs)

    return forward


def _comparison(name: str) -> Callable[..., Any]:
    def compare(self: Any, other: Any) -> Any:
        return Mirror.peer.compare(name, self, other)

    return compare


def _operator(name: str) -> Callable[..., Any]:
    def operate(self: Any, other: Any) -> Any:
        return Mirror.peer.operate(name, lambda given: _asked(self, name, given), other)

    return operate


def _asked(self: Any, name: str, given: Any) -> Any:
    return Mirror.peer.call({"s": [number_of(self), name]}, (given,), {})


def _awaited(self: Any) -> Generator[Any, Any, Any]:
    future = Mirror.peer.call({"w": number_of(self)}, (), {})
    return future.__await__()


def method(owner: int, name: str, flag: int) -> Callable[..., Any]:
    """The mirror of an ordinary method, looked up in the class of number `owner`."""

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        return Mirror.peer.call({"a": [number_of(self), name, owner]}, args, kwargs)

    return _named(_async(forward) if flag == AWAITED else forward, name)


def value_method(number: int, name: str, flag: int) -> Callable[..., Any]:
    """The mirror of a method of a class whose instances cross by value; `number` is the class's."""

    def forward(*args: Any, **kwargs: Any) -> Any:
        return Mirror.peer.call({"a": [number, name]}, args, kwargs)

    return _named(_async(forward) if flag == AWAITED else forward, name)


def value_operator(number: int, name: str) -> Callable[..., Any]:
    """The mirror of an operator of such a class."""

    def operate(self: Any, other: Any) -> Any:
        return Mirror.peer.operate(
            name, lambda given: Mirror.peer.call({"a": [number, name]}, (self, given), {}), other
        )

    return operate


def function(number: int, name: str, flag: int, doc: str | None) -> Callable[..., Any]:
    """The mirror of a function."""

    def forward(*args: Any, **kwargs: Any) -> Any:
        return Mirror.peer.call({"~": number}, args, kwargs)

    mirrored = _named(_async(forward) if flag == AWAITED else forward, name)
    mirrored.__doc__ = doc
    return mirrored


def _async(forward: Callable[..., Any]) -> Callable[..., Any]:
    async def forward_async(*args: Any, **kwargs: Any) -> Any:
        given = forward(*args, **kwargs)
        return cast(Any, await given if isinstance(given, Coroutine) else given)

    return forward_async


def _named(forward: Callable[..., Any], name: str) -> Callable[..., Any]:
    forward.__name__ = forward.__qualname__ = name
    return forward
