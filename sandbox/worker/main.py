"""The worker's loop: makes one run at a time, while the next child is already waiting."""

from __future__ import annotations

import gc
import importlib
import marshal
import os
import sys
from contextlib import suppress
from types import ModuleType
from typing import Any

from . import holes, walls
from .child import prepare_in_worker
from .frames import Channel, ChannelClosed, Head, read_exactly
from .libc import trim
from .runner import Runner, RunOrder

_PRELOADED = {
    "bare": "json math re collections itertools functools typing dataclasses enum traceback",
    "pytest": "pytest random datetime decimal asyncio string heapq bisect statistics tempfile",
    "data": "pytest random datetime decimal numpy pandas matplotlib.pyplot",
}
"""What each flavour imports beforehand. `bare` holds only what nearly every program imports, because each mapped
library costs every run."""
_COPIED = sys.stdlib_module_names - {"sys", "builtins", "warnings"}
"""Standard modules of which the worker's code gets copies. The excluded ones must be shared: through them a program's
streams and warnings reach its tests."""
_REHEARSED = (("inprocess", False), ("examine", True))
"""Entries of the worker's own runs, and whether a second process serves the solution."""
_TIMES = dict.fromkeys(("load_cpu", "step_cpu", "step_idle", "step_wall", "run_cpu", "run_wall"), 2.0)
_LIMITS: dict[str, Any] = {"memory_mb": 256, "output_kb": 16, "file_mb": 1, "times": _TIMES}
_PATIENCE = 10
"""For this many runs after a split one, a second child is kept waiting."""


def serve(setup: dict[str, Any]) -> None:
    """Serves runs until the channel closes. `setup` holds flavour, root, read_only, walls, paths."""
    channel = Channel(os.dup(0), os.dup(1))  # away from stdin and stdout, which belong to programs
    for name in ("PYTHONHASHSEED", "LD_BIND_NOW"):
        os.environ.pop(name, None)  # noqa: TID251 - the worker's own clean environment; a program finds none of it
    prepare_in_worker()
    _silence(0, 1)
    _preload(setup)
    walls.humble_worker()
    worker = Worker(channel, setup)
    _silence(2)  # until now the supervisor reads there why a worker does not come up
    gc.collect()
    _held = holes.filled()  # as long as it serves
    trim()
    gc.freeze()
    gc.disable()
    try:
        worker.loop()
    except ChannelClosed:
        worker.end()
        os._exit(0)


def _silence(*numbers: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for number in numbers:
        os.dup2(null, number)
    os.close(null)


def _preload(setup: dict[str, Any]) -> None:
    for name in f"{_PRELOADED['bare']} {_PRELOADED[setup['flavour']]}".split():
        with suppress(ImportError):
            importlib.import_module(name)
    entries = importlib.import_module("@child")
    entries.warm(setup["flavour"])
    _keep_own_modules()
    entries.rehearse()  # with these copies, because the interpreter adapts code to the modules that it finds
    # Last, after every import of the worker's own: foreign packages are imported only behind the walls.
    sys.path.extend(setup["paths"])


def _keep_own_modules() -> None:
    """Gives the code that runs beside a program copies of the standard modules that it uses. If a program or its tests
    replace `os.getcwd` or `importlib.import_module`, that affects only themselves."""
    copies: dict[str, ModuleType] = {}
    for module in [module for name, module in sys.modules.items() if name.startswith(("@child", "@worker"))]:
        for key, value in vars(module).items():
            if isinstance(value, ModuleType) and value.__name__ in _COPIED:
                module.__dict__[key] = copies.get(value.__name__) or copies.setdefault(value.__name__, _copied(value))


def _copied(module: ModuleType) -> ModuleType:
    copy = ModuleType(module.__name__)
    copy.__dict__.update(module.__dict__)
    return copy


class Worker:
    """A channel and the runner behind it."""

    def __init__(self, channel: Channel, setup: dict[str, Any]) -> None:
        self._channel = channel
        self._walls = walls.build(setup["walls"], setup["read_only"], itself=setup["flavour"] != "bare")
        root = os.path.join(setup["root"], "main")
        self._runner = Runner(root, self._walls, walls.address_space(), channel.source)
        self._since_split = _PATIENCE

    def loop(self) -> None:
        """Serves runs. Raises ChannelClosed when the supervisor is gone."""
        self._rehearse()
        self._prepare()
        made = {"landlock": self._walls.rules, "seccomp": self._walls.filter is not None}
        self._channel.send({"walls": made})
        while True:
            head, size = self._channel.receive()
            if head.pop("op") == "run":
                self._run(head, size)

    def end(self) -> None:
        """Ends the runner, which leaves nothing behind."""
        self._runner.end()

    def _rehearse(self) -> None:
        job: dict[str, Any] = importlib.import_module("@child.rehearsal").JOB
        tests = marshal.dumps(job)
        for entry, split in _REHEARSED:
            served = marshal.dumps({name: job[name] for name in ("module", "solution")}) if split else b""
            order = RunOrder(entry, split, asks=False, files=(), sizes=(len(tests), len(served)), limits=_LIMITS)
            self._runner.rehearse(order, tests + served)

    def _prepare(self) -> None:
        self._runner.nursery.prepare(self._since_split < _PATIENCE)

    def _run(self, head: Head, size: int) -> None:
        order = RunOrder(**head)
        self._since_split = 0 if order.second else self._since_split + 1
        outcome = self._runner.run(order, lambda: read_exactly(self._channel.source, size))
        report = outcome.head()
        try:
            if outcome.watch.cause == "cancelled":
                self._channel.receive()
            outcome.send(self._channel, report)
        finally:
            outcome.close()
            self._runner.refresh()
        if report["tidying"]:
            self._channel.send({"tidy": True})
        self._prepare()
