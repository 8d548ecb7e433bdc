"""Repeats in the solution's process what the tests change around it: patched modules, seeds, environment, folder."""

from __future__ import annotations

import importlib
import os
import sys
from abc import ABCMeta
from collections.abc import Callable
from contextlib import suppress
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, cast

from ..objects.describe import is_installed
from ..values.standard import module_of
from .doors import Door

if TYPE_CHECKING:
    from .peer import Peer

_OWN = frozenset((("sys", "stdout"), ("sys", "stderr"), ("sys", "stdin"), ("builtins", "input")))
"""Names that the streams carry already."""
_ABSENT = object()
_ADDED: list[str] = []
"""Import folders that the other process has added."""
_ENVIRON = os.environ  # noqa: TID251 - the child's own, which holds no secrets; tests may put another in its place
_PATCHERS = ("_pytest.monkeypatch", "unittest.mock")
_REPEATED = (("random", "seed"), ("numpy.random", "seed"), ("sys", "setrecursionlimit"))
LOGS = frozenset(("caplog", "assertLogs", "assertNoLogs", "addHandler", "getLogger"))
_PLACE_WORDS = """
environ setenv delenv putenv getenv chdir getcwd cwd syspath_prepend path getcontext setcontext localcontext
"""
PLACE = frozenset(_PLACE_WORDS.split())
MOVING = ("chdir", "environ", "putenv")
"""Words of programs that may leave their folder or change their environment."""


def forward_patches(peer: Peer, names: frozenset[str]) -> None:
    """Repeats in the solution's process what a suite that mentions these names does to modules that both have, and to
    their classes."""
    if not names.isdisjoint(("monkeypatch", "patch", "mock", "MonkeyPatch")):
        patches = _Patches(peer)
        if not names.isdisjoint(("patch", "mock")):
            importlib.import_module("unittest.mock")
        for name in _PATCHERS:
            module = sys.modules.get(name)
            if module is not None:
                module.__dict__.update(setattr=patches.setattr, delattr=patches.delattr)
    if "getstate" in names and "setstate" in names:
        _repeat_states(peer)
    for name, function in _REPEATED:
        if function in names and (name == "random" or name in sys.modules or name.partition(".")[0] in names):
            module = importlib.import_module(name)
            module.__dict__[function] = _repeated(peer, name, function, module.__dict__[function])


