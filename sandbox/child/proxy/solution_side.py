"""The solution's side of a split run: does what the tests' side asks, and knows nothing of the tests, which are never
in its process."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from gc import get_referents
from threading import get_ident
from time import sleep
from types import FunctionType, MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from ..load import Sources, public_names
from ..objects.describe import SPECIALS, special_of
from ..objects.stubs import LOOKING
from ..words import fault
from .lazy import IteratorDrawer, async_drawn
from .patches import Patched, Surroundings, take_place
from .peer import Peer
from .streams import Streams, told, warn_here
from .wire import LinkLost, Message
from .witness import text

if TYPE_CHECKING:
    from _socket import socket as Socket


_ON_MODULES: dict[str, Callable[..., Any]] = {
    "getattr": getattr,
    "reload": importlib.reload,
    "dir": dir,
    "names": public_names,
}
_PATCHABLE = (type, ModuleType)
"""If a test deletes what it set on one of these, the earlier value is restored: tools that patch cannot see it from the
tests' process."""


class SolutionSide(Peer):
    """Answers calls on the solution, and tells what it wrote, warned and logged."""

    def __init__(self) -> None:
        super().__init__(1)
        self.mirrors.kept = {}  # what a program holds weakly lives as long as the tests hold it
        # The tests see what the program changes behind a proxy. A proxy of the tests crosses as a copy, so it stays
        # theirs.
        self.codec.writers[MappingProxyType] = lambda proxy: {
            "builtins.mappingproxy": self.codec.encoded(get_referents(proxy))
        }
        for kind in (property, staticmethod, classmethod):  # looked up in a class repeatedly, each is the same object
            self.codec.writers[kind] = self.foreign
        self.answering = 1  # while the solution loads, the tests' side waits and answers
        self._serving = get_ident()
        """The thread that answers; if it asked between two calls, it would wait for itself."""
        self.told: dict[str, list[Any]] = {}
        self._telling: dict[str, list[Any]] = {}
        """The part of `told` that goes with the message that is being composed."""
        self.streams = Streams(self)
        self.news.watch(self.streams.now, {"s": False, "caught": False})
        self._running: Any = None
        self.flag: int | None = None
        """Descriptor of an event; while it is set, the worker knows that the program's own code runs."""
        self._own = False
        self._asked = 0
        """Number of questions that the program asked of the tests."""
        self._noticed: Any = None
        """What the tests' side could notice when `_acts` was called last."""
        self._patched = Patched()
        self._contexts: Any = None
        self._in_loop = False
        """The tests ask from within a running loop."""
        self._attributes: dict[str, Callable[..., Any]] = {
            "setattr": self._set,
            "delattr": self._delete,
            "restore": self._patched.restore,
        }
        self.operations = self._operations()

    def _operations(self) -> dict[str, Callable[..., Any]]:
        """Returns what the tests' side may ask for by name, besides calls and attributes."""
        drawer = IteratorDrawer(self.exports, self._acts)
        return {
            "look": lambda: setattr(self, "is_looked_at", True),
            "keep": self._patched.keep,
            "patch": self._patched.patch,
            "unpatch": self._patched.unpatch,
            "cut": self._patched.cut,
            "draw": drawer.draw,
            "drive": drawer.drive,
            "spin": partial(self._loop, "spin"),
            "cancel": partial(self._loop, "cancel"),
            "finish": partial(self._loop, "finish"),
            "follow": self._tell_place,
            "fields": _fields,
            "texts": self._texts,
            "pickled": _pickled,
            "restored": _restored,
            "own": _own,
            "logs": self._send_logs,
            "write": _write,
            "warn": warn_here,
            "rest": sleep,
        }

    def _texts(self, numbers: list[int], names: list[str]) -> Any:
        return tuple(tuple(map(text, _fields(self.exports[number], names))) for number in numbers)

    def _hooks(self) -> dict[str, Callable[[Any], Any]]:
        return {
            **super()._hooks(),
            "p": self._read_promised,
            "c": self._read_begun,
            "W": self._read_settled,
            "w": self._awaited_there,
            "Q": self._awaited_there,
            "Y": lambda number: async_drawn(self, number),
        }

    def _read_promised(self, content: Any) -> Any:
        """Returns an object that the tests have so far made by its values alone, under the number they gave it."""
        number, owner, fields = content
        made = self.exports[owner](**{name: self.codec.decode(value) for name, value in fields.items()})
        self.adopt(number, made)
        return made

    def call(self, target: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        with self._lock:
            if not self.answering and get_ident() == self._serving:
                raise RuntimeError("what the program does between two calls cannot use objects of the tests")
            self._lock.wait_for(lambda: self.answering)  # a thread of the program waits for the next call
            self._asked += 1
            before = self.enter_own(False)
            try:
                return super().call(target, args, kwargs)
            finally:
                self.enter_own(before)

    def _acts(self) -> bool:
        """Returns whether the program has asked, told or changed anything of the tests since this was called last."""
        before, self._noticed = self._noticed, (self._asked, sum(map(len, self.told.values())))
        mark = self._mark()
        changed = bool(self.codec.shared.updates())
        self._undo(mark)
        return changed or before != self._noticed

    def enter_own(self, own: bool) -> bool:
        """Sets whether the code that follows is the program's own, and returns what held before. A run that ends in the
        program's own code would end the same way in one process; one that ends while a value crosses might not. A
        program that forges this only makes its own failure final."""
        before, self._own = self._own, own
        if own is not before and self.flag is not None:
            with suppress(OSError):
                os.eventfd_write(self.flag, 1) if own else os.eventfd_read(self.flag)
        return before

    def done(self, message: Message) -> Any:
        call = self.deeply(self.read_call, message)
        before = self.enter_own("op" not in message[2])
        if self._in_loop and "op" not in message[2]:
            call = partial(self._loop, "within", call)
        try:
            return call() if self._contexts is None else self._contexts.run(call)
        finally:
            self.enter_own(before)

    def _read_settled(self, content: Any) -> Any:
        """Returns an awaitable for what the tests gave to await: it has ended in their process, or will do so."""
        value, number = content
        return _given(self.codec.decode(value)) if number is None else self._loop("given", number)

    def _read_begun(self, content: Any) -> Any:
        """Returns what a function here gives to await, when the tests called its mirror and have not yet awaited it."""
        target, args, kwargs = content
        named = {name: self.codec.decode(value) for name, value in kwargs.items()}
        return self.resolve(target)(*self.codec.decoded(args), **named)

    def resolve(self, target: Any) -> Callable[..., Any]:
        ((tag, content),) = target.items()
        if tag == "~":
            return self.exports[content]
        if tag == "a":
            return partial(self._method, content)
        if tag == "g":
            return self._attributes.get(content[1]) or self.known_global(*content)
        if tag == "module":
            doing = self._attributes.get(content[1]) or _ON_MODULES[content[1]]
            return partial(doing, importlib.import_module(content[0]))
        if tag == "op":
            return self.operations[content]
        raise TypeError(f"no such target: {tag}")

    def _method(self, content: list[Any], thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        name, cls = content[0], self.exports[content[1]]
        if name == "__await__":
            return _awaiting(thing)
        if name in SPECIALS:
            return special_of(thing, name)(*args, **kwargs)
        if type(thing) is cls and len(content) == 2:
            return getattr(thing, name)(*args, **kwargs)
        return getattr(cls, name)(thing, *args, **kwargs)

    def _set(self, thing: Any, name: str, value: Any) -> None:
        (self._patched.set if isinstance(thing, type) else setattr)(thing, name, value)

    def _delete(self, thing: Any, name: str) -> None:
        (self._patched.delete if isinstance(thing, _PATCHABLE) else delattr)(thing, name)

    def take_extras(self, extras: dict[str, Any]) -> None:
        take_place(extras)
        self.news.sent(extras)
        self._in_loop = extras.get("loop", self._in_loop)
        if "context" in extras:
            if self._contexts is None:
                from .contexts import ContextsThere  # noqa: PLC0415 - only for programs that have such variables

                self._contexts = ContextsThere()
            self._contexts.choose(*extras["context"])

    async def _awaited_there(self, number: int) -> Any:
        return await self.call({"op": "begin"}, (number,), {})

    def _loop(self, doing: str, *args: Any) -> Any:
        if self._running is None:
            from .loops import Loop  # noqa: PLC0415 - brings asyncio, which only async solutions need

            self._running = Loop(self.exports, self.release, lambda number: self.call({"op": "drop"}, (number,), {}))
            self.news.watch(self._running.now, {"busy": False})
        return getattr(self._running, doing)(*args)

    def _tell_place(self) -> None:
        """From now on tells the tests' side where the program is."""
        place = Surroundings()
        self.news.watch(place.now, place.told)

    def _send_logs(self) -> None:
        from .logs import send_logs  # noqa: PLC0415 - needed only if the tests look at log records

        send_logs(self)

    def add_extras(self, extras: dict[str, Any]) -> None:
        super().add_extras(extras)
        news, self.told = self.told, {}
        for key, items in news.items():
            self._telling.setdefault(key, []).extend(items)
        if self._telling:
            extras.update(told(self._telling, self.codec.encode))

    def sent(self, extras: dict[str, Any]) -> None:
        super().sent(extras)
        self._telling = {}

    def broken(self, problem: BaseException) -> None:
        """Sends ["broken", extras, fault]: the solution did not load."""
        self.wire.send(["broken", self._extras(), fault(problem, self.files)])

    def hello(self, solution: ModuleType, looks: bool) -> None:
        """Sends ["hello", extras, {name: function or None}, looks at functions]. Any other value of a name is asked for
        when the name is used."""
        names: dict[str, Any] = {}
        for name in public_names(solution):
            value = getattr(solution, name, None)
            plain = type(value) is FunctionType and not value.__dict__
            names[name] = self.codec.encode(value) if plain else None
        with self._lock:
            self.answering = 0
            self._send(lambda extras: ["hello", extras, names, looks])


def _fields(thing: Any, names: list[str]) -> list[Any]:
    return [getattr(thing, name) for name in names]


def _pickled(thing: Any, protocol: int) -> bytes:
    return importlib.import_module("pickle").dumps(thing, protocol)


def _restored(data: bytes) -> Any:
    return importlib.import_module("pickle").loads(data)


def _own(thing: Any, name: str) -> list[Any]:
    held = getattr(thing, "__dict__", {})
    return [held[name]] if name in held else []


def _write(text: str) -> None:
    sys.stdout.write(text)


async def _given(value: Any) -> Any:
    return value


async def _awaiting(thing: Any) -> Any:
    return await thing


_SIDE = SolutionSide()
"""Built before the fork, for the one run that a process serves."""


def serve(job: dict[str, Any], sock: Socket, side: SolutionSide = _SIDE) -> None:
    """Loads the solution, tells what it holds, and answers until the other side ends."""
    sources = Sources(job)
    sources.install()
    side.begin(sock.fileno(), sources.files)
    side.flag = job.get("flag")
    side.streams.install()
    try:
        try:
            side.enter_own(True)
            solution = sources.load()
            side.enter_own(False)
        except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
            side.broken(problem)
            return
        side.hello(solution, any(word in source for source in sources.sources.values() for word in LOOKING))
        while True:
            side.answer(side.wire.receive())
    except LinkLost:
        return
