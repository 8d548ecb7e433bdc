"""Keeps what a run named its files out of the worker's memory, which all later runs are forked from."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable

from . import syscalls
from .libc import address, syscall

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ENTRIES = ctypes.create_string_buffer(4096)
_LENGTH, _NAME = 16, 19
"""Where the kernel puts an entry's length and its name (struct linux_dirent64)."""
_DOT = ord(".")


def aside(act: Callable[[], bool]) -> bool:
    """What `act` answers, asked in a process of its own: what it learns is gone with it. Raises OSError where it
    fails."""
    pid = os.fork()
    if pid == 0:
        code = 2
        try:
            code = 0 if act() else 1
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code not in (0, 1):
        raise OSError("a process that looked into the run folders failed")
    return code == 0


def is_empty(folder: str) -> bool:
    """Whether nothing lies in a folder, told without taking a name into this process's memory."""
    if syscalls.audit_arch() is None:
        return aside(lambda: not os.listdir(folder))
    descriptor = os.open(folder, _FOLDER)
    try:
        while size := syscall(syscalls.table()["getdents64"], descriptor, address(_ENTRIES), len(_ENTRIES)):
            if not _only_dots(size):
                return False
        return True
    finally:
        os.close(descriptor)
        ctypes.memset(_ENTRIES, 0, len(_ENTRIES))


def _only_dots(size: int) -> bool:
    """Whether the entries that were read are the folder itself and the one above."""
    seen, at = memoryview(_ENTRIES).cast("B"), 0
    while at < size:
        first, second, third = seen[at + _NAME : at + _NAME + 3]
        if first != _DOT or not (second == 0 or (second == _DOT and third == 0)):
            return False
        (length,) = struct.unpack_from("=H", _ENTRIES, at + _LENGTH)
        at += length
    return True
