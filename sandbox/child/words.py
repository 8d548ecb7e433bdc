"""Bounded words for any value or exception, also for those whose own repr or str misbehaves."""

from __future__ import annotations

import linecache
import os
import reprlib
from typing import Any

from .refusals import instead, kind_of

TEXT_LIMIT = 600
MESSAGE_LIMIT = 4000
FRAMES_SHOWN = 6


def clean(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """`text` without lone surrogates, cut in the middle to `limit` characters."""
    if len(text) > limit:
        head = limit * 2 // 3
        text = f"{text[:head]}...({len(text) - limit} more)...{text[head - limit :]}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class _Short(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 6
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = self.maxdeque = (
            self.maxarray
        ) = 40
        self.maxstring = self.maxother = TEXT_LIMIT
        self.maxlong = 80

    def repr_int(self, x: int, level: int) -> str:
        if x.bit_length() > 2000:
            return f"<int of {x.bit_length()} bits>"
        return super().repr_int(x, level)


_short = _Short()


def show(value: object, limit: int = TEXT_LIMIT) -> str:
    """A repr of at most about `limit` characters that never raises."""
    try:
        return clean(_short.repr(value), limit)
    except BaseException as problem:  # noqa: BLE001 - a foreign __repr__ may raise anything, also SystemExit
        return f"<{type(value).__name__} whose repr raised {type(problem).__name__}>"


def tell(problem: BaseException) -> str:
    """The exception's message, bounded; empty where there is none."""
    try:
        return clean(str(problem))
    except BaseException as second:  # noqa: BLE001 - a foreign __str__ may raise anything, also SystemExit
        return f"<message raised {type(second).__name__}>"


def tell_all(problem: BaseException) -> str:
    """The exception's message, and what to do instead where the walls refused something."""
    return " - ".join(filter(None, (tell(problem), clean(instead(problem)))))


def headline(problem: BaseException) -> str:
    """Returns an exception as `Type: message`."""
    message = tell_all(problem)
    name = type(problem).__name__
    return f"{name}: {message}" if message else name


def remember_source(filename: str, source: str) -> None:
    """Let tracebacks show the lines of a file that is not on disk."""
    linecache.cache[filename] = (lambda: source,)


def _steps(problem: BaseException, files: tuple[str, ...]) -> list[tuple[str, int, str]]:
    steps: list[tuple[str, int, str]] = []
    trace = problem.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith(files):
            steps.append((code.co_filename, trace.tb_lineno, code.co_name))
        trace = trace.tb_next
    return steps


def place(problem: BaseException, files: tuple[str, ...]) -> str:
    """`solution.py:3 in f` for the innermost frame within `files` (prefixes of paths); empty where there is none."""
    if isinstance(problem, SyntaxError) and problem.filename and problem.filename.startswith(files):
        return f"{os.path.basename(problem.filename)}:{problem.lineno}"
    steps = _steps(problem, files)
    if not steps:
        return ""
    name, line, function = steps[-1]
    return f"{os.path.basename(name)}:{line} in {function}"


def trail(problem: BaseException, files: tuple[str, ...]) -> str:
    """The way to the exception through `files`, a line for each frame with its source, outermost first."""
    steps = _steps(problem, files)
    shown = steps if len(steps) <= FRAMES_SHOWN else [*steps[:2], *steps[2 - FRAMES_SHOWN :]]
    lines = [
        f"  {os.path.basename(name)}:{line} in {function}: {linecache.getline(name, line).strip()[:200]}"
        for name, line, function in shown
    ]
    if len(steps) > FRAMES_SHOWN:
        lines.insert(2, f"  ... {len(steps) - FRAMES_SHOWN} more frames ...")
    return "\n".join(lines)


def fault(problem: BaseException, files: tuple[str, ...]) -> dict[str, Any]:
    """An `error` record: type, text and place of an exception, and by which type it counts."""
    name = type(problem).__name__
    told = {"type": name, "kind": kind_of(problem), "text": tell_all(problem), "place": place(problem, files)}
    return {"error": told}
