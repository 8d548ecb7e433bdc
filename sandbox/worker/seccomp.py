"""The system call filter: built once per worker as a short binary search, and installed by each child with its own pid.

A filter sees call numbers and the low words of arguments, but never what a pointer points at. It therefore decides by
name (syscalls.py), for a few calls by an argument that is a plain number, and leaves every path to landlock. Two rules
make it fail closed: a known call that is not allowed is refused (EPERM, which Python shows as PermissionError), and a
number that the tables do not know does not exist (ENOSYS, after which the C library falls back to an older call). A
new, dangerous call of a newer kernel is thus never open."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable

from . import syscalls
from .libc import SECCOMP, address, prctl

_LOAD, _JUMP, _EQUAL, _AT_LEAST, _BITS, _RETURN = 0x20, 0x05, 0x15, 0x35, 0x45, 0x06
"""Instructions of a filter: load a word, jump, jump if equal, jump if at least, jump if a bit is set, and return."""
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
"""Answers of a filter to a system call: allow it, fail with an error number, or kill the process."""
_EPERM, _ENOSYS, _EOPNOTSUPP = 1, 38, 95
_FARTHEST = 255
"""A conditional jump has one byte for its distance."""

_CLONE_THREAD = 0x10000
_NEW_NAMESPACES = 0x7E020080
"""CLONE_NEW*: time, mount, cgroup, uts, ipc, user, pid, net."""

_FILTER_MODE = 2
"""SECCOMP_MODE_FILTER."""
_PID_MARK = 0x5EC0DE5E
"""Stands for the pid of the process that installs the filter."""

_FILE_COMMANDS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)
"""Allowed: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, the locks (of open files too), F_DUPFD_CLOEXEC, F_GETPIPE_SZ.
Refused: F_SETOWN, F_SETSIG (they signal other processes), F_NOTIFY (it watches a folder), F_SETPIPE_SZ (it takes memory
that no limit counts)."""

_DEVICE_QUESTIONS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""Allowed: TCGETS (is this a terminal?), TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Refused: TIOCSTI and
TIOCLINUX, with which a program could type into the person's terminal, FIOSETOWN, SIOCSPGRP, and any driver's own."""
_SHARE_BLOCKS = 0x40049409
"""FICLONE. Python's own copies try it first, and go on without it if the file system cannot."""

_PROCESS_OPTIONS = (3, 15, 16, 21, 0x53564D41)
"""Allowed: PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_SET_VMA (names for memory). Refused:
PR_SET_PDEATHSIG, with which a program could outlive a killed worker, PR_SET_DUMPABLE, PR_SET_PTRACER, PR_SET_MM."""

_STREAM_PAIRS = (1, 0x801, 0x80001, 0x80801)
"""SOCK_STREAM with and without SOCK_NONBLOCK and SOCK_CLOEXEC. A datagram socket of a pair could send to the path of
any socket of the machine (/dev/log, a service's notify socket), which landlock does not cover; a stream socket
cannot."""
_UNIX_FAMILY = 1
"""AF_UNIX."""
_SOCKET_OPTIONS = (2, 7, 8, 9, 13, 16, 20, 21)
"""Allowed: SO_REUSEADDR, SO_SNDBUF, SO_RCVBUF, SO_KEEPALIVE, SO_LINGER, SO_PASSCRED, SO_RCVTIMEO, SO_SNDTIMEO. Refused:
SO_ATTACH_FILTER and SO_ATTACH_BPF, which hand programs to the kernel."""

_put_word = struct.Struct("=I").pack_into
Step = tuple[int, int, int, int]
Code = list[Step]


def _answer(number: int) -> Code:
    """Returns code that does not make the call and answers with this errno (0: success)."""
    return [(_RETURN, 0, 0, _ERRNO | number)]


_PERMIT: Code = [(_RETURN, 0, 0, _ALLOW)]
_REFUSE = _answer(_EPERM)


def _argument(index: int, high: bool = False) -> Step:
    """Returns the step that loads half of an argument; both machines are little-endian."""
    return (_LOAD, 0, 0, 16 + 8 * index + 4 * high)


def _only(index: int, values: Iterable[int], then: Code = _PERMIT) -> Code:
    """Returns code that does `then` if the argument is one of the values, and refuses the call otherwise. The kernel
    reads these arguments as 32 bits too, so the unseen high half cannot change their meaning."""
    code: Code = [_argument(index)]
    for value in values:
        code += [(_EQUAL, 0, len(then), value), *then]
    return code + _REFUSE


