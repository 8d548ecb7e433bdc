"""One side of the conversation between the solution's process and the tests'. Each side may ask while it answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from sys import getrefcount
from threading import Condition
from typing import Any

from ..objects import raising
from ..objects.crossing import LAST_REFERENCES, STREAMS, Crossing
from ..objects.handle import NUMBER, SIDE
from ..pretended import add_kept, kept_sent, take_kept
from ..values.codec import DecodeError, TooLarge
from ..words import without_frames_of
from .lazy import catch_up, drawn
from .news import News
from .wire import DEEP, LinkLost, Message, Wire

Compose = Callable[[Any], Message]
"""Makes a message with the extras it is given."""
Gather = Callable[[], Any]
"""Returns the extras."""
MALFORMED = (DecodeError, KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, OverflowError)


class Peer(Crossing):
    """Sends calls and answers them. A message is [kind, extras, ...]; the kind is "c" call, "v" value or "x"
    exception."""

    def __init__(self, first: int) -> None:
        super().__init__(first)
        self.wire = Wire(-1)
        self._lock = Condition()
        self.answering = 0
        """Depth of questions that this side is answering."""
        self.news = News()
        self.limit: Callable[[str], None] = lambda _: None
        """Hears what the tests do that two processes cannot do."""
        self.modules: list[str] = []
        """Names of the solution's own modules, as the job of the tests' side tells them."""
        self.import_first: Callable[[], None] = lambda: None
        """Imports the packages that the suite will import."""
        self.mentioned = frozenset[str]()
        """Names in the source of the suite. A star import asks for all there are."""
        self.named: set[type] = set()
        """Classes of the other process that the tests asked for by name."""
        self.sealed: set[str] = set()
        """Names of exceptions that the tests can import, and that no class here can stand for."""

    def _hooks(self) -> dict[str, Callable[[Any], Any]]:
        return {**super()._hooks(), "y": self._read_stream}

    def _read_stream(self, content: Any) -> Any:
        number, kind, begun = content
        stand_in = self.mirrors.get(number, lambda: drawn(self, number))
        return STREAMS[kind](catch_up(stand_in, number) if begun else stand_in)

    def begin(self, descriptor: int, files: tuple[str, ...]) -> None:
        """Takes up the conversation; what is built before costs a forked child nothing."""
        self.wire.descriptor = descriptor
        self.files = files
        SIDE.peer = self

    def call(self, target: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Asks the other side. Raises what the other side raises, LinkLost, or CannotCross for an argument."""
        with self._lock:
            self.ask(target, args, kwargs)
            return self.reply()

    def ask(self, target: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """Sends a call, the first half of `call`."""
        try:
            self._send(lambda extras: ["c", extras, target, self.codec.encoded(args), self._named(kwargs)])
        except RecursionError as problem:
            raise TooLarge("the value is nested too deep to cross") from problem

    def _send(self, compose: Compose, gather: Gather | None = None) -> None:
        try:
            self._compose(compose, gather or self._extras)
        except RecursionError:
            with DEEP:
                self._compose(compose, gather or self._extras)

    def _compose(self, compose: Compose, gather: Gather) -> None:
        mark = self._mark()
        try:
            extras = gather()
            self.wire.send(compose(extras))
        except BaseException as problem:
            self._undo(mark)
            if isinstance(problem, ValueError):
                raise TooLarge(f"the value is too large to cross: {problem}") from problem
            raise
        if extras:
            self.sent(extras)

    def _named(self, kwargs: dict[str, Any]) -> dict[str, Any] | int:
        return {name: self.codec.encode(value) for name, value in kwargs.items()} if kwargs else 0

    def _extras(self, leaving: tuple[int, ...] = ()) -> dict[str, Any] | int:
        """Returns what goes with each message; what was not sent is gathered anew. `leaving` holds numbers of stand-ins
        that live no longer than this message."""
        shared = self.codec.shared
        extras: dict[str, Any] = {}
        if shared.busy:
            if updates := shared.updates():
                extras["u"] = updates
            if self.prunes and (dropped := shared.unused()):
                extras["f"] = dropped
        if self.prunes and (loose := self.let_go()):
            extras["let"] = loose
        if dead := [*self.mirrors.dead, *leaving]:
            extras["r"] = dead
        add_kept(extras)
        self.news.add(extras)
        self.add_extras(extras)
        return extras or 0

    def sent(self, extras: dict[str, Any]) -> None:
        """Records that the other side hears of these as soon as it reads."""
        self.codec.shared.sent(extras.get("f", ()))
        self._still_held.difference_update(extras.get("let", ()))
        self.mirrors.buried(extras.get("r", ()))
        kept_sent(extras)
        self.news.sent(extras)

    def add_extras(self, extras: dict[str, Any]) -> None:
        """Adds what else this side has to tell with each message."""

    def take_extras(self, extras: dict[str, Any]) -> None:
        """Takes over what else the other side told."""

    def apply(self, extras: Any) -> None:
        """Takes over what came with a message. Raises what malformed extras raise."""
        if not extras:
            return
        shared = self.codec.shared
        shared.apply(extras.get("u", ()))
        for number in extras.get("f", ()):
            shared.forget(number)
        self.mirrors.loosen(extras.get("let", ()))
        take_kept(extras)
        self.take_extras(extras)

    def _let_go(self, extras: Any) -> None:
        """Releases what the other side no longer holds, once the values of its message are read."""
        if extras:
            self.release(extras.get("r", ()))

    def reply(self) -> Any:
        """Returns or raises what the other side answers, the second half of `call`; first answers the other side's
        questions."""
        while True:
            message = self.wire.receive()
            try:
                kind = message[0]
                if kind == "c":
                    self.answer(message)
                    continue
                value = self.deeply(self._read, message)
            except MALFORMED as problem:
                raise LinkLost("an unreadable answer") from problem
            if kind == "v":
                return value
            raise value

    def failed(self, problem: BaseException) -> None:
        """Hears that a call which the other side asked for ended by this exception."""

    def answer(self, message: Message) -> None:
        """Does what the other side asks, and replies. Raises LinkLost."""
        with self._lock:
            self.answering += 1
            self._lock.notify_all()
        try:
            box = [self.done(message)]
        except LinkLost:
            raise
        except BaseException as problem:  # noqa: BLE001 - whatever the call raises is its answer
            self.failed(problem)
            self._respond(self._raised(problem))
            return
        number = self.mirrors.number(box[0])
        leaving = (number,) if number is not None and getrefcount(box[0]) <= LAST_REFERENCES else ()
        self._respond(lambda extras: ["v", extras, self.codec.encoded(box)[0]], partial(self._extras, leaving))

    def done(self, message: Message) -> Any:
        """Returns what the call gives; nothing here holds on to its arguments."""
        return self.deeply(self.read_call, message)()

    def deeply(self, reading: Callable[[Message], Any], message: Message) -> Any:
        if not self.wire.deep:
            return reading(message)
        with DEEP:
            return reading(message)

    def _read(self, message: Message) -> Any:
        self.apply(message[1])
        read: Any = self.codec.decode if message[0] == "v" else partial(raising.put_together, codec=self.codec)
        value = read(message[2])
        self._let_go(message[1])
        return value

    def read_call(self, message: Message) -> Callable[[], Any]:
        _, extras, target, args, named = message
        self.apply(extras)
        kwargs = {name: self.codec.decode(value) for name, value in named.items()} if named else {}
        call = partial(self.resolve(target), *self.codec.decoded(args), **kwargs)
        self._let_go(extras)
        return call

    def _respond(self, compose: Compose, gather: Gather | None = None) -> None:
        with self._lock:  # once the other side has its answer, no thread of this side may begin to ask
            self.answering -= 1
            try:
                self._send(compose, gather)
            except LinkLost:
                raise
            except BaseException as problem:  # noqa: BLE001 - what cannot cross is told instead
                self._tell(self._raised(problem))

    def _tell(self, raised: Compose) -> None:
        """Answers by an exception, without the extras if those are what cannot cross."""
        try:
            self._send(raised)
        except LinkLost:
            raise
        except BaseException:  # noqa: BLE001 - the other side waits for an answer
            self._send(raised, lambda: 0)

    def _raised(self, problem: BaseException) -> Compose:
        raised = problem.with_traceback(without_frames_of(__name__, problem))
        return lambda extras: ["x", extras, raising.take_apart(raised, self)]

    def resolve(self, target: Any) -> Callable[..., Any]:
        """Returns what a call's target means on this side. Raises TypeError, KeyError or AttributeError."""
        raise NotImplementedError

    def special(self, name: str, owner: int, args: Any, kwargs: dict[str, Any]) -> Any:
        """Calls a special method of an object of the other side, whose class has this number."""
        return self.call({"a": [name, owner]}, args, kwargs)

    def computed(self, name: str, owner: int, args: Any) -> Any:
        """Returns a comparison or hash that Python generated for a class of the other side."""
        return self.special(name, owner, args, {})

    def construct(self, cls: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Returns an object of a class of the other side."""
        return self.call({"~": cls.__dict__[NUMBER]}, args, kwargs)

    def subclassed(self, name: str) -> None:
        """Hears that a class of this side derives from one of the other side, by whose objects it is not known."""

    def answered(self, name: str = "", *operands: Any) -> None:
        """Hears that a special method of the other side answered."""
