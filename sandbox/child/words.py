"""Describes any value or exception in bounded text, even if its own repr or str misbehaves. Also says in one line what
the program's author can do instead of what the walls refuse."""

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
"""The most characters of one value."""
MESSAGE_LIMIT = 4000
"""The most characters of one message."""
FRAMES_SHOWN = 6
"""Frames of a traceback: the first two and the last ones."""


def clean(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """Returns `text` without lone surrogates, shortened in the middle to about `limit` characters."""
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
    """Returns a repr of at most about `limit` characters; never raises."""
    try:
        return clean(_short.repr(value), limit)
    except BaseException as problem:  # noqa: BLE001 - a foreign __repr__ may raise anything, also SystemExit
        return f"<{type(value).__name__} whose repr raised {type(problem).__name__}>"


def tell(problem: BaseException) -> str:
    """Returns the exception's message, bounded; "" if it has none."""
    try:
        return clean(str(problem))
    except BaseException as second:  # noqa: BLE001 - a foreign __str__ may raise anything, also SystemExit
        return f"<message raised {type(second).__name__}>"


def tell_all(problem: BaseException) -> str:
    """Returns the exception's message, and what to do instead if the walls refused something."""
    return " - ".join(filter(None, (tell(problem), clean(instead(problem)))))


def headline(problem: BaseException) -> str:
    """Returns an exception as `Type: message`."""
    message = tell_all(problem)
    name = type(problem).__name__
    return f"{name}: {message}" if message else name


def remember_source(filename: str, source: str) -> None:
    """Makes tracebacks show the lines of a file that is not on disk."""
    linecache.cache[filename] = (lambda: source,)


def _steps(problem: BaseException, files: tuple[str, ...]) -> list[tuple[str, int, str]]:
    way = [(frame.f_code, line) for frame, line in walk_tb(problem.__traceback__)]
    return [(code.co_filename, line, code.co_name) for code, line in way if code.co_filename.startswith(files)]


def without_frames_of(module: str, problem: BaseException) -> TracebackType | None:
    """Returns the traceback of an exception without the frames of this module at its beginning."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__") == module:
        trace = trace.tb_next
    return trace


def place(problem: BaseException, files: tuple[str, ...]) -> str:
    """Returns `solution.py:3 in f` for the innermost frame within `files` (prefixes of paths); "" if there is none."""
    if isinstance(problem, SyntaxError) and problem.filename and problem.filename.startswith(files):
        return f"{basename(problem.filename)}:{problem.lineno}"
    steps = _steps(problem, files)
    if not steps:
        return ""
    name, line, function = steps[-1]
    return f"{basename(name)}:{line} in {function}"


def trail(problem: BaseException, files: tuple[str, ...]) -> str:
    """Returns the traceback through `files`, a line with its source for each frame, outermost first."""
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
    """Returns an `error` record: the exception's type, text and place, and the type as which it counts; and the name of
    a module that was not found."""
    name = type(problem).__name__
    told = {"type": name, "kind": told_as(problem), "text": tell_all(problem), "place": place(problem, files)}
    missing = [problem.name] if isinstance(problem, ModuleNotFoundError) and problem.name else []
    return {"error": told, "missing": missing}


REFUSED = "PermissionError"
"""Class name as which a refusal is reported, whatever exception the program made of it."""
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
"""Commands that only change what a terminal shows."""
_DEEPEST = 10
"""Most exceptions of a chain that are looked at."""
_NOTED = "_handle_instead"
"""Attribute that holds the advice of `instead` on an exception that crosses: its traceback stays in the other
process."""


def instead(problem: BaseException) -> str:
    """Returns what to do instead if a refusal of the walls caused this exception, else ""."""
    for link in _chain(problem):
        if _NOTED in link.__dict__:
            return str(link.__dict__[_NOTED])
        # A refusal of the system has a number, a program's own PermissionError has none. An unresolved host name counts
        # too.
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
    """Returns the class name as which the exception that ended a check is reported."""
    return REFUSED if instead(problem) else type(problem).__name__


def note_refusal(problem: BaseException) -> None:
    """Stores in the exception what `instead` says about it."""
    if words := instead(problem):
        problem.__dict__[_NOTED] = words


def refuse_commands() -> None:
    """Makes `os.system` raise when it is refused; otherwise it only returns a number."""
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
    """Returns the modules that the exception came through, and the names that its last function uses."""
    frames = [frame for frame, _ in walk_tb(trace)]
    modules = {str(frame.f_globals.get("__name__", "")) for frame in frames}
    return modules, frozenset(frames[-1].f_code.co_names if frames else ())


def _any_of(modules: set[str], families: tuple[str, ...]) -> bool:
    return any(module == family or module.startswith(f"{family}.") for module in modules for family in families)