def _judged() -> dict[str, Code]:
    own_process = _only(0, (_PID_MARK,))
    return {
        # Threads only; a new process would escape the run's accounting.
        "clone": [
            _argument(0), (_BITS, 0, 1, _NEW_NAMESPACES), *_REFUSE,
            (_BITS, 1, 0, _CLONE_THREAD), *_REFUSE, *_PERMIT,
        ],
        "kill": own_process,
        "tgkill": own_process,
        "prlimit64": _only(0, (0, _PID_MARK)),
        "prctl": _only(0, _PROCESS_OPTIONS),
        "ioctl": [
            _argument(1), (_EQUAL, 0, 1, _SHARE_BLOCKS), *_answer(_EOPNOTSUPP), *_only(1, _DEVICE_QUESTIONS),
        ],
        "fcntl": _only(1, _FILE_COMMANDS),
        "socketpair": _only(0, (_UNIX_FAMILY,), then=_only(1, _STREAM_PAIRS)),
        # Only if the address, a pointer, is null; another one could name a socket outside.
        "sendto": [
            _argument(4), (_EQUAL, 1, 0, 0), *_REFUSE,
            _argument(4, high=True), (_EQUAL, 1, 0, 0), *_REFUSE, *_PERMIT,
        ],
        "setsockopt": _only(2, _SOCKET_OPTIONS),
    }  # fmt: skip


def _rules(without: frozenset[str]) -> list[tuple[int, Code]]:
    """Returns sorted (first number, what to do from it on); neighbours that do the same are merged."""
    by_name = dict.fromkeys(syscalls.ALLOWED - without, _PERMIT) | dict.fromkeys(syscalls.PRETENDED, _answer(0))
    by_name |= dict.fromkeys(syscalls.UNSUPPORTED, _answer(_EOPNOTSUPP)) | _judged()
    by_name |= dict.fromkeys(syscalls.ABSENT, _answer(_ENOSYS))
    by_number = {number: by_name.get(name, _REFUSE) for name, number in syscalls.table().items()}
    rules: list[tuple[int, Code]] = []
    for number in range(max(by_number) + 2):
        code = by_number.get(number, _answer(_ENOSYS))
        if not rules or rules[-1][1] != code:
            rules.append((number, code))
    return rules


def _search(rules: list[tuple[int, Code]]) -> Code:
    if len(rules) == 1:
        return rules[0][1]
    middle = len(rules) // 2
    below, above = _search(rules[:middle]), _search(rules[middle:])
    if len(below) <= _FARTHEST:
        return [(_AT_LEAST, len(below), 0, rules[middle][0]), *below, *above]
    return [(_AT_LEAST, 0, 1, rules[middle][0]), (_JUMP, 0, 0, len(below)), *below, *above]


class Filter:
    """A filter program in memory; `install` writes the caller's pid into it and applies it for good."""

    def __init__(self, without: Iterable[str] = ()) -> None:
        """`without` names calls to refuse because this machine's landlock cannot judge them yet. Raises OSError when
        there is no table for this machine."""
        arch = syscalls.audit_arch()
        if arch is None:
            raise OSError(_ENOSYS, "no system call table for this machine")
        head: Code = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, arch), (_RETURN, 0, 0, _KILL_PROCESS), (_LOAD, 0, 0, 0)]
        code = [*head, *_search(_rules(frozenset(without)))]
        self._marks = [8 * at + 4 for at, step in enumerate(code) if step[3] == _PID_MARK]
        self._size = len(code)
        self._program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in code))
        self._header = struct.pack("HxxxxxxQ", len(code), address(self._program))
        self._where = address(self._header)

    def program(self, pid: int) -> bytes:
        """Returns the instructions as process `pid` would install them."""
        self._mark(pid)
        return self._program.raw[: 8 * self._size]

    def _mark(self, pid: int) -> None:
        for mark in self._marks:
            _put_word(self._program, mark, pid)

    def install(self, pid: int) -> None:
        """Filters this process. Needs no_new_privs. Raises OSError when the kernel has no filters."""
        self._mark(pid)
        prctl(SECCOMP, _FILTER_MODE, self._where)
