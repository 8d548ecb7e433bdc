"""The system call filter: built once per worker as a short binary search, installed by each child with its own pid."""

from __future__ import annotations

import ctypes
import struct

from . import syscalls
from .libc import SECCOMP, address, prctl

_LOAD, _EQUAL, _AT_LEAST, _BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_CLONE_THREAD = 0x10000
_NEW_NAMESPACES = 0x7E020080
"""CLONE_NEW*: time, mount, cgroup, uts, ipc, user, pid, net."""
_SET_OWNER = (8, 15)
"""F_SETOWN, F_SETOWN_EX: would send a signal to a process of somebody else."""
_TERMINAL = (0x5412, 0x541C, 0x8901, 0x8902)
"""TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP."""
_PID_MARK = 0x5EC0DE5E
_FILTER = 2

Code = list[tuple[int, int, int, int]]


def _errno(number: int) -> Code:
    return [(_RETURN, 0, 0, _ERRNO | number)]


def _argument(index: int) -> tuple[int, int, int, int]:
    return (_LOAD, 0, 0, 16 + 8 * index)


_PERMIT: Code = [(_RETURN, 0, 0, _ALLOW)]


def _only(index: int, value: int) -> Code:
    return [_argument(index), (_EQUAL, 0, 1, value), *_PERMIT, *_errno(_EPERM)]


def _never(index: int, values: tuple[int, ...]) -> Code:
    code: Code = [_argument(index)]
    for value in values:
        code += [(_EQUAL, 0, 1, value), *_errno(_EPERM)]
    return code + _PERMIT


def _judged() -> dict[str, Code]:
    return {
        "clone": [
            _argument(0),
            (_BITS, 0, 1, _NEW_NAMESPACES),
            *_errno(_EPERM),
            (_BITS, 1, 0, _CLONE_THREAD),
            *_errno(_EPERM),
            *_PERMIT,
        ],
        "clone3": _errno(_ENOSYS),
        "kill": _only(0, _PID_MARK),
        "tgkill": _only(0, _PID_MARK),
        "prlimit64": _only(0, 0),
        "ioctl": _never(1, _TERMINAL),
        "fcntl": _never(1, _SET_OWNER),
    }


def _rules() -> list[tuple[int, Code]]:
    """Sorted (first number, what to do from it on); neighbours that do the same are one."""
    denied, ignored, judged = syscalls.tables()
    by_number = dict.fromkeys(denied.values(), _errno(_EPERM)) | dict.fromkeys(ignored.values(), _errno(0))
    by_number |= {judged[name]: code for name, code in _judged().items()}
    rules: list[tuple[int, Code]] = []
    for number in range(syscalls.FIRST_UNKNOWN):
        code = by_number.get(number, _PERMIT)
        if not rules or rules[-1][1] != code:
            rules.append((number, code))
    return [*rules, (syscalls.FIRST_UNKNOWN, _errno(_ENOSYS))]


def _search(rules: list[tuple[int, Code]]) -> Code:
    if len(rules) == 1:
        return rules[0][1]
    middle = len(rules) // 2
    below, above = _search(rules[:middle]), _search(rules[middle:])
    if len(below) < 256:
        return [(_AT_LEAST, len(below), 0, rules[middle][0]), *below, *above]
    return [(_AT_LEAST, 0, 1, rules[middle][0]), (0x05, 0, 0, len(below)), *below, *above]


class Filter:
    """A filter program in memory; `install` writes the caller's pid into it and applies it for good."""

    def __init__(self) -> None:
        arch = syscalls.audit_arch()
        if arch is None:
            raise OSError(_ENOSYS, "no system call table for this machine")
        head: Code = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, arch), (_RETURN, 0, 0, _KILL_PROCESS), (_LOAD, 0, 0, 0)]
        code = [*head, *_search(_rules())]
        self._marks = [8 * at + 4 for at, step in enumerate(code) if step[3] == _PID_MARK]
        self._size = len(code)
        self._program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in code))
        self._header = struct.pack("HxxxxxxQ", len(code), address(self._program))
        self._where = address(self._header)

    def program(self, pid: int) -> bytes:
        """The instructions as process `pid` would install them."""
        self._mark(pid)
        return self._program.raw[: 8 * self._size]

    def _mark(self, pid: int) -> None:
        for mark in self._marks:
            struct.pack_into("=I", self._program, mark, pid)

    def install(self, pid: int) -> None:
        """Filter this process; needs no_new_privs. Raises OSError where the kernel has no filters."""
        self._mark(pid)
        prctl(SECCOMP, _FILTER, self._where)
