"""Landlock: which folders a program may read and write; everything else does not open.

It needs no privilege and judges the file that is really opened, after every link; a filter of system calls cannot. What
it leaves open is the filter's: changes of mode, owner, times and attributes, sockets. Neither hides that a file exists.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable

from .libc import address, syscall

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_MAKE_CHAR, _MAKE_SOCK, _MAKE_BLOCK = 1 << 6, 1 << 9, 1 << 11
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_BITS = {1: 13, 2: 14, 3: 15, 4: 15}
"""ABI -> how many file rights it knows; 16 from 5 on."""
_ALL_NETWORK, _ALL_SCOPES = 3, 3
"""Bind and connect by TCP (from ABI 4 on); abstract sockets and signals (from 6 on). The filter refuses both already,
but a wall that costs nothing may stand twice."""


def abi() -> int:
    """The kernel's landlock version; 0 without landlock."""
    try:
        return syscall(_CREATE, 0, 0, 1)
    except OSError:
        return 0


def ruleset(read_only: Iterable[str], read_write: Iterable[str]) -> int:
    """A descriptor of rules; paths that do not exist are left out. Raises OSError without landlock."""
    version = abi()
    handled = (1 << _BITS.get(version, 16)) - 1
    attributes = struct.pack("=QQQ", handled, _ALL_NETWORK, _ALL_SCOPES)[
        : 8 if version < 4 else 16 if version < 6 else 24
    ]
    rules = syscall(_CREATE, address(attributes), len(attributes), 0)
    # A program writes files; it executes none of them, and makes neither devices nor sockets that others could find.
    write = handled & ~(_EXECUTE | _MAKE_CHAR | _MAKE_SOCK | _MAKE_BLOCK | _IOCTL)
    for paths, access in ((read_only, _READ_FILE | _READ_DIR | _EXECUTE), (read_write, write)):
        for path in paths:
            _allow(rules, path, access & handled)
    return rules


def _allow(rules: int, path: str, access: int) -> None:
    try:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        allowed = access if os.path.isdir(path) else access & _ON_FILES
        rule = struct.pack("=Qi", allowed, target)
        syscall(_ADD_RULE, rules, 1, address(rule), 0)
    finally:
        os.close(target)


def restrict(rules: int) -> None:
    """Apply rules to this process for good; needs no_new_privs."""
    syscall(_RESTRICT, rules, 0)
