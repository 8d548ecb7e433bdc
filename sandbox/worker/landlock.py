"""Landlock: decides which folders a program may read and write; everything else does not open.

Landlock needs no privilege and judges the file that is really opened, after every link; a filter of system calls
cannot. The seccomp filter handles what landlock leaves open: changes of mode, owner, times and attributes, and sockets.
Neither hides that a file exists."""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from .libc import address, syscall

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
"""Numbers of the system calls landlock_create_ruleset, landlock_add_rule and landlock_restrict_self, the same on all
machines."""
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_MAKE_CHAR, _MAKE_SOCK, _MAKE_BLOCK = 1 << 6, 1 << 9, 1 << 11
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
"""Rights on files, as landlock numbers them."""
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_ALL = (1 << 16) - 1
_BITS = {1: 13, 2: 14, 3: 15, 4: 15}
"""ABI version -> how many file rights it knows; 16 from version 5 on."""
_ALL_NETWORK, _ALL_SCOPES = 3, 3
"""Bind and connect by TCP (from ABI 4 on); abstract sockets and signals (from 6 on). The seccomp filter refuses both
already; the second wall costs nothing and holds if the first has a hole."""

SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/usr/share/fonts",
    "/usr/share/locale",
    "/etc/localtime", "/etc/timezone", "/etc/ld.so.cache", "/etc/mime.types", "/etc/fonts", "/sys/devices/system/cpu",
)  # fmt: skip
"""What an interpreter and its packages read of the system. /etc as a whole is left out, because it tells users and
hosts."""
DEVICES = (
    "/dev/urandom", "/dev/random", "/dev/zero", "/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/overcommit_memory",
)  # fmt: skip
"""Files of the kernel that may be read too. Of /proc only those by which libraries choose their size; system calls tell
the same."""
_OF_ITSELF = ("maps", "stat", "statm", "status", "limits", "cgroup")
"""Files below /proc/self that may be read. Left out: environ, fd, net, mountinfo."""
_GROUPS = "/sys/fs/cgroup"
_LIMITS = (
    "cpu.max", "memory.max", "memory.high",
    "cpu.cfs_quota_us", "cpu.cfs_period_us", "memory.limit_in_bytes", "memory.soft_limit_in_bytes",
)  # fmt: skip
"""Files with limits of both versions of control groups."""


def abi() -> int:
    """Returns the kernel's landlock version; 0 without landlock."""
    try:
        return syscall(_CREATE, 0, 0, 1)
    except OSError:
        return 0


Target = tuple[int, int]
"""A descriptor of what lies at a path, and the rights to it."""


def readable(paths: Iterable[str]) -> list[Target]:
    """Returns targets that may be read and executed. Paths that do not exist, or lie below another, are left out."""
    real = sorted({os.path.realpath(path) for path in paths})
    kept = [path for path in real if not any(path.startswith(above + os.sep) for above in real)]
    return _targets(kept, _READ_FILE | _READ_DIR | _EXECUTE)


def _targets(paths: Iterable[str], access: int) -> list[Target]:
    found: list[Target] = []
    for path in paths:
        try:
            target = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        found.append((target, access if stat.S_ISDIR(os.fstat(target).st_mode) else access & _ON_FILES))
    return found


class Rules:
    """What processes of a worker may open."""

    def __init__(self, read_only: Sequence[Target], read_write: Iterable[str], itself: bool) -> None:
        """With `itself`, each process may also read a few files that /proc has about it, which takes a fifth of a
        millisecond more. Raises OSError without landlock."""
        # A program writes files. It executes none, and makes neither devices nor sockets that other processes could
        # find.
        written = _ALL & ~(_EXECUTE | _MAKE_CHAR | _MAKE_SOCK | _MAKE_BLOCK | _IOCTL)
        self._rules = list(map(_rule, [*read_only, *_targets(read_write, written)]))
        self._made = None if itself else _ruleset(self._rules)

    def restrict(self) -> None:
        """Applies the rules to this process, for good. Needs no_new_privs. Descriptors that are open stay open."""
        made = self._made
        if made is None:
            made = _ruleset([*self._rules, *map(_rule, _targets(_of("self"), _READ_FILE))])
        syscall(_RESTRICT, made, 0)

    def held_for(self, pid: int) -> tuple[int, ...]:
        """Opens what a restricted process may read about itself. Returns the descriptors, which the caller keeps as
        long as the process lives: a rule holds for the file that was found, and where the kernel is short of memory it
        forgets files of /proc that nobody has open. What the next look finds is another file, which no rule names."""
        return () if self._made is not None else tuple(target for target, _ in _targets(_of(pid), _READ_FILE))


def _of(process: int | str) -> Iterator[str]:
    return (f"/proc/{process}/{name}" for name in _OF_ITSELF)


Rule = tuple[int, bytes]
"""The address of a rule in the kernel's form, and its bytes, which live as long as the rule is needed."""


def _rule(target: Target) -> Rule:
    descriptor, access = target
    rule = struct.pack("=Qi", access & _handled(), descriptor)
    return address(rule), rule


@cache
def _handled() -> int:
    """Returns the rights on files that this kernel can give or deny."""
    return (1 << _BITS.get(abi(), 16)) - 1


@cache
def _attributes() -> bytes:
    """Returns what sets of rules on this machine decide on."""
    version = abi()
    attributes = struct.pack("=QQQ", _handled(), _ALL_NETWORK, _ALL_SCOPES)
    return attributes[: 8 if version < 4 else 16 if version < 6 else 24]


def _ruleset(rules: Iterable[Rule]) -> int:
    made = syscall(_CREATE, address(_attributes()), len(_attributes()), 0)
    for where, _ in rules:
        syscall(_ADD_RULE, made, 1, where, 0)
    return made


def limits_told() -> Iterator[str]:
    """Yields files that tell how much of the machine this worker's control group may use. Libraries choose their size
    by them, and some crash if such a file exists and cannot be read."""
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            groups = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        return
    for _, controllers, path in groups:
        for controller in controllers.split(","):
            for folder in dict.fromkeys((os.path.join(_GROUPS, controller), os.path.join(_GROUPS, controller) + path)):
                yield from (os.path.join(folder, name) for name in _LIMITS)
