"""Whether a folder is empty, told without learning a name: what a program called its files is not for the next one.

Python's own listing leaves the names behind in freed memory, and later runs are forked from this process.
"""

from __future__ import annotations

import ctypes
import mmap
import os

from . import syscalls
from .libc import syscall

_PAGE = mmap.mmap(-1, mmap.PAGESIZE)
_WHERE = ctypes.addressof(ctypes.c_char.from_buffer(_PAGE))
_DOTS = 48
"""Bytes of the entries `.` and `..`, which every folder has."""
_NUMBER = syscalls.table()["getdents64"] if syscalls.audit_arch() is not None else None
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def is_empty(folder: str) -> bool:
    """Raises OSError for what is no folder."""
    if _NUMBER is None:
        return not os.listdir(folder)
    descriptor = os.open(folder, _FOLDER)
    try:
        size = syscall(_NUMBER, descriptor, _WHERE, len(_PAGE))
    finally:
        os.close(descriptor)
    _PAGE[:size] = bytes(size)
    return size <= _DOTS
