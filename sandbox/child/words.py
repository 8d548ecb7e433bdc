"""Bounded words for any value or exception, also for those whose own repr or str misbehaves; and what to do instead of
what the walls refuse, in one line for whoever wrote the program."""

from __future__ import annotations

import errno
import linecache
import os
import reprlib
from collections.abc import Iterator
from os.path import basename
from traceback import walk_tb
from types import TracebackType
from typing import Any

TEXT_LIMIT = 600
MESSAGE_LIMIT = 4000
FRAMES_SHOWN = 6


def clean(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """`text` without lone surrogates, cut in the middle to `limit` characters."""
    if len(text) > limit:
        head = limit * 2 // 3
        text = f"{text[:head]}...({len(text) - limit} more)...{text[head - limit :]}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


_LONG = ("maxlist", "maxtuple", "maxset", "maxfrozenset", "maxdict", "maxdeque", "maxarray")


class _Short(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxlong, self.maxstring, self.maxother = 6, 80, TEXT_LIMIT, TEXT_LIMIT
        self.__dict__.update(dict.fromkeys(_LONG, 40))

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
    way = [(frame.f_code, line) for frame, line in walk_tb(problem.__traceback__)]
    return [(code.co_filename, line, code.co_name) for code, line in way if code.co_filename.startswith(files)]


def without_frames_of(module: str, problem: BaseException) -> TracebackType | None:
    """The way to an exception, without the frames of this module at its beginning."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__") == module:
        trace = trace.tb_next
    return trace


def place(problem: BaseException, files: tuple[str, ...]) -> str:
    """`solution.py:3 in f` for the innermost frame within `files` (prefixes of paths); empty where there is none."""
    if isinstance(problem, SyntaxError) and problem.filename and problem.filename.startswith(files):
        return f"{basename(problem.filename)}:{problem.lineno}"
    steps = _steps(problem, files)
    if not steps:
        return ""
    name, line, function = steps[-1]
    return f"{basename(name)}:{line} in {function}"


def trail(problem: BaseException, files: tuple[str, ...]) -> str:
    """The way to the exception through `files`, a line for each frame with its source, outermost first."""
    steps = _steps(problem, files)
    shown = steps if len(steps) <= FRAMES_SHOWN else [*steps[:2], *steps[2 - FRAMES_SHOWN :]]
    lines = [
        f"  {basename(name)}:{line} in {function}: {linecache.getline(name, line).strip()[:200]}"
        for name, line, function in shown
    ]
    if len(steps) > FRAMES_SHOWN:
        lines.insert(2, f"  ... {len(steps) - FRAMES_SHOWN} more frames ...")
    return "\n".join(lines)


def fault(problem: BaseException, files: tuple[str, ...]) -> dict[str, Any]:
    """An `error` record: type, text and place of an exception, and by which type it counts."""
    name = type(problem).__name__
    told = {"type": name, "kind": told_as(problem), "text": tell_all(problem), "place": place(problem, files)}
    return {"error": told}


REFUSED = "PermissionError"
"""Class name by which a refusal is told, whatever the program made of it."""
PROCESSES = (
    "programs may not start other processes here: use threads, or call the function itself; "
    "tests may run the program by run_program(argv, stdin)"
)
NETWORK = "there is no network here: hand in the data, or a function that stands for the one that fetches it"
FILES = "programs may write only into the folder they run in and into tempfile.gettempdir(): use relative paths"
_OF_PROCESSES = ("subprocess", "multiprocessing", "concurrent.futures.process", "asyncio.subprocess", "pty")
_OF_NETWORK = ("socket", "socketserver", "ssl", "http", "urllib", "requests", "httpx", "aiohttp", "ftplib", "smtplib")
_STARTING = frozenset(
    ["fork", "forkpty", "posix_spawn", "posix_spawnp", "execv", "execve", "execvp", "execl", "execlp"]
)
_CONNECTING = frozenset(("socket", "getaddrinfo", "gethostbyname", "gethostbyaddr", "connect", "bind"))
_HARMLESS = ("", "clear", "cls")
"""Commands that change nothing but the look of a terminal."""
_DEEPEST = 10
"""Exceptions of a chain that are looked at."""
_NOTED = "_handle_instead"
"""Attribute of an exception whose way through the modules stays behind in the other process."""


def instead(problem: BaseException) -> str:
    """What to do instead of what was refused, where a refusal is at the bottom of this; else empty."""
    for link in _chain(problem):
        if _NOTED in link.__dict__:
            return str(link.__dict__[_NOTED])
        # The system's refusals have a number, a program's own PermissionError has none; a name may be unresolved, too.
        refused = isinstance(link, OSError) and link.errno in (errno.EPERM, errno.EACCES, errno.EROFS)
        if isinstance(link, OSError) and (refused or type(link).__name__ == "gaierror"):
            modules, names = _way(link.__traceback__)
            if _any_of(modules, _OF_PROCESSES) or names & _STARTING:
                return PROCESSES
            if _any_of(modules, _OF_NETWORK) or names & _CONNECTING:
                return NETWORK
            if link.filename is not None:
                return FILES
    return ""


def told_as(problem: BaseException) -> str:
    """The class name by which what ended a check is told."""
    return REFUSED if instead(problem) else type(problem).__name__


def note_refusal(problem: BaseException) -> None:
    """Keep in the exception what `instead` says of it."""
    if words := instead(problem):
        problem.__dict__[_NOTED] = words


def refuse_commands() -> None:
    """Let `os.system` say that it is refused, which it tells by a number otherwise."""
    os.system = _system  # pyright: ignore[reportAttributeAccessIssue] - the refusal of the real one


def _system(command: str | bytes) -> int:
    if os.fsdecode(command).strip() in _HARMLESS:
        return 0
    raise PermissionError(errno.EPERM, PROCESSES)


def _chain(problem: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = problem
    for _ in range(_DEEPEST):
        if link is None:
            return
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _way(trace: TracebackType | None) -> tuple[set[str], frozenset[str]]:
    """Modules that the exception came through, and the names that its last function uses."""
    frames = [frame for frame, _ in walk_tb(trace)]
    modules = {str(frame.f_globals.get("__name__", "")) for frame in frames}
    return modules, frozenset(frames[-1].f_code.co_names if frames else ())


def _any_of(modules: set[str], families: tuple[str, ...]) -> bool:
    return any(module == family or module.startswith(f"{family}.") for module in modules for family in families)
