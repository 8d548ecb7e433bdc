"""Carries what the solution prints, reads, warns and logs to the tests, where capsys and its kin can see it."""

from __future__ import annotations

import builtins
import io
import sys
import warnings
from typing import Any, Protocol

from .handle import Caller

_MOST_KEPT = 1 << 20


class Telling(Caller, Protocol):
    told: dict[str, list[Any]]


class _Sink(io.RawIOBase):
    """Collects what is written until the next message; a flood goes on to the real stream."""

    def __init__(self, peer: Telling, key: str, through: Any) -> None:
        super().__init__()
        self._peer = peer
        self._key = key
        self._through = through
        self._kept = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        block = bytes(data)
        kept = self._peer.told.get(self._key)
        self._kept = len(block) + (self._kept if kept else 0)
        if self._kept > _MOST_KEPT:
            self._through.write(block)
        else:
            self._peer.told.setdefault(self._key, []).append(block.decode("utf-8", "backslashreplace"))
        return len(block)

    def fileno(self) -> int:
        return self._through.fileno()


class _Source(io.TextIOBase):
    """Standard input, read where the tests are: a test may have replaced it there."""

    def __init__(self, peer: Caller) -> None:
        super().__init__()
        self._peer = peer

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> str:
        return self._peer.call({"op": "read"}, (-1 if size is None else size,), {})

    def readline(self, size: int = -1, /) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._peer.call({"op": "readline"}, (size,), {})


def redirect(peer: Telling) -> None:
    """Route this process's streams, warnings and log records through `peer`."""
    for name, key in (("stdout", "o"), ("stderr", "e")):
        through = getattr(sys, name).buffer
        sink: Any = _Sink(peer, key, through)
        setattr(sys, name, io.TextIOWrapper(sink, encoding="utf-8", errors="surrogateescape", write_through=True))
    sys.stdin = _Source(peer)

    def read_input(prompt: object = "", /) -> str:
        return peer.call({"op": "input"}, (str(prompt),), {})

    builtins.input = read_input

    def tell_warning(message: Any, category: Any, filename: str, lineno: int, *_: Any) -> None:
        peer.told.setdefault("w", []).append([str(message), category.__name__, str(filename), int(lineno)])

    warnings.showwarning = tell_warning
    warnings.simplefilter("always")
