"""What to do instead of what the walls refuse: one line for whoever wrote the program."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from types import TracebackType

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
    ("fork", "forkpty", "posix_spawn", "posix_spawnp", "execv", "execve", "execvp", "execl", "execlp")
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
        if isinstance(link, OSError) and _is_refusal(link):
            modules, names = _way(link.__traceback__)
            if _any_of(modules, _OF_PROCESSES) or names & _STARTING:
                return PROCESSES
            if _any_of(modules, _OF_NETWORK) or names & _CONNECTING:
                return NETWORK
            if link.filename is not None:
                return FILES
    return ""


def kind_of(problem: BaseException) -> str:
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


def _is_refusal(problem: OSError) -> bool:
    """Refused by the system (not by the program itself, whose own PermissionError has no number), or a name that
    nobody resolves."""
    return problem.errno in (errno.EPERM, errno.EACCES, errno.EROFS) or type(problem).__name__ == "gaierror"


def _way(trace: TracebackType | None) -> tuple[set[str], frozenset[str]]:
    """Modules that the exception came through, and the names that its last function uses."""
    modules: set[str] = set()
    names: frozenset[str] = frozenset()
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        modules.add(module)
        names = frozenset(trace.tb_frame.f_code.co_names)
        trace = trace.tb_next
    return modules, names


def _any_of(modules: set[str], families: tuple[str, ...]) -> bool:
    return any(module == family or module.startswith(f"{family}.") for module in modules for family in families)
