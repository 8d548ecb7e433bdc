"""What a child does to itself before it may run a program; nothing of it can be undone.

The order matters. First the worker gives up what makes it special, once for all its children. A child then takes
landlock, closes what it does not need, and takes the filter last, because the filter refuses the calls that the other
steps are made of. Limits of memory and time come with the job, when they are known.
"""

from __future__ import annotations

import os
import resource
import signal
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from . import landlock, syscalls
from .libc import CHILD_SUBREAPER, DUMPABLE, NO_NEW_PRIVS, PARENT_DEATH, address, aside, prctl, syscall
from .seccomp import Filter

_CAPABILITIES_V3 = 0x20080522
_OPEN_FILES = 256
"""For worker and programs: enough for a server in a test, few enough that what they hold open stays bounded."""
_THREADS_AND_LOADS_MB = 64
"""Address space beyond a program's limit: stacks of threads and libraries that are loaded late."""
_CLOSE_UP_TO = 1 << 20 if sys.platform == "linux" else 4096
_WRITABLE = ("/dev/null",)
_JUDGES_TRUNCATE = 3
"""Landlock's version from which on it judges truncate(2); before, that call would empty any file of the app's user."""


@dataclass(frozen=True, slots=True)
class Walls:
    """What this worker's children are walled with; each None or False where the machine (or the caller) has it not."""

    filter: Filter | None
    rules: bool
    readable: tuple[landlock.Target, ...]
    itself: bool
    """Whether programs may read of /proc what it says of them: libraries size themselves by it."""

    def rules_for(self, writable: Sequence[str]) -> landlock.Rules | None:
        """Landlock rules for processes that may write to these folders."""
        if not self.rules:
            return None
        return landlock.Rules(self.readable, (*_WRITABLE, *writable), self.itself)


def build(wanted: Sequence[str], read_only: Sequence[str], itself: bool) -> Walls:
    """Prepare the walls that are wanted and that this machine seems to have; probing tells whether they hold."""
    filtered = "seccomp" in wanted and syscalls.audit_arch() is not None and hasattr(signal, "pthread_sigmask")
    rules = "landlock" in wanted and landlock.abi() > 0
    paths = (*landlock.SYSTEM, *landlock.DEVICES, *landlock.limits_told(), *read_only)
    judges_truncate = landlock.abi() >= _JUDGES_TRUNCATE
    made = Filter(without=() if judges_truncate else ("truncate",)) if filtered else None
    return Walls(
        filter=made if made is not None and _can_install(made) else None,
        rules=rules,
        readable=tuple(landlock.readable(paths)) if rules else (),
        itself=itself,
    )


def _can_install(made: Filter) -> bool:
    """Install a filter in a throw-away process."""

    def act() -> bool:
        prctl(NO_NEW_PRIVS, 1)
        made.install(os.getpid())
        return True

    try:
        return aside(act)
    except OSError:
        return False


def humble_worker() -> None:
    """Give up every privilege of this worker and its children; be unreadable for others, and the heir of orphans."""
    # A core dump would hold what people gave to other runs.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    for option, value in ((NO_NEW_PRIVS, 1), (DUMPABLE, 0), (CHILD_SUBREAPER, 1)):
        try:
            prctl(option, value)
        except OSError:
            return
    # Root without capabilities is an ordinary user that happens to own root's files, which landlock then shuts.
    if syscalls.audit_arch() is not None:
        header, nothing = struct.pack("=Ii", _CAPABILITIES_V3, 0), bytes(24)
        syscall(syscalls.table()["capset"], address(header), address(nothing))


def enclose(walls: Walls, rules: landlock.Rules | None, keep: Sequence[int], parent: int) -> None:
    """Landlock; nothing open but stdio and `keep` (ascending); the filter, last. The worker is humble already.
    `parent`: the process that forked this one, with which it dies."""
    if rules is not None:
        # The worker reads the kernel's account of what a child writes. No other program can: of /proc landlock shows
        # each only what is its own.
        prctl(DUMPABLE, 1)
        rules.restrict()
    start = 3
    for descriptor in keep:
        os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, _CLOSE_UP_TO)
    if walls.filter is not None:
        # A program outlives its worker by no moment, also where the worker died before this was said.
        prctl(PARENT_DEATH, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)
        walls.filter.install(os.getpid())


def limit(memory_bytes: int, cpu_seconds: int, file_bytes: int) -> None:
    """Bound this process; `memory_bytes` is address space in all: what is not mapped cannot be used, and no program can
    fork to get the same again."""
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_AS, (ceiling(memory_bytes), ceiling(memory_bytes)))


def ceiling(memory_bytes: int) -> int:
    """What a process may have that is to use so much."""
    return memory_bytes + (_THREADS_AND_LOADS_MB << 20)


def address_space() -> int:
    """Bytes of address space in use by this process; a guess where /proc is missing."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 256 << 20
