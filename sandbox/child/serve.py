"""The process that holds the solution in split mode; the tests are never in it."""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from .hearing import told
from .host import Host
from .load import Sources, public_names
from .streams import Streams
from .stubs import LOOKING
from .wire import LinkLost
from .words import fault

if TYPE_CHECKING:
    import socket


_spare: list[_Serving] = []


def prepare_serving() -> None:
    """Build, before the fork, what each solution's process needs."""
    _spare.append(_Serving())


def serve(job: dict[str, Any], sock: socket.socket) -> None:
    """Load the solution, say what it holds, and answer until the other side ends."""
    sources = Sources(job)
    sources.install()
    host = _spare.pop() if _spare else _Serving()
    host.begin(sock.fileno(), sources.files)
    host.flag = job.get("flag")
    host.streams.install()
    try:
        try:
            host.enter_own(True)
            solution = sources.load()
            host.enter_own(False)
        except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
            missing = problem.name if isinstance(problem, ModuleNotFoundError) else None
            host.wire.send(["broken", host.extras(), fault(problem, sources.files), missing])
            return
        host.hello(solution, any(word in source for source in sources.sources.values() for word in LOOKING))
        while True:
            host.answer(host.wire.receive())
    except LinkLost:
        return


def _write(text: str) -> None:
    sys.stdout.write(text)


class _Serving(Host):
    """A host that also tells what was written, warned and logged."""

    def __init__(self) -> None:
        super().__init__()
        self.answering = 1  # while the solution loads, the tests' side waits and answers
        self.told: dict[str, list[Any]] = {}
        self.operations |= {"logs": self._send_logs, "write": _write}
        self.streams = Streams(self)

    def _send_logs(self) -> None:
        from .logs import send_logs  # noqa: PLC0415 - only where the tests look at log records

        send_logs(self)

    def extras(self) -> Any:
        return self._extras()

    def add_extras(self, extras: dict[str, Any]) -> None:
        self.streams.add(extras)
        if self.told:
            extras.update(told(self.told, self.codec.encode))
            self.told = {}

    def hello(self, solution: ModuleType, looks: bool) -> None:
        """["hello", extras, {name: function or nothing}, looks at functions]: what else a name holds is asked for when
        it is used."""
        names: dict[str, Any] = {}
        for name in public_names(solution):
            value = getattr(solution, name, None)
            plain = type(value) is FunctionType and not value.__dict__
            names[name] = self.codec.encode(value) if plain else None
        with self._lock:
            self.answering = 0
            self._send(lambda: ["hello", self._extras(), names, looks])
