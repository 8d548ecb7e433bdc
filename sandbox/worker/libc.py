"""The few calls of the C library that Python does not wrap."""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_syscall = getattr(_libc, "syscall", None)
if _syscall is not None:
    _syscall.restype = ctypes.c_long
_prctl = getattr(_libc, "prctl", None)
_ENOSYS = 38

NO_NEW_PRIVS, DUMPABLE, CHILD_SUBREAPER, PARENT_DEATH = 38, 4, 36, 1

Argument = int | bytes | None


def _convert(argument: Argument) -> object:
    return ctypes.c_long(argument) if isinstance(argument, int) else argument


def _checked(value: int, name: str) -> int:
    if value < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return value


def syscall(number: int, *arguments: Argument) -> int:
    """A raw system call; raises OSError."""
    if _syscall is None:
        raise OSError(_ENOSYS, "no system calls on this platform")
    return _checked(_syscall(ctypes.c_long(number), *map(_convert, arguments)), f"system call {number}")


def prctl(option: int, *arguments: Argument) -> int:
    """prctl(2); raises OSError, also where the platform has none."""
    if _prctl is None:
        raise OSError(_ENOSYS, "no prctl on this platform")
    padding = [ctypes.c_long(0)] * (4 - len(arguments))
    return _checked(_prctl(option, *map(_convert, arguments), *padding), f"prctl {option}")
