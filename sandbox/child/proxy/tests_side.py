"""The tests' side: asks the solution, decodes nothing but data, and lends only what the tests handed over."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, cast

from ..load import TESTS
from ..objects.crossing import identity
from ..objects.describe import SPECIALS, is_known, library_name
from ..objects.handle import NUMBER, Mirror
from ..objects.overriding import is_nameless
from ..objects.raising import is_failure, is_own_failure, not_ending
from ..reporter import TRAIL
from ..values.codec import CannotCross, DecodeError, TooLarge
from . import guard
from .constructing import Constructing
from .doors import Door
from .guard import SettledAwaitable, settled
from .lazy import IteratorDrawer, async_drawn
from .lending import REFUSED, Lending
from .patches import take_place
from .peer import Compose, Gather
from .specials import BINARY, COMPARING, PASSING, SILENT
from .streams import hear
from .swallowing import SWALLOWED, lost_failures, tells_failure
from .waiting import limits_of
from .wire import LinkLost, Message

_STOPPED = "a function of the solution ended by StopIteration or GeneratorExit, which end loops of the tests"
_MOVED = "the program changed the folder or the environment that the tests go on in"
_JUDGED = "an object of the solution was asked what the tests ask a mock"
_OWN_KINDS = (ModuleType, FunctionType, BuiltinFunctionType)


def _attribute(target: Any, args: Any) -> str:
    """Returns the attribute that a call asks an object of the solution for; "" if it asks for none."""
    if "a" in target:
        return target["a"][0]
    return args[1] if target.get("g") == ["builtins", "getattr"] else ""


class TestsSide(Constructing):
    """Asks the solution. `doubt(reason)` hears what keeps a pass from being confirmed, and `starred` which names a star
    import takes."""

    prunes = True

    def __init__(self) -> None:
        super().__init__(0)
        self.starred: Callable[[str, dict[str, Any]], None] = lambda _, __: None
        self.expects_stop = False
        """Whether the tests mention StopIteration."""
        self._compared: set[type] = set()
        """Classes of objects that the solution gave in place of a yes or no of a comparison."""
        self.mocks = False
        """Whether the tests use mocks."""
        self.follows = False
        """Whether the program may leave its folder or change its environment, and the tests may notice."""
        self.begins_at_once = False
        """Whether the program has context variables, so that it matters in which context something begins."""
        self._pump: Any = None
        self._thread = threading.get_ident()
        self._excused = 0
        """Depth of questions whose failure to cross says nothing about the tests."""
        self._responding = False
        """Whether what is being encoded answers a question of the solution."""
        self._failures = 0
        """Number of the tests' own AssertionErrors that were raised to the solution."""
        self.lost = ""
        """Why the solution can no longer be asked, or ""; once it is set, nothing passes."""
        self._lending = Lending(self)
        drawer = IteratorDrawer(self.exports)
        of_one: dict[str, Callable[[Any], Any]] = {
            "begin": lambda number: self.settling(guard.awaited(self.exports[number])),
            "drop": lambda number: self._pump.drop(number),
            "input": lambda prompt: input(str(prompt)),
            "read": lambda size: sys.stdin.read(int(size)),
            "readline": lambda size: sys.stdin.readline(int(size)),
        }
        self._operations: dict[str, Callable[..., Any]] = {
            "draw": drawer.draw,
            "drive": lambda *step: self.settling(drawer.drive(*step)),
            "lines": lambda: iter(sys.stdin),
            "bytes": lambda: sys.stdin.buffer,
            **of_one,
        }

    def call(self, target: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        self.asked, failures = self.asked + 1, self._failures
        for reason in limits_of(args, self._thread, self.doubt):
            self.limit(reason)
        try:
            answer = super().call(target, args, kwargs)
        except BaseException as problem:
            if not is_failure(problem) and (self._failures > failures or tells_failure(args)):
                self.doubt(SWALLOWED)
            if isinstance(problem, LinkLost | CannotCross | StopIteration | GeneratorExit):
                self._ended_by(problem, target)
            raise
        self._judged(target, args, answer)
        for reason in lost_failures(self._failures > failures, args, answer):
            self.doubt(reason)
        if self._pump is not None:
            self._pump.go_on()
        return answer

    def _judged(self, target: Any, args: Any, answer: Any) -> None:
        """Notes an object that answers as a mock does, or whose method answers although the tests never named its
        class: they may take it for one of Python's. Nor may what a comparison gave answer anything."""
        if self.mocks and guard.mock_judges_by(_attribute(target, args)):
            self.doubt(_JUDGED)
        name = target.get("a", [""])[0]
        if answer is not None and name not in SPECIALS and name:
            kind = cast(Any, args[0] if isinstance(args[0], type) else type(args[0]))
            if kind in self._compared or (NUMBER in vars(kind) and is_nameless(kind, name, self.named)):
                self.answered()

    def _ended_by(self, problem: BaseException, target: Any) -> None:
        """Notes what ended a call. Raises RuntimeError in place of a StopIteration that the tests do not expect."""
        if isinstance(problem, LinkLost):
            self.lost = self.lost or str(problem)
        elif isinstance(problem, CannotCross):
            if not (self._excused or isinstance(problem, TooLarge)):
                self.limit(str(problem))
        elif target.get("a", "")[:1] != ["__next__"]:
            self.doubt(_STOPPED)
            if isinstance(problem, StopIteration) and not self.expects_stop:
                raise not_ending(problem) from problem

    def answer(self, message: Message) -> None:
        self._excused += 1
        try:
            super().answer(message)
        finally:
            self._excused -= 1

    def failed(self, problem: BaseException) -> None:
        self._failures += is_own_failure(problem)

    def special(self, name: str, owner: int, args: Any, kwargs: dict[str, Any]) -> Any:
        """Calls a special method of an object of the solution, whose own answer may be doubted."""
        binary = name in BINARY
        self._excused += binary
        answer: Any = None
        heard = "an exception"
        try:
            answer = self.call({"a": [name, owner]}, args, kwargs)
            heard = name
        except CannotCross:
            if not binary:
                raise
            answer, heard = NotImplemented, name  # an object does not know what cannot cross to it
        finally:
            self._excused -= binary
            self._heard(heard, args, answer)
        if name == "__exit__":
            return self._ended(answer, *args[2:3])
        return self._awaited_end(answer, *args[2:3]) if name == "__aexit__" else answer

    def _heard(self, name: str, args: Any, answer: Any) -> None:
        """Doubts an answer of the solution's own. An object is none, unless a class was asked to make it: what is asked
        of the object counts."""
        passes = name in SILENT or (name in PASSING and type(args[0]).__dict__.get("_@library"))
        gives_object = isinstance(type(answer), Mirror) and not isinstance(args[0], type)
        if gives_object and name in COMPARING and not type(answer).__dict__.get("_@library"):
            self._compared.add(cast(Any, type(answer)))
        if not (passes or gives_object):
            self.answered(name, *args)

    def _ended(self, answer: Any, problem: BaseException | None = None) -> Any:
        """Returns what a context manager's exit may do to the exception that ended its block. The solution could
        otherwise return True and so swallow a failed assertion of the tests."""
        if problem is None or not answer:
            return answer
        if is_own_failure(problem):
            problem.__dict__[TRAIL] = "  the solution's context manager tried to swallow this"
            return False
        self.answered()
        return answer

    async def _awaited_end(self, answer: Any, problem: BaseException | None = None) -> Any:
        return self._ended(await answer, problem)

    def may_name(self, cls: type, name: str) -> bool:
        return isinstance(cls, Mirror) or guard.may_name_of(cls, name)

    def _read_bound(self, content: Any) -> Any:
        made = super()._read_bound(content)
        if self.is_of_this_side(made.__self__) and not self.holds(made.__self__):
            raise DecodeError("a method of what was not handed over")
        return made

    def permit(self, value: Any) -> None:
        if not guard.may_lend(value):
            refused = CannotCross if guard.is_of_the_tests(value) else TypeError
            raise refused(f"a {type(value).__module__}.{type(value).__name__} of the tests cannot cross")
        if type(value).__module__ in guard.SHARED_BY_THREADS:
            self._hand_over("the tests share a lock, event or queue with the program, whose threads cannot wait for it")

    def _hand_over(self, reason: str) -> None:
        """Notes that the tests hand over what two processes cannot share. What the solution asks for itself explains
        nothing: it could do so whenever a check is about to fail."""
        if not self._responding:
            self.limit(reason)

    def _respond(self, compose: Compose, gather: Gather | None = None) -> None:
        self._responding = True
        try:
            super()._respond(compose, gather)
        finally:
            self._responding = False

    def foreign(self, value: Any) -> Any:
        if isinstance(value, type) and value.__module__ == TESTS:
            self._hand_over("the tests hand a class of their own to the program")
        settled_one = type(value) is SettledAwaitable
        return {"W": [self.codec.encode(value.value), value.number]} if settled_one else super().foreign(value)

    def class_json(self, cls: type) -> Any:
        """Returns the JSON for a class; for a library's exception, which the program need not know, that of its nearest
        base that both sides have."""
        if issubclass(cls, BaseException):
            cls = next(c for c in cls.__mro__ if NUMBER in vars(c) or is_known(c) or c.__module__ == TESTS)
        return super().class_json(cls)

    def is_own(self, value: Any) -> bool:
        """Returns whether this is a module, class or function of this process itself, not a stand-in."""
        kind = cast(Any, type(value))  # an object's `__class__` is the solution's claim
        if issubclass(kind, type):
            return NUMBER not in value.__dict__
        return kind in _OWN_KINDS and self.mirrors.number(value) is None

    def is_of_this_side(self, value: Any) -> bool:
        """Returns whether this is no stand-in for an object of the solution."""
        return self.mirrors.number(value) is None and not isinstance(cast(Any, type(value)), Mirror)

    def name_of(self, value: Any) -> list[str] | None:
        return super().name_of(value) or library_name(value)

    def known_global(self, module: str, name: str) -> Any:
        return guard.known_global(module, name)

    def resolve(self, target: Any) -> Callable[..., Any]:
        ((tag, content),) = target.items()
        if tag == "op":
            return self._operations[content]
        if tag == "~":
            return partial(self._lending.called, self.exports[content], "__call__")
        if tag == "a":
            return partial(self._lending.method, content[0])
        if tag == "g" and content[0] == "builtins":
            return partial(self._lending.builtin, content[1])
        if tag == "g" and content[0] == "copy":
            return partial(self._lending.copied, content[1])
        raise TypeError(REFUSED)

    def holds(self, thing: Any) -> bool:
        """Returns whether the solution's side was handed this object of the tests."""
        return identity(thing) in self._numbers

    def settling(self, given: Any) -> SettledAwaitable:
        """Lets the solution's loop await what the tests gave. If the tests' loop lets it run, both go on together;
        otherwise it waits."""
        if self._pump is not None and self._pump.runs():
            return SettledAwaitable(None, self._pump.lend(given))
        return SettledAwaitable(settled(given))

    def _hooks(self) -> dict[str, Callable[[Any], Any]]:
        return {
            **super()._hooks(),
            "m": self._read_module,
            "w": lambda number: self.join_loops().wait(number),
            "Q": lambda number: self.mirrors.get(number, lambda: self.join_loops().task(number)),
            "Y": lambda number: self.mirrors.get(number, lambda: async_drawn(self, number)),
        }

    def _read_module(self, name: str) -> Any:
        if name in self.modules:
            return importlib.import_module(name)
        try:
            return guard.whole(name)
        except DecodeError:
            return Door(str(name), self, {})

    def join_loops(self) -> Any:
        """Have a loop of the program run while one of the tests does; gives what lets it run."""
        if self._pump is None:
            from .loops import Pump  # noqa: PLC0415 - brings asyncio, which only async solutions need

            self._pump = Pump(self, lambda reason: self.doubt(reason), begins_at_once=self.begins_at_once)
            self.news.watch(self._pump.now, {"loop": False})
        return self._pump

    def take_extras(self, extras: dict[str, Any]) -> None:
        moved = {name: extras[name] for name in ("env", "cwd") if name in extras and self.follows}
        if moved:
            take_place(moved)
            self.news.sent(moved)
            self.doubt(_MOVED)
        if self._pump is not None:
            self._pump.hear(extras)
        hear(extras, self.codec.decode, self)