def _repeated(peer: Peer, module: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def do_both(*args: Any, **kwargs: Any) -> Any:
        peer.call({"g": [module, name]}, args, kwargs)
        return function(*args, **kwargs)

    return do_both


def _repeat_states(peer: Peer) -> None:
    """Keeps the `random` generators of both processes in step when the tests save and restore the state."""
    random: Any = importlib.import_module("random")
    get, put = random.getstate, random.setstate
    there: dict[Any, Any] = {}

    def getstate() -> Any:
        state = get()
        there[state] = peer.call({"g": ["random", "getstate"]}, (), {})
        return state

    def setstate(state: Any) -> None:
        put(state)
        peer.call({"g": ["random", "setstate"]}, (there.get(state, state),), {})

    random.getstate, random.setstate = getstate, setstate


class _Patches:
    """Replaces `setattr` and `delattr` within the libraries that patch."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._before: dict[tuple[str, str, str], Any] = {}

    def setattr(self, target: Any, name: str, value: Any) -> None:
        if isinstance(target, Door):
            self._peer.call({"op": "keep"}, (target.__name__, name), {})
        if type(target) is FunctionType and self._peer.mirrors.number(target) is not None:
            self._peer.call({"g": ["builtins", "setattr"]}, (target, name, value), {})
        key, before = self._shared(target, name)
        setattr(target, name, value)
        if key is not None and value is before:
            self._peer.call({"op": "unpatch"}, key, {})
        elif key is not None:
            self._peer.call({"op": "patch"}, (*key, value), {})

    def delattr(self, target: Any, name: str) -> None:
        key, before = self._shared(target, name)
        delattr(target, name)
        if key is not None:
            self._peer.call({"op": "unpatch" if before is _ABSENT else "cut"}, key, {})

    def _shared(self, target: Any, name: str) -> tuple[tuple[str, str, str] | None, Any]:
        """Returns the names of what is changed, None if the other process does not have it, and what was there before
        the first change."""
        owner = None if isinstance(target, Door) else _owner(target)
        if owner is None or (owner[0], name) in _OWN:
            return None, None
        key = (*owner, name)
        return key, self._before.setdefault(key, vars(target).get(name, _ABSENT))


def _owner(target: Any) -> tuple[str, str] | None:
    """Returns the names of a module that both processes have and of a class or object in it, "" for the module itself;
    None for anything else."""
    if isinstance(target, ModuleType):
        module, path = target.__name__, ""
    elif type(target) in (type, ABCMeta):
        module, path = module_of(cast(type, target)), target.__qualname__
    else:
        module = type(target).__module__  # where an object lies that a library keeps, as `os.environ`
        held = vars(sys.modules[module]) if module in sys.modules and hasattr(target, "__dict__") else {}
        path = next((name for name, value in held.items() if value is target), "@")
    try:
        known = is_installed(module) and _found(sys.modules[module], path) is target
    except (KeyError, AttributeError):
        return None
    return (module, path) if known else None


def _found(module: Any, path: str) -> Any:
    return attrgetter(path)(module) if path else module


class Surroundings:
    """The folder, environment, added import folders and decimal context of this process."""

    def __init__(self) -> None:
        self._folder = os.getcwd()
        self._known = list(sys.path)
        self.told = {**self.now(), "decimal": None}
        """What the other process has from the beginning."""

    def now(self) -> dict[str, Any]:
        with suppress(FileNotFoundError):  # the folder was removed
            self._folder = os.getcwd()
        added = [path for path in sys.path if path not in self._known]
        return {"env": dict(_ENVIRON), "cwd": self._folder, "path": added, "decimal": _decimal_context()}


def _decimal_context() -> list[Any] | None:
    decimal: Any = sys.modules.get("decimal")
    if decimal is None:
        return None
    now = decimal.getcontext()
    traps = [signal.__name__ for signal, is_on in now.traps.items() if is_on]
    return [now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, [], traps]


class Patched:
    """Modules and classes of the solution's side that were changed for the tests, and what they held before each
    change."""

    def __init__(self) -> None:
        self._before: dict[tuple[int, str], list[Any]] = {}

    def _keep(self, target: Any, name: str) -> None:
        self._before.setdefault((id(target), name), []).append(target.__dict__.get(name, _ABSENT))

    def keep(self, module: str, name: str) -> None:
        """Keeps what a module of the solution holds. The library that patches the module will set this value again
        itself, one change after the other."""
        self._keep(importlib.import_module(module), name)

    def set(self, target: Any, name: str, value: Any) -> None:
        """Sets an attribute, and keeps what was there."""
        self._keep(target, name)
        setattr(target, name, value)

    def delete(self, target: Any, name: str) -> None:
        """Puts back what was there before the last change that was kept; if none was kept, deletes the attribute."""
        before = self._before.get((id(target), name))
        if before:
            _put_back(target, name, before.pop())
            return
        if isinstance(target, type):
            self._keep(target, name)
        delattr(target, name)

    def restore(self, target: Any, name: str) -> None:
        """Puts back what was there before anything was set."""
        before = self._before.pop((id(target), name), [])
        if before:
            _put_back(target, name, before[0])

    def patch(self, module: str, path: str, name: str, value: Any) -> None:
        """Sets what the tests have set in a module that both sides have, or in a class of it."""
        self.set(_found(importlib.import_module(module), path), name, value)

    def cut(self, module: str, path: str, name: str) -> None:
        """Deletes what the tests have deleted there."""
        owner = _found(importlib.import_module(module), path)
        self._keep(owner, name)
        delattr(owner, name)

    def unpatch(self, module: str, path: str, name: str) -> None:
        self.restore(_found(importlib.import_module(module), path), name)


def _put_back(target: Any, name: str, before: Any) -> None:
    if before is _ABSENT:
        delattr(target, name)
    else:
        setattr(target, name, before)


def take_place(extras: dict[str, Any]) -> None:
    """Moves to the folder, environment and decimal context of the tests."""
    if "env" in extras:
        _ENVIRON.clear()
        _ENVIRON.update(extras["env"])
    if "cwd" in extras:
        with suppress(OSError):  # the folder may be gone by now
            os.chdir(extras["cwd"])
    if "path" in extras:
        sys.path[:] = [*extras["path"], *(path for path in sys.path if path not in _ADDED)]
        _ADDED[:] = extras["path"]
        importlib.invalidate_caches()
    if "decimal" in extras:
        decimal: Any = importlib.import_module("decimal")
        *plain, traps = extras["decimal"]
        decimal.setcontext(decimal.Context(*plain, [getattr(decimal, name) for name in traps]))
