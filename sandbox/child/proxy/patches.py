"""What the tests change around the solution (patched modules, seeds, environment, folder), repeated in its process."""

from __future__ import annotations

import builtins
import importlib
import os
import sys
from collections.abc import Callable
from functools import reduce
from signal import SIG_DFL, default_int_handler
from types import ModuleType
from typing import Any, cast

from ..objects.describe import is_standard
from ..objects.handle import Mirror, MirrorCaller
from ..values.standard import module_of
from .doors import Door

_OWN = frozenset((("sys", "stdout"), ("sys", "stderr"), ("sys", "stdin"), ("builtins", "input")))
"""Carried by the streams already."""
_ABSENT = object()
_BINDING = (classmethod, staticmethod)
_PATCHERS = ("_pytest.monkeypatch", "unittest.mock")
_REPEATED = (("random", "seed"), ("numpy.random", "seed"), ("sys", "setrecursionlimit"), ("gc", "collect"))
_DEFAULT = (SIG_DFL, default_int_handler)
LOGS = frozenset(("caplog", "assertLogs", "assertNoLogs", "addHandler", "getLogger"))
_PLACE_WORDS = "environ setenv delenv putenv chdir syspath_prepend path getcontext setcontext localcontext"
PLACE = frozenset(_PLACE_WORDS.split())


def forward_patches(peer: MirrorCaller, names: frozenset[str]) -> None:
    """Repeat in the solution's process what a suite that mentions these names does to modules it shares."""
    if not names.isdisjoint(("monkeypatch", "patch", "mock", "MonkeyPatch")):
        _lead_patches(peer, names)
    for word, share in (("signal", _share_signals), ("getLogger", _share_loggers)):
        if word in names:
            share(peer)
    for name, function in _REPEATED:
        if function in names and (name == "random" or name in sys.modules or name.partition(".")[0] in names):
            module = importlib.import_module(name)
            module.__dict__[function] = _repeated(peer, name, function, module.__dict__[function])


def _lead_patches(peer: MirrorCaller, names: frozenset[str]) -> None:
    """Have the libraries that patch do it here and there."""
    patches = _Patches(peer)
    if not names.isdisjoint(("patch", "mock")):
        importlib.import_module("unittest.mock")
    for module in filter(None, map(sys.modules.get, _PATCHERS)):
        module.__dict__.update(setattr=patches.setattr, delattr=patches.delattr)


def _share_signals(peer: MirrorCaller) -> None:
    """A signal that the tests send to themselves, or ask about, means the program's handler where they set none."""
    signal: Any = importlib.import_module("signal")
    ask, send, kill = signal.getsignal, signal.raise_signal, os.kill

    def handler(number: int) -> Any:
        theirs = peer.call({"g": ["signal", "getsignal"]}, (int(number),), {}) if ask(number) in _DEFAULT else None
        return theirs if callable(theirs) else ask(number)

    def raised(number: int) -> None:
        if handler(number) is ask(number):
            return send(number)
        return peer.call({"g": ["signal", "raise_signal"]}, (int(number),), {})

    signal.getsignal, signal.raise_signal = handler, raised

    def killed(pid: int, number: int) -> None:
        if pid == os.getpid():
            return raised(number)
        return kill(pid, number)

    sys.modules["os"].__dict__["kill"] = killed


def _share_loggers(peer: MirrorCaller) -> None:
    """Have `logging.getLogger` make the logger that both sides know by that name."""
    import logging  # noqa: PLC0415 - only where the tests look at loggers

    find = logging.getLogger

    def shared(name: str | None = None) -> Any:
        return peer.call({"g": ["logging", "getLogger"]}, (name,), {}) if name and name != "root" else find(name)

    logging.getLogger = shared


