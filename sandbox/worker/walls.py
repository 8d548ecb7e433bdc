"""What a child does to itself before it may run a program. None of it can be undone.

The order matters. First the worker gives up its privileges, once for all its children. A child then takes landlock,
closes the descriptors that it does not need, and takes the filter last, because the filter refuses the calls that the
other steps make. Limits of memory and time come with the job, when they are known."""

from __future__ import annotations

import os
import resource
import signal
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from os import closerange, getpid, getppid
from resource import RLIMIT_AS, RLIMIT_CPU, RLIMIT_FSIZE, setrlimit
from signal import SIGKILL

from . import landlock, syscalls
from .libc import CHILD_SUBREAPER, DUMPABLE, NO_NEW_PRIVS, PARENT_DEATH, address, aside, prctl, syscall
from .seccomp import Filter

_CAPABILITIES_V3 = 0x20080522
"""The version of capset's header for sets of 64 capabilities."""
_OPEN_FILES = 256
"""The most open files of worker and programs: enough for a server in a test, few enough that what they hold open stays
bounded."""
_THREADS_AND_LOADS_MB = 64
"""Megabytes of address space beyond a program's limit, for stacks of threads and libraries that are loaded late."""
_CLOSE_UP_TO = 1 << 20 if sys.platform == "linux" else 4096
_WRITABLE = ("/dev/null",)
_JUDGES_TRUNCATE = 3
"""The landlock version from which on it judges truncate(2). Before, that call could empty any file of the app's
user."""


@dataclass(frozen=True, slots=True)
class Walls:
    """The walls of this worker's children; each is None or False if the machine lacks it or the caller does not want
    it."""

    filter: Filter | None
    rules: bool
    readable: tuple[landlock.Target, ...]
    itself: bool
    """Whether programs may read what /proc says of themselves; libraries choose their size by it."""

    def rules_for(self, writable: Sequence[str]) -> landlock.Rules | None:
        """Returns landlock rules for processes that may write to these folders; None without landlock."""
        if not self.rules:
            return None
        return landlock.Rules(self.readable, (*_WRITABLE, *writable), self.itself)


def build(wanted: Sequence[str], read_only: Sequence[str], itself: bool) -> Walls:
    """Prepares the wanted walls that this machine seems to have. Probing tells whether they hold."""
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
    """Returns whether a filter can be installed, tried in a throw-away process."""

    def act() -> bool:
        prctl(NO_NEW_PRIVS, 1)
        made.install(getpid())
        return True

    try:
        return aside(act)
    except OSError:
        return False


def humble_worker() -> None:
    """Gives up every privilege of this worker and its children, makes the worker unreadable for others, and makes it
    the heir of orphans."""
    # A core dump would hold what people gave to other runs.
    setrlimit(resource.RLIMIT_CORE, (0, 0))
    setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    for option, value in ((NO_NEW_PRIVS, 1), (DUMPABLE, 0), (CHILD_SUBREAPER, 1)):
        try:
            prctl(option, value)
        except OSError:
            return
    # Root without capabilities is an ordinary user that owns root's files, which landlock then closes.
    if syscalls.audit_arch() is not None:
        header, nothing = struct.pack("=Ii", _CAPABILITIES_V3, 0), bytes(24)
        syscall(syscalls.table()["capset"], address(header), address(nothing))


def enclose(walls: Walls, rules: landlock.Rules | None, keep: Sequence[int], parent: int) -> None:
    """Takes landlock, closes everything but stdio and `keep` (ascending), and takes the filter, last. The worker has
    given up its privileges before. `parent` is the process that forked this one, with which it dies."""
    if rules is not None:
        # The worker must read the kernel's account of what a child writes. No other program can read it: landlock shows
        # each process only its own files of /proc.
        prctl(DUMPABLE, 1)
        rules.restrict()
    start = 3
    for descriptor in keep:
        closerange(start, descriptor)
        start = descriptor + 1
    closerange(start, _CLOSE_UP_TO)
    if walls.filter is not None:
        # The program must not outlive its worker, even if the worker died before this line.
        prctl(PARENT_DEATH, SIGKILL)
        if getppid() != parent:
            os._exit(0)
        walls.filter.install(getpid())


def limit(memory_bytes: int, cpu_seconds: int, file_bytes: int) -> None:
    """Limits this process. `memory_bytes` is address space in all: unmapped memory cannot be used, and no program can
    fork to get the same amount again."""
    setrlimit(RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    setrlimit(RLIMIT_FSIZE, (file_bytes, file_bytes))
    setrlimit(RLIMIT_AS, (ceiling(memory_bytes), ceiling(memory_bytes)))


def ceiling(memory_bytes: int) -> int:
    """Returns the address space that a process gets which may use so much memory."""
    return memory_bytes + (_THREADS_AND_LOADS_MB << 20)


def address_space() -> int:
    """Returns the bytes of address space that this process uses; a guess if /proc is missing."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 256 << 20
