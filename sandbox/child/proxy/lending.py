"""Does what the solution's side asks with objects of the tests that it was handed: call, enter, compare and copy them,
and reach public attributes. Each act is asked for by name, and what `guard` does not name is refused."""

from __future__ import annotations

import builtins
from collections.abc import Awaitable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from ..load import TESTS
from ..objects.describe import special_of
from ..objects.handle import Mirror
from . import guard
from .guard import soon

if TYPE_CHECKING:
    from .tests_side import TestsSide

REFUSED = "the tests do not lend that"
_REPLACED = "the solution replaced a method, or an object, of an object of the tests"


def _is_made_by_tests(value: Any) -> bool:
    return cast(Any, type(value)).__module__ == TESTS


def _is_watched(thing: Any, value: Any) -> bool:
    """Returns whether it is noted when an object of the solution, as an attribute of a mock, is asked to judge."""
    return guard.is_mock(cast(Any, type(thing))) and isinstance(cast(Any, type(value)), Mirror)


class Lending:
    """Carries out what is asked of lent objects; each method raises TypeError for what is not allowed."""

    def __init__(self, side: TestsSide) -> None:
        self._side = side

    def _lent(self, thing: Any) -> Any:
        """Returns `thing` if it was handed over. Raises TypeError otherwise: the other side may name more objects than
        it may use."""
        if not self._side.holds(thing) and type(thing).__module__ != TESTS:
            raise TypeError(REFUSED)
        self._side.permit(thing)
        return thing

    def copied(self, how: str, thing: Any) -> Any:
        return guard.COPIES[how](self._lent(thing))

    def method(self, name: Any, thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not guard.may_do(name) and not guard.may_name(self._lent(thing), name):
            raise TypeError(REFUSED)
        return self.called(thing, name, *args, **kwargs)

    def called(self, thing: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Returns what a method of an object of the tests gives, awaited if it has to be."""
        found = (special_of if guard.may_do(name) else getattr)(self._lent(thing), name)
        if type(thing).__module__ in guard.SHARED_BY_THREADS:
            return soon(partial(found, *args, **kwargs))
        given = found(*args, **kwargs)
        return self._side.settling(given) if isinstance(given, Awaitable) else given

    def _replaces(self, thing: Any, name: str, value: Any) -> bool:
        """Returns whether setting this attribute replaces a method, or an object by which the tests may judge by one of
        the solution's own."""
        if callable(getattr(cast(Any, type(thing)), name, None)):
            return True
        held = getattr(thing, name, None)
        of_the_tests = callable(held) or _is_made_by_tests(held)
        return of_the_tests and not (guard.is_data(value) or _is_made_by_tests(value) or _is_watched(thing, value))

    def builtin(self, doing: Any, thing: Any, /, *args: Any) -> Any:
        if doing in guard.ABOUT_CLASSES:
            return getattr(builtins, doing)(thing, self._lent(*args))
        named = doing in guard.ON_ATTRIBUTES and guard.may_name(thing, args[0])
        read = doing == "getattr" and guard.may_read(thing, args[0])
        if not (named or read or guard.may_ask(doing)):
            if doing == "getattr" and self._side.holds(thing) and not hasattr(thing, str(args[0])):
                raise AttributeError(f"{type(thing).__name__!r} object has no attribute {args[0]!r}")
            raise TypeError(REFUSED)
        if args[:1] == ("__dict__",):
            held: dict[str, Any] = self._lent(thing).__dict__
            return {name: value for name, value in held.items() if guard.may_name(thing, name)}
        if doing == "setattr" and self._replaces(thing, *args):
            self._side.doubt(_REPLACED)
        return getattr(builtins, doing)(self._lent(thing), *args)
