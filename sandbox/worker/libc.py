"""Binds the few calls of the C library that Python does not wrap, once, so that a forked child can call them
cheaply."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable

_libc = ctypes.PyDLL(None, use_errno=True)
_ENOSYS = 38
_LONG = ctypes.c_long
_WORDS = 6
"""How many arguments a system call has at most."""

NO_NEW_PRIVS, DUMPABLE, CHILD_SUBREAPER, PARENT_DEATH, SECCOMP = 38, 4, 36, 1, 22
"""Options of prctl."""

_syscall = getattr(_libc, "syscall", None) if sys.platform == "linux" else None
if _syscall is not None:
    _syscall.restype, _syscall.argtypes = _LONG, [_LONG] * (1 + _WORDS)
_prctl = getattr(_libc, "prctl", None)
if _prctl is not None:
    _prctl.restype, _prctl.argtypes = ctypes.c_int, [_LONG] * 5


def _failed(name: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{name}: {os.strerror(number)}")


def address(data: bytes | ctypes.Array[ctypes.c_char]) -> int:
    """Returns the address of the bytes; the caller must keep them alive."""
    pointer = ctypes.c_char_p(data) if isinstance(data, bytes) else data
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def syscall(number: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> int:
    """Makes a raw system call and returns its value. Raises OSError."""
    if _syscall is None:
        raise OSError(_ENOSYS, "no system calls on this platform")
    value = _syscall(number, a, b, c, d, 0, 0)
    if value < 0:
        raise _failed(f"system call {number}")
    return value


def prctl(option: int, a: int = 0, b: int = 0) -> int:
    """Calls prctl(2) and returns its value. Raises OSError, also on a platform without prctl."""
    if _prctl is None:
        raise OSError(_ENOSYS, "no prctl on this platform")
    value = _prctl(option, a, b, 0, 0)
    if value < 0:
        raise _failed(f"prctl {option}")
    return value


def trim() -> None:
    """Returns memory that the C library keeps for later to the system. A fork takes time for each mapped page, and a
    child's first use of an unmapped page is cheaper than a copy."""
    give_back = getattr(_libc, "malloc_trim", None)
    if give_back is not None:
        give_back(0)


def aside(act: Callable[[], bool]) -> bool:
    """Runs `act` in a forked process and returns its answer, so that nothing it learns stays in this process. Raises
    OSError when it fails."""
    pid = os.fork()
    if pid == 0:
        code = 2
        try:
            code = 0 if act() else 1
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code not in (0, 1):
        raise OSError("a process that was forked for one act failed")
    return code == 0
