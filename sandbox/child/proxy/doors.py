"""Represents the solution's modules in the tests' process, where the suite imports them."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..load import Sources
from ..objects.handle import NUMBER

if TYPE_CHECKING:
    from .peer import Peer

_ABOUT = ("__version__", "__author__", "__license__", "__annotations__")


class Door(ModuleType):
    """A module of the solution: every name is looked up and set in the solution's process."""

    def __init__(self, name: str, peer: Peer, given: dict[str, Any]) -> None:
        super().__init__(name)
        self.__dict__.update({"@peer": peer, "@given": given})

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return _public(self)
        if name.startswith("__") and name not in _ABOUT:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        given = self.__dict__["@given"].get(name)
        found = given if given is not None else _ask(self, "getattr", name)
        peer = self.__dict__["@peer"]
        if isinstance(found, type) and NUMBER in vars(found) and name in peer.mentioned and _is_named_as_class(name):
            peer.named.add(found)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
            return
        _ask_anew(self, name)
        _ask(self, "setattr", name, value)

    @property
    def __doc__(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return _ask(self, "getattr", "__doc__")

    def __dir__(self) -> list[str]:
        return _ask(self, "dir")

    def __delattr__(self, name: str) -> None:
        _ask_anew(self, name)
        _ask(self, "delattr", name)


def _is_named_as_class(name: str) -> bool:
    """Returns whether tests that use this name mean a class. What begins with a small letter they may take for a
    function, in whose place the program has put a class."""
    return not name.lstrip("_")[:1].islower()


def _public(door: Door) -> list[str]:
    """What a star import takes. Of a module that nothing was told of beforehand it is asked for, and who is to know
    hears what it takes."""
    given: dict[str, Any] = door.__dict__["@given"]
    if not given:
        given.update(dict.fromkeys(map(str, _ask(door, "names"))))
        door.__dict__["@peer"].starred(door.__name__, {name: getattr(door, name) for name in given})
    return list(given)


def _ask_anew(door: Door, name: str) -> None:
    """Makes a name that the other side told of be asked for from now on; a star import still gives it."""
    given: dict[str, Any] = door.__dict__["@given"]
    given.update(dict.fromkeys(given.keys() & {name}))


def _ask(door: Door, doing: str, *args: Any) -> Any:
    """Asks the other process about a door's module. This is no method of Door, because the solution may hold any
    name."""
    return door.__dict__["@peer"].call({"module": [door.__name__, doing]}, args, {})


def _vars(*things: Any, asked: Any = vars) -> Any:
    """Returns what the builtin `vars` gives; for a module of the other process, the names that it holds there."""
    if not things:
        return sys._getframe(1).f_locals  # pyright: ignore[reportPrivateUsage]
    if not isinstance(things[0], Door):
        return asked(*things)
    return {name: getattr(things[0], name) for name in dir(things[0]) if not name.startswith("__")}


class Doors(Sources):
    """Finds the solution's modules. Names and sources come from this side's own job: if the other process were asked,
    it could take the place of any module that the tests import."""

    def __init__(self, peer: Peer, job: dict[str, Any], told: dict[str, Any], stateful: Iterable[str]) -> None:
        """`told` will hold what the other side tells of the main module's public names; None marks a name that has to
        be asked for. `stateful` are modules of libraries whose state is the solution's."""
        super().__init__(job)
        self._peer = peer
        self._loaded: list[ModuleType] = []
        self._given: dict[str, dict[str, Any]] = {name: {} for name in (*self.modules, *stateful)} | {self.name: told}

    def install(self) -> None:
        """Answers for the solution's modules before any other finder can."""
        for name in self._given:
            sys.modules.pop(name, None)
        builtins.__dict__["vars"] = _vars
        self.find_first()

    def load(self) -> ModuleType:
        """Returns the main module as an import would. It skips the import system, which is long and touches many pages
        that are new to a forked child."""
        spec: Any = self.find_spec(self.name)
        module = sys.modules[self.name] = module_from_spec(spec)
        self.exec_module(module)
        return module

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        known = super().find_spec(name, path, target)
        return ModuleSpec(name, self) if known is None and name in self._given else known  # pyright: ignore[reportArgumentType]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Door(spec.name, self._peer, self._given[spec.name])

    def exec_module(self, module: ModuleType) -> None:
        """Runs nothing, because the module lives in the other process; a reload is asked for there."""
        if module in self._loaded and isinstance(module, Door):
            given = module.__dict__["@given"]
            given.update(dict.fromkeys(given))
            _ask(module, "reload")
        self._loaded.append(module)
