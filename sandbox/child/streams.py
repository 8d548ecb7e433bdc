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

    def __init__(self, peer: Telling, key: str) -> None:
        super().__init__()
        self._peer = peer
        self._key = key
        self.through: Any = None
        self._kept = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        block = bytes(data)
        kept = self._peer.told.get(self._key)
        self._kept = len(block) + (self._kept if kept else 0)
        if self._kept > _MOST_KEPT:
            self.through.write(block)
        else:
            self._peer.told.setdefault(self._key, []).append(block.decode("utf-8", "surrogateescape"))
        return len(block)

    def fileno(self) -> int:
        return self.through.fileno()


class _Source(io.TextIOBase):
    """Reads standard input from the tests' process, for a test may have replaced it there."""

    def __init__(self, peer: Caller) -> None:
        super().__init__()
        self._peer = peer

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> str:
        return self._peer.call({"op": "read"}, (-1 if size is None else size,), {})

    def readline(self, size: int = -1, /) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._peer.call({"op": "readline"}, (size,), {})


class Elsewhere(io.TextIOBase):
    """The tests' standard output while the solution has its own redirected: what they print belongs there too."""

    def __init__(self, peer: Caller, before: Any) -> None:
        super().__init__()
        self._peer = peer
        self.before = before

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        self._peer.call({"op": "write"}, (text,), {})
        return len(text)


class Streams:
    """This process's streams and warnings, routed through `peer` once installed."""

    def __init__(self, peer: Telling) -> None:
        self._peer = peer
        self._sinks = [_Sink(peer, "o"), _Sink(peer, "e")]
        self._texts = [_text(sink) for sink in self._sinks]
        self._source = _Source(peer)
        self._redirected = False

    def add(self, extras: dict[str, Any]) -> None:
        """Tell when the program has redirected its output, or put it back."""
        redirected = sys.stdout is not self._texts[0]
        if redirected != self._redirected:
            self._redirected = extras["s"] = redirected

    def install(self) -> None:
        """Put them in the places of the real ones."""
        self._sinks[0].through, self._sinks[1].through = sys.stdout.buffer, sys.stderr.buffer
        sys.stdout, sys.stderr = self._texts
        sys.stdin = self._source
        builtins.input = self._input
        warnings.showwarning = self._warn
        warnings.simplefilter("always")

    def _input(self, prompt: object = "", /) -> str:
        return self._peer.call({"op": "input"}, (str(prompt),), {})

    def _warn(self, message: Any, _category: Any, filename: str, lineno: int, *_: Any) -> None:
        self._peer.told.setdefault("w", []).append([message, str(filename), int(lineno)])


def _text(sink: Any) -> io.TextIOWrapper:
    return io.TextIOWrapper(sink, encoding="utf-8", errors="surrogateescape", write_through=True)