def _repeated(peer: MirrorCaller, module: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def do_both(*args: Any, **kwargs: Any) -> Any:
        given = function(*args, **kwargs)
        peer.call({"g": [module, name]}, args, kwargs)
        return given

    return do_both


class _Patches:
    """Stands for `setattr` and `delattr` within the libraries that patch."""

    def __init__(self, peer: MirrorCaller) -> None:
        self._peer = peer
        self._before: dict[tuple[str, str, str], Any] = {}

    def setattr(self, target: Any, name: str, value: Any) -> None:
        if not _is_shared(target, name):
            setattr(target, name, value)
            return
        key = (*_found_by(target), name)
        before = self._before.setdefault(key, target.__dict__.get(name, _ABSENT))
        setattr(target, name, value)
        if value is before:
            self._peer.call({"op": "unpatch"}, key, {})
        else:
            bound = type(cast(Any, value)).__name__ if isinstance(value, _BINDING) else ""
            self._peer.call({"op": "patch"}, (*key, value.__func__ if bound else value, bound), {})

    def delattr(self, target: Any, name: str) -> None:
        delattr(target, name)
        if _is_shared(target, name):
            self._peer.call({"op": "unpatch"}, (*_found_by(target), name), {})


def _is_shared(target: Any, name: str) -> bool:
    """Whether this is an attribute of a standard module, or of a class in one."""
    if isinstance(target, type):
        return is_standard(target.__module__) and not isinstance(target, Mirror)
    if not isinstance(target, ModuleType) or isinstance(target, Door):
        return False
    return is_standard(target.__name__) and (target.__name__, name) not in _OWN


def _found_by(target: Any) -> tuple[str, str]:
    """Module and class; "" for a module."""
    return (module_of(target), target.__qualname__) if isinstance(target, type) else (target.__name__, "")


def _find(module: str, owner: str) -> Any:
    return reduce(getattr, filter(None, owner.split(".")), importlib.import_module(module))


class Surroundings:
    """The folder, environment and decimal context that the tests' process is in, told whenever they changed."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)  # noqa: TID251 - the child's own, which holds no secrets
        self._folder = os.getcwd()
        self._known = list(sys.path)
        self._paths: list[str] = []
        """Import folders that the tests have added."""
        self._decimal: list[Any] | None = None

    def add(self, extras: dict[str, Any]) -> None:
        environment, folder = dict(os.environ), os.getcwd()  # noqa: TID251 - see above
        if environment != self._environment:
            extras["env"] = environment
        if folder != self._folder:
            extras["cwd"] = folder
        paths = [path for path in sys.path if path not in self._known]
        if paths != self._paths:
            extras["path"] = [self._paths, paths]
        context = _decimal_context()
        if context != self._decimal:
            extras["decimal"] = context

    def sent(self, extras: dict[str, Any]) -> None:
        """The solution's side has been told."""
        self._environment = extras.get("env", self._environment)
        self._folder = extras.get("cwd", self._folder)
        self._paths = extras["path"][1] if "path" in extras else self._paths
        self._decimal = extras.get("decimal", self._decimal)


def _decimal_context() -> list[Any] | None:
    decimal: Any = sys.modules.get("decimal")
    if decimal is None:
        return None
    now = decimal.getcontext()
    traps = [signal.__name__ for signal, is_on in now.traps.items() if is_on]
    return [now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, [], traps]


class Patched:
    """The solution's side: modules and classes changed for the tests, and how they were before."""

    def __init__(self) -> None:
        self._before: dict[tuple[int, str], Any] = {}

    def set(self, target: Any, name: str, value: Any) -> None:
        """Set, keeping what was there the first time."""
        self._before.setdefault((id(target), name), target.__dict__.get(name, _ABSENT))
        setattr(target, name, value)

    def delete(self, target: Any, name: str) -> None:
        """Put back what was there before it was set or deleted, else delete."""
        before = self._before.pop((id(target), name), _ABSENT)
        if before is _ABSENT:
            self._before[id(target), name] = target.__dict__.get(name, _ABSENT)
            delattr(target, name)
        else:
            setattr(target, name, before)

    def patch(self, module: str, owner: str, name: str, value: Any, bound: str) -> None:
        self.set(_find(module, owner), name, getattr(builtins, bound)(value) if bound else value)

    def unpatch(self, module: str, owner: str, name: str) -> None:
        target = _find(module, owner)
        if (id(target), name) in self._before:
            self.delete(target, name)


def take_place(extras: dict[str, Any]) -> None:
    """Move to the folder, environment and decimal context of the tests."""
    if "env" in extras:
        os.environ.clear()  # noqa: TID251 - the child's own, which holds no secrets
        os.environ.update(extras["env"])  # noqa: TID251 - see above
    if "cwd" in extras:
        os.chdir(extras["cwd"])
    if "path" in extras:
        before, now = extras["path"]
        sys.path[:] = [*now, *(path for path in sys.path if path not in before)]
        importlib.invalidate_caches()
    if "decimal" in extras:
        decimal: Any = importlib.import_module("decimal")
        *plain, traps = extras["decimal"]
        decimal.setcontext(decimal.Context(*plain, [getattr(decimal, name) for name in traps]))
