"""What the solution's process told besides its answers, brought before the tests' own streams and handlers."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from .codec import CannotCross
from .handle import Caller
from .plan import FILENAME
from .streams import Elsewhere

_OWN_FRAMES = "/@child/"


def told(extras: dict[str, list[Any]], encode: Callable[[Any], Any]) -> dict[str, list[Any]]:
    """What travels of what was written, warned and logged: warnings and exceptions as such, for the tests may look at
    their class, and what cannot cross as text."""
    return {key: _told(items, encode) if key in "wl" else items for key, items in extras.items()}


def _told(items: list[Any], encode: Callable[[Any], Any]) -> list[Any]:
    """Returns items in JSON; one that cannot cross is told by its text."""
    return [_told(item, encode) if type(item) is list else _or_text(item, encode) for item in items]  # pyright: ignore[reportUnknownArgumentType]


def _or_text(value: Any, encode: Callable[[Any], Any]) -> Any:
    try:
        return encode(value)
    except (CannotCross, RecursionError):
        return str(value)


def hear(extras: dict[str, Any], decode: Callable[[Any], Any], peer: Caller) -> None:
    """Repeats in this process what the other one wrote, warned of and logged, so that the tests see it. While the other
    one has its output redirected, what is printed here goes there."""
    own = sys.stdout.before if isinstance(sys.stdout, Elsewhere) else sys.stdout
    if "s" in extras:
        sys.stdout = Elsewhere(peer, own) if extras["s"] else own
    for key, stream in (("o", own), ("e", sys.stderr)):
        if key in extras:
            _write(stream, extras[key])
    for message, filename, lineno in extras.get("w", ()):
        _warn(decode(message), *_place(str(decode(filename)), int(decode(lineno))))
    for record in extras.get("l", ()):
        _log(*map(decode, record))


def _write(stream: Any, texts: Iterable[Any]) -> None:
    """Write texts in which surrogates stand for bytes that are no text."""
    data = "".join(map(str, texts)).encode("utf-8", "surrogateescape")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        stream.flush()
        stream.buffer.write(data)
    else:
        stream.write(text)


def _place(filename: str, line: int) -> tuple[str, int]:
    """Where a warning points at: what points beyond the program's own frames there points into the tests here."""
    frame = sys._getframe() if _OWN_FRAMES in filename else None  # pyright: ignore[reportPrivateUsage]
    while frame is not None and not frame.f_code.co_filename.endswith(FILENAME):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else (filename, line)


def _warn(message: Any, filename: str, lineno: int) -> None:
    category = type(message) if isinstance(message, Warning) else UserWarning
    warnings.warn_explicit(message, category, filename, lineno)


def _log(name: str, level: int, own: bool, message: str, args: Any, *more: Any) -> None:
    import logging  # noqa: PLC0415 - only where the tests look at log records

    filename, line, function, problem, trace, extra = more
    logger = logging.getLogger(name)
    if own or logger.isEnabledFor(level):
        info = (type(problem), problem, None) if isinstance(problem, BaseException) else None
        record = logger.makeRecord(name, level, filename, line, message, args, info, function)
        record.exc_text = trace
        record.__dict__.update(extra)
        logger.handle(record)
