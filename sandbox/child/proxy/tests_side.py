"""The tests' side: asks the solution, decodes nothing but data, and lends only what the tests handed over."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, cast

from ..load import TESTS
from ..objects import twins
from ..objects.crossing import identity
from ..objects.describe import is_known
from ..objects.handle import NUMBER, Mirror, new_handle, number_of, set_number, set_twin, twin_of
from ..objects.raising import is_own_failure, not_ending
from ..reporter import TRAIL
from ..values.codec import CannotCross, DecodeError, TooLarge
from . import guard
from .doors import Door
from .guard import SettledAwaitable, settled
from .lazy import IteratorDrawer, async_drawn
from .lending import REFUSED, Lending
from .peer import Compose, Gather, LinkLost, Message, Peer
from .specials import ANSWERED, BINARY, PASSING, SILENT, TOLD
from .streams import hear
from .swallowing import lost_failures
from .waiting import limits_of

if TYPE_CHECKING:
    from .contexts import ContextsHere

_STOPPED = "a function of the solution ended by StopIteration or GeneratorExit, which end loops of the tests"
_MOVED = "the program changed the folder or the environment that the tests go on in"
_OWN_KINDS = (ModuleType, FunctionType, BuiltinFunctionType)
_NATIVE = (list, tuple, dict, set, frozenset, str, bytes, bytearray, int, float, complex)


class TestsSide(Peer):
    """Asks the solution. `doubt(reason)` hears what keeps a pass from being confirmed, and `starred` which names a star
    import takes."""

    prunes = True

    def __init__(self) -> None:
        super().__init__(0)
        self.doubt: Callable[[str], None] = lambda _: None
        self.starred: Callable[[str, dict[str, Any]], None] = lambda _, __: None
        self.expects_stop = False
        """Whether the tests mention StopIteration."""
        self.follows = False
        """Whether the program may leave its folder or change its environment, and the tests may notice."""
        self.contexts: ContextsHere | None = None
        """Sent with each message if the program has context variables."""
        self._pump: Any = None
        self._thread = threading.get_ident()
        self._excused = 0
        """Depth of questions whose failure to cross says nothing about the tests."""
        self._asked = 0
        """Number of questions asked that may have changed an object of the solution."""
        self._promised = 0
        """Number of the last object that the tests made by its values; these numbers count down."""
        self._promising: list[Any] = []
        """Handles and twins that got such a number from the message that is being composed."""
        self._constructed: set[int | None] = set()
        """Numbers of objects that the tests made by calling their class."""
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
        self._asked, failures = self._asked + 1, self._failures
        for reason in limits_of(args, self._thread, self.doubt):
            self.limit(reason)
        try:
            answer = super().call(target, args, kwargs)
        except (LinkLost, CannotCross, StopIteration, GeneratorExit) as problem:
            self._ended_by(problem, target)
            raise
        for reason in lost_failures(self._failures > failures, args, answer):
            self.doubt(reason)
        if self._pump is not None:
            self._pump.go_on()
        return answer

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

    def answered(self, name: str = "", thing: Any = None) -> None:
        """Hears that a special method of the solution answered. Size or text of an object that the tests made by its
        class is a plain value that they compare, as good as what any method returns."""
        made = isinstance(type(thing), Mirror) and number_of(thing) in self._constructed
        if name not in TOLD or not made:
            self.doubt(ANSWERED)

    def special(self, name: str, owner: int, args: Any, kwargs: dict[str, Any]) -> Any:
        """Calls a special method of an object of the solution. The object's own answer counts, so it is doubted."""
        if name not in SILENT and not (name in PASSING and type(args[0]).__dict__.get("_@library")):
            self.answered(name, args[0])
        binary = name in BINARY
        self._excused += binary
        try:
            answer = self.call({"a": [name, owner]}, args, kwargs)
        except CannotCross:
            if not binary:
                raise
            return NotImplemented  # an object does not know what cannot cross to it
        finally:
            self._excused -= binary
        if name == "__exit__":
            return self._ended(answer, *args[2:3])
        return self._awaited_end(answer, *args[2:3]) if name == "__aexit__" else answer

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

    def computed(self, name: str, owner: int, args: Any) -> Any:  # noqa: ARG002
        """Returns a comparison or hash that Python generated from fields, computed here from the fields' values."""
        thing, *others = args
        if any(type(other) is not type(thing) for other in others):
            return NotImplemented
        if others and not type(thing).__dict__["_@made"]:
            self.answered()  # a constructor of the solution's own filled what is compared
        answer = getattr(self._twin(thing), name)(*map(self._twin, others))
        if name == "__eq__" and answer is True:
            self._compare_all(*args)
        return answer

    def _compare_all(self, *things: Any) -> None:
        """Notes an answer of the solution's class if that leaves out what differs, of objects that came from there."""
        one, other = map(self._twin, things)
        if max(number_of(thing) or 0 for thing in things) > 0 and vars(one) != vars(other):
            self.answered()

    def _twin(self, handle: Any) -> Any:
        twin, age = twin_of(handle)
        if twin is not None and (age == self._asked or number_of(handle) is None):
            return twin
        twin_class, asked = type(handle).__dict__["_@twin"], self._asked
        values = self.call({"op": "fields"}, (handle, twins.field_names(twin_class)), {})
        self._asked = asked  # reading changes nothing, so it is not repeated until something may have changed
        set_twin(handle, twins.fill(twin_class, values), asked)
        return twin_of(handle)[0]

    def construct(self, cls: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        number = cls.__dict__.get(NUMBER)
        if number is None:
            self.subclassed(cls.__name__)
        if cls.__dict__.get("_@made"):
            return new_handle(cls, None, cls.__dict__["_@twin"](*args, **kwargs))
        known = self.mirrors.made, self.codec.shared.made
        made = self.call({"~": number}, args, kwargs)
        if known == (self.mirrors.made, self.codec.shared.made):
            self.answered()  # the object was there before, so it equals itself
        elif type(made) is cls and not issubclass(cls, _NATIVE):
            self._constructed.add(number_of(made))
        return made

    def handed_over(self, handle: Any) -> Any:
        if number_of(handle) is not None:
            return super().handed_over(handle)
        promised = self._promised = self._promised - 1
        twin: Any = twin_of(handle)[0]
        self._promising.append((handle, twin))
        set_number(handle, promised)
        set_twin(handle, None, 0)
        self.mirrors.get(promised, lambda: handle)
        fields = {name: self.codec.encode(getattr(twin, name)) for name in twins.field_names(twin)}
        return {"p": [promised, type(handle).__dict__[NUMBER], fields]}

    def _mark(self) -> Any:
        return *super()._mark(), len(self._promising)

    def _undo(self, mark: Any) -> None:
        super()._undo(mark)
        for handle, twin in self._promising[mark[2] :]:
            self.mirrors.forget(handle)
            set_number(handle, None)
            set_twin(handle, twin, 0)
        del self._promising[mark[2] :]

    def _compose(self, compose: Compose, gather: Gather) -> None:
        super()._compose(compose, gather)
        self._promising.clear()

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
            self.limit("the tests share a lock, event or queue with the program, whose threads cannot wait for it")

    def foreign(self, value: Any) -> Any:
        if isinstance(value, type) and value.__module__ == TESTS:
            self.limit("the tests hand a class of their own to the program")
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

            self._pump = Pump(self, begins_at_once=self.contexts is not None)
        return self._pump

    def subclassed(self, name: str) -> None:
        reason = f"the tests subclass a class of the solution ({name})"
        self.limit(reason)
        raise CannotCross(reason)

    def add_extras(self, extras: dict[str, Any]) -> None:
        super().add_extras(extras)
        if self.contexts is not None:
            extras["context"] = self.contexts.current()
        if self._pump is not None:
            self._pump.add(extras)

    def sent(self, extras: dict[str, Any]) -> None:
        super().sent(extras)
        if self._pump is not None:
            self._pump.sent(extras)

    def take_extras(self, extras: dict[str, Any]) -> None:
        if self.place is not None and self.place.follow(extras):
            self.doubt(_MOVED)
        if self._pump is not None:
            self._pump.hear(extras)
        hear(extras, self.codec.decode, self)
