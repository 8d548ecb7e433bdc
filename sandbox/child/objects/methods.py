"""Makes what stands for methods and functions of the other process, and for what they say of themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..load import TESTS
from .handle import SIDE, asked, number_of
from .overriding import JUDGING_METHODS, beside
from .stubs import stand_in


def special(name: str, owner: int) -> Callable[..., Any]:
    """Returns the mirror of a special method of the class with number `owner`."""

    def forward(*args: Any, **kwargs: Any) -> Any:
        given = SIDE.peer.special(name, owner, args, kwargs)
        return given.__await__() if name == "__await__" else given

    return forward


def computed(name: str, owner: int) -> Callable[..., Any]:
    """Returns the mirror of a special method that Python generated from the fields of its class."""

    def compute(*args: Any) -> Any:
        return SIDE.peer.computed(name, owner, args)

    return compute


class Docstring:
    """The `__doc__` of a mirrored class. An object may have one of its own, such as a decorator that is an object."""

    def __init__(self, of_class: str | None) -> None:
        self._of_class = of_class

    def __get__(self, thing: Any, _owner: type) -> Any:
        return self._of_class if thing is None or number_of(thing) is None else asked("getattr", thing, "__doc__")


def named_in_a_class(self: Any, owner: type, name: str) -> None:  # noqa: ARG001 - the protocol's signature
    """Stands for `__set_name__` when a descriptor of the solution becomes an attribute of a class of the tests, or of a
    mirror that is built here, which says nothing."""
    if owner.__module__ == TESTS:
        SIDE.peer.limit(f"the tests make a descriptor of the solution an attribute of a class of their own ({name})")


def method(name: str, owner: int, told: Any, attributes: Any, hides: Mapping[str, Any]) -> Callable[..., Any]:
    """Returns the mirror of an ordinary method; `stubs` describes `told`. `hides` holds what methods of its name are in
    the value class that the program's class derives from, None where that says nothing here."""
    target = {"a": [name, owner]}
    past = {"a": [name, owner, True]}  # the class's method, if the object has something else of that name

    def forward(*args: Any, **kwargs: Any) -> Any:
        return SIDE.peer.call(past if name in SIDE.hidden else target, args, kwargs)

    watched = name in hides or name in JUDGING_METHODS
    called = beside(hides.get(name), forward, lambda: SIDE.peer.answered()) if watched else forward
    made = stand_in(name, told, target, called)
    return made if attributes is None else shared_with(made, attributes)


def shared_with(made: Any, attributes: dict[str, Any]) -> Any:
    """Returns the mirror of a function with shared attributes: set on one side, they are set on both."""
    made.__dict__ = attributes
    return made


def function(number: int, name: str, told: Any) -> Callable[..., Any]:
    """Returns the mirror of a function."""
    target = {"~": number}
    return stand_in(name, told, target, lambda *args, **kwargs: SIDE.peer.call(target, args, kwargs))
