"""Carries what the solution prints, reads, warns and logs to the tests' own streams and handlers, so that capsys and
similar fixtures see it."""

from __future__ import annotations

import builtins
import io
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from ..suite.plan import FILENAME
from ..values.codec import or_text

if TYPE_CHECKING:
    from .peer import Peer
    from .solution_side import SolutionSide

_MOST_KEPT = 1 << 20
"""The most bytes of output that one message carries."""


class _Sink(io.RawIOBase):
    """Collects what is written until the next message; more than _MOST_KEPT bytes go on to the real stream."""

    def __init__(self, peer: SolutionSide, key: str) -> None:
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


class _TestsInput(io.TextIOBase):
    """Reads standard input from the tests' process, where a test may have replaced it."""

    def __init__(self, peer: Peer) -> None:
        super().__init__()
        self._peer = peer

    @property
    def buffer(self) -> Any:
        """The bytes that a test has put in place, an object of the tests."""
        return self._peer.call({"op": "bytes"}, (), {})

    def readable(self) -> bool:
        return True

    def __iter__(self) -> Any:
        return self._peer.call({"op": "lines"}, (), {})

    def read(self, size: int | None = -1, /) -> str:
        return self._peer.call({"op": "read"}, (-1 if size is None else size,), {})

    def readline(self, size: int = -1, /) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._peer.call({"op": "readline"}, (size,), {})


class Elsewhere(io.TextIOBase):
    """Takes the tests' standard output while the solution has redirected its own: what the tests print belongs there
    too."""

    def __init__(self, peer: Peer, before: Any) -> None:
        super().__init__()
        self._peer = peer
        self.before = before

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        self._peer.call({"op": "write"}, (text,), {})
        return len(text)


class Streams:
    """Routes this process's streams and warnings through `peer` once installed."""

    def __init__(self, peer: SolutionSide) -> None:
        self._peer = peer
        self._sinks = [_Sink(peer, "o"), _Sink(peer, "e")]
        as_text: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "write_through": True}
        self._texts = [io.TextIOWrapper(cast(Any, sink), **as_text) for sink in self._sinks]
        self._source = _TestsInput(peer)
        self._out: Any = sys.stdout
        """The standard output as long as the program has not redirected it."""
        self._filters: Any = warnings.filters
        """The filters of warnings as long as the program catches none; a program that does has a list of its own."""

    def now(self) -> dict[str, Any]:
        """Returns whether the program has redirected its output, and whether it catches warnings."""
        return {"s": sys.stdout is not self._out, "caught": warnings.filters is not self._filters}

    def install(self) -> None:
        """Replaces the real streams by these."""
        self._sinks[0].through, self._sinks[1].through = sys.stdout.buffer, sys.stderr.buffer
        sys.stdout, sys.stderr = self._texts
        self._out = sys.stdout
        sys.stdin = self._source
        builtins.input = self._input
        warnings.showwarning = self._warn
        warnings.simplefilter("always")
        self._filters = warnings.filters

    def _input(self, prompt: object = "", /) -> str:
        return self._peer.call({"op": "input"}, (str(prompt),), {})

    def _warn(self, message: Any, _category: Any, filename: str, lineno: int, *_: Any) -> None:
        self._peer.told.setdefault("w", []).append([message, str(filename), int(lineno)])


_OWN_FRAMES = "/@child/"
_WARNED: dict[str, dict[Any, Any]] = {}
"""What was warned of before, by file: the tests' filters may ask that one place says the same thing only once."""


def told(extras: dict[str, list[Any]], encode: Callable[[Any], Any]) -> dict[str, list[Any]]:
    """Returns in JSON what was written, warned and logged. Warnings and exceptions cross as such, because the tests may
    look at their class; what cannot cross becomes text."""
    return {key: _told(items, encode) if key in "wl" else items for key, items in extras.items()}


def _told(items: list[Any], encode: Callable[[Any], Any]) -> list[Any]:
    """Returns items in JSON; an item that cannot cross becomes its text."""
    return [_told(item, encode) if type(item) is list else or_text(item, encode) for item in items]  # pyright: ignore[reportUnknownArgumentType]


def hear(extras: dict[str, Any], decode: Callable[[Any], Any], peer: Peer) -> None:
    """Repeats in this process what the other one wrote, warned and logged, so that the tests see it. While the other
    process has its output redirected, what is printed here goes there."""
    own = sys.stdout.before if isinstance(sys.stdout, Elsewhere) else sys.stdout
    if "s" in extras:
        sys.stdout = Elsewhere(peer, own) if extras["s"] else own
    if extras.get("caught") is False:
        _CATCHING.pop().__exit__(None, None, None)
    for key, stream in (("o", own), ("e", sys.stderr)):
        if key in extras:
            _write(stream, extras[key])
    for message, filename, lineno in extras.get("w", ()):
        _warn(decode(message), *_place(str(decode(filename)), int(decode(lineno))))
    if extras.get("caught"):
        _warn_there(peer)
    for record in extras.get("l", ()):
        _log(*map(decode, record))


def _write(stream: Any, texts: Iterable[Any]) -> None:
    """Writes texts in which surrogates stand for bytes that are no text."""
    data = "".join(map(str, texts)).encode("utf-8", "surrogateescape")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        stream.flush()
        stream.buffer.write(data)
    else:
        stream.write(text)


def _place(filename: str, line: int) -> tuple[str, int]:
    """Returns the place a warning points at. If that lies outside the program's own frames, it is the line of the
    tests."""
    frame = sys._getframe() if _OWN_FRAMES in filename else None  # pyright: ignore[reportPrivateUsage]
    while frame is not None and not frame.f_code.co_filename.endswith(FILENAME):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else (filename, line)


def _warn(message: Any, filename: str, lineno: int) -> None:
    category = type(message) if isinstance(message, Warning) else UserWarning
    warnings.warn_explicit(message, category, filename, lineno, registry=_WARNED.setdefault(filename, {}))


_CATCHING: list[warnings.catch_warnings[Any]] = []
"""What is in effect while the program catches warnings."""


def _warn_there(peer: Peer) -> None:
    """From now on the tests' own warnings are the program's to catch, ignore or raise."""
    catching = warnings.catch_warnings()
    catching.__enter__()
    _CATCHING.append(catching)
    warnings.simplefilter("always")

    def show(message: Any, _category: Any, filename: str, lineno: int, *_: Any) -> None:
        peer.call({"op": "warn"}, (message, filename, lineno), {})

    warnings.showwarning = show


def warn_here(message: Any, filename: str, lineno: int) -> None:
    """Repeats a warning of the tests where the program catches warnings. Raises it where the program wants that."""
    warnings.warn_explicit(message, cast(type[Warning], type(message)), filename, lineno)


def _log(name: str, level: int, own: bool, message: str, args: Any, *more: Any) -> None:
    import logging  # noqa: PLC0415 - needed only if the tests look at log records

    filename, line, function, problem, trace, extra = more
    logger = logging.getLogger(name)
    if own or logger.isEnabledFor(level):
        info = (type(problem), problem, None) if isinstance(problem, BaseException) else None
        record = logger.makeRecord(name, level, filename, line, message, args, info, function)
        record.exc_text = trace
        record.__dict__.update(extra)
        logger.handle(record)
