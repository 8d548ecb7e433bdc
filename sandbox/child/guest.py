"""The tests' side: asks the solution, decodes nothing but data, and lends only what the tests handed over."""

from __future__ import annotations

import builtins
import importlib
import operator
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

from . import guard
from .codec import CannotCross, TooLarge, Unreadable
from .crossing import global_name
from .describe import special_of
from .doors import Door
from .handle import NUMBER, Handle, number_of
from .hearing import hear
from .lazy import Drawer, async_drawn, drawn
from .operators import CALCULATIONS, CONTAINS, EQUAL, UNEQUAL, Ask, equal, operate
from .patches import Place
from .peer import MALFORMED, Message, Peer
from .wire import LinkLost

Doubt = Callable[[str, bool], None]
_ANSWERED = "a comparison or calculation was answered by the solution's own class"
_TRUTH = "the truth of an object was answered by the solution's own class"


class Guest(Peer):
    """Asks; `doubt(reason, limit)` hears what keeps a pass from being confirmed."""

    prunes = True

    def __init__(self) -> None:
        super().__init__(0)
        self.doubt: Doubt = lambda _reason, _limit: None
        self.modules: list[str] = []
        """Names of the solution's own modules, as the judge's job tells them."""
        self.place: Place | None = None
        """Told with each message, where the tests may leave their folder or change their environment."""
        self._pump: Any = None
        self._excused = 0
        """Depth of questions whose failure to cross says nothing about the tests."""
        self.lost: str = ""
        """Why the solution can no longer be asked; from then on nothing passes."""
        self._operations: dict[str, Callable[..., Any]] = {
            "draw": Drawer(self.exports).draw,
            "input": _input,
            "read": _read,
            "readline": _readline,
        }

    def call(self, target: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        try:
            return super().call(target, args, kwargs)
        except LinkLost as problem:
            self.lost = self.lost or str(problem)
            raise
        except CannotCross as problem:
            if not self._excused and not isinstance(problem, TooLarge):
                self.doubt(str(problem), True)
            raise

    def hello(self) -> Message:
        """The first message of the solution's side; until it comes, its questions are answered. Raises LinkLost."""
        while True:
            message = self.wire.receive()
            try:
                if message[0] in ("hello", "broken"):
                    self.apply(message[1])
                    return message
                self.answer(message)
            except MALFORMED as problem:
                raise LinkLost("an unreadable message") from problem

    def answer(self, message: Message) -> None:
        self._excused += 1
        try:
            super().answer(message)
        finally:
            self._excused -= 1

    def permit(self, value: Any) -> None:
        if not guard.may_lend(value):
            refused = CannotCross if guard.is_of_the_tests(value) else TypeError
            raise refused(f"a {type(value).__module__}.{type(value).__name__} of the tests cannot cross")

    def is_own(self, value: Any) -> bool:
        """Whether this is a module, class or function of this process, not one that stands for the solution's."""
        if isinstance(value, ModuleType):
            return type(value) is not Door
        if isinstance(value, type):
            return NUMBER not in value.__dict__
        return callable(value) and self.mirrors.number(value) is None and not isinstance(value, Handle)

    def name_of(self, value: Any) -> list[str] | None:
        return global_name(value)

    def known_global(self, module: str, name: str) -> Any:
        return guard.known_class(module, name)

    def resolve(self, target: Any) -> Callable[..., Any]:
        ((tag, content),) = target.items()
        if tag == "op":
            return self._operations[content]
        if tag == "g" and guard.may_ask(*content):
            return self._asked(content[1])
        if tag == "~":
            thing = self.exports[content]
            self.permit(thing)
            return self._called(thing)
        number, name, *_ = content
        thing = self.exports[number]
        self.permit(thing)
        if tag == "s" and guard.may_do(name):
            return self._called(special_of(thing, name))
        if tag in ("a", "get", "set", "del") and guard.may_name(thing, name):
            return self._attribute(tag, thing, name)
        raise TypeError("the tests do not lend that")

    def _asked(self, name: str) -> Callable[..., Any]:
        doing: Callable[..., Any] = getattr(builtins, name)

        def ask(value: Any, *args: Any) -> Any:
            self.permit(value)
            return doing(value, *args)

        return ask

    def _attribute(self, tag: str, thing: Any, name: str) -> Callable[..., Any]:
        if tag == "a":
            return self._called(getattr(thing, name))
        return partial({"get": getattr, "set": setattr, "del": delattr}[tag], thing, name)

    def _called(self, doing: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            given = doing(*args, **kwargs)
            return _settled(given) if isinstance(given, Awaitable) else given

        return call

    def read_module(self, name: str) -> Any:
        if name in self.modules:
            return importlib.import_module(name)
        try:
            return guard.may_import(name)
        except Unreadable:
            return Door(str(name), self, {})

    def read_awaitable(self, number: int) -> Any:
        if self._pump is None:
            from .awaits import Pump  # noqa: PLC0415 - brings asyncio, which only async solutions need

            self._pump = Pump(self)
        return self._pump.wait(number)

    def read_iterator(self, number: int) -> Iterator[Any]:
        return self.mirrors.get(number, lambda: drawn(self, number))

    def read_async_iterator(self, number: int) -> Any:
        return self.mirrors.get(number, lambda: async_drawn(self, number))

    def compare(self, name: str, handle: Any, other: Any) -> Any:
        """A comparison that a handle takes part in: identity where its class has none of its own."""
        if type(handle).__dict__.get("@native"):
            theirs = self._native_value(other) if isinstance(other, Handle) else other
            return getattr(operator, name)(self._native_value(handle), theirs)
        if not type(handle).__dict__.get("@equal", False) and name in (EQUAL, UNEQUAL):
            return NotImplemented
        if name == UNEQUAL:
            same = self.compare(EQUAL, handle, other)
            return same if same is NotImplemented else not same

        def ask(given: Any) -> Any:
            return self.call({"s": [number_of(handle), name]}, (given,), {})

        return self.operate(name, ask, other)

    def operate(self, name: str, ask: Ask, other: Any) -> Any:
        """An operator of the solution's own; what cannot cross it does not know."""
        if name not in (CONTAINS, *CALCULATIONS) or type(other) in (int, float):
            self.doubt(_ANSWERED, False)
        self._excused += 1
        try:
            if isinstance(other, Handle):
                return ask(other)
            return equal(ask, other) if name == EQUAL else operate(name, ask, other)
        except CannotCross:
            return NotImplemented
        finally:
            self._excused -= 1

    def _native_value(self, handle: Any) -> Any:
        """The plain value of an object whose class derives from a builtin one and compares as that does."""
        native = type(handle).__dict__.get("@native")
        if not native:
            return handle
        value = self.call({"g": ["builtins", native]}, (handle,), {})
        if type(value).__name__ != native or type(value).__module__ != "builtins":
            raise TypeError(f"not a {native} after all")
        return value

    def truth(self, handle: Any, own: bool) -> bool:
        if type(handle).__dict__.get("@native"):
            return bool(self._native_value(handle))
        self.doubt(_TRUTH, False)
        return bool(self.call({"g": ["builtins", "bool"]}, (handle,), {})) if own else True

    def subclassed(self, name: str) -> None:
        self.doubt(f"the tests subclass a class of the solution ({name})", True)
        raise CannotCross("a class of the solution cannot be subclassed from another process")

    def add_extras(self, extras: dict[str, Any]) -> None:
        if self.place is not None:
            self.place.add(extras)

    def take_extras(self, extras: dict[str, Any]) -> None:
        hear(extras)


def _input(prompt: object) -> str:
    return input(str(prompt))


def _read(size: int) -> str:
    return sys.stdin.read(int(size))


def _readline(size: int) -> str:
    return sys.stdin.readline(int(size))


def _settled(given: Any) -> Any:
    """The value of what a callback of the tests gave to await."""
    if type(given).__module__ not in ("builtins", "_asyncio"):
        return given
    from .awaits import run_here  # noqa: PLC0415 - brings asyncio, which only async suites need

    return run_here(given)
