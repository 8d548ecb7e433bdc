"""The solution's side: does whatever the tests' side asks, and knows nothing of the tests."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from .describe import special_of
from .handle import number_of
from .lazy import Drawer, drawn
from .patches import Patched, take_place
from .peer import Peer

_ON_MODULES: dict[str, Callable[..., Any]] = {"getattr": getattr, "setattr": setattr, "delattr": delattr}


class Host(Peer):
    """Answers calls on the solution."""

    def __init__(self) -> None:
        super().__init__(1)
        self._running: Any = None
        self._patched = Patched()
        self.operations: dict[str, Callable[..., Any]] = {
            "patch": self._patched.patch,
            "unpatch": self._patched.unpatch,
            "draw": Drawer(self.exports).draw,
            "spin": partial(self._loop, "spin"),
            "cancel": partial(self._loop, "cancel"),
        }

    def resolve(self, target: Any) -> Callable[..., Any]:
        ((tag, content),) = target.items()
        if tag == "~":
            return self.exports[content]
        if tag == "a":
            return self._method(*content)
        if tag == "s":
            return special_of(self.exports[content[0]], content[1])
        if tag == "g":
            return self.known_global(*content)
        if tag == "module":
            module, doing = importlib.import_module(content[0]), content[1]
            return lambda *args: _ON_MODULES[doing](module, *args)
        if tag == "op":
            return self.operations[content]
        return self._attribute(tag, self.exports[content[0]], content[1])

    def _method(self, number: int, name: str, owner: int | None = None) -> Callable[..., Any]:
        thing = self.exports[number]
        if owner is None or type(thing) is self.exports[owner]:
            return getattr(thing, name)
        unbound = getattr(self.exports[owner], name)
        return lambda *args, **kwargs: unbound(thing, *args, **kwargs)

    def _attribute(self, tag: str, thing: Any, name: str) -> Callable[..., Any]:
        if tag == "get":
            return partial(getattr, thing, name)
        kept = self._patched if isinstance(thing, type) else None
        if tag == "set":
            return partial(kept.set, thing, name) if kept else partial(setattr, thing, name)
        if tag == "del":
            return partial(kept.delete, thing, name) if kept else partial(delattr, thing, name)
        raise TypeError(f"no such target: {tag}")

    def take_extras(self, extras: dict[str, Any]) -> None:
        take_place(extras)

    def read_iterator(self, number: int) -> Iterator[Any]:
        return drawn(self, number)

    def compare(self, name: str, handle: Any, other: Any) -> Any:
        """Comparison with an object of the tests."""
        return self.call({"s": [number_of(handle), name]}, (other,), {})

    def operate(self, name: str, ask: Callable[[Any], Any], other: Any) -> Any:  # noqa: ARG002
        """An operator of an object of the tests."""
        return ask(other)

    def truth(self, handle: Any, own: bool) -> bool:
        return bool(self.call({"g": ["builtins", "bool"]}, (handle,), {})) if own else True

    def subclassed(self, name: str) -> None:
        """A class of the tests may be subclassed by the solution, but its instances stay here."""

    def _loop(self, doing: str, *args: Any) -> Any:
        if self._running is None:
            from .loops import Loop  # noqa: PLC0415 - brings asyncio, which only async solutions need

            self._running = Loop(self.exports, self.release)
        return getattr(self._running, doing)(*args)
