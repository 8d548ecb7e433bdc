"""Tries, in a throw-away child, what a program may not do; tells which acts were refused and how."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import resource
import signal
import socket
from collections.abc import Callable
from typing import Any

from . import syscalls
from .libc import address, syscall

_REFUSALS = {
    errno.EPERM,
    errno.EACCES,
    errno.ENOSYS,
    errno.ENOENT,
    errno.ENETUNREACH,
    errno.ESRCH,
    errno.EROFS,
    errno.EAGAIN,
    errno.ENOMEM,
}
_PTRACE_SEIZE = 0x4206
_NEW_USER = 0x10000000

Act = Callable[[dict[str, Any]], bool | None]


def try_all(job: dict[str, Any], emit: Callable[[dict[str, Any]], None]) -> None:
    """Report {"probe": [name, finding]} for each act. `job`: outside (a file of the supervisor's), memory_mb."""
    for name, act in ACTS.items():
        emit({"probe": [name, _attempt(act, job)]})
    emit({"done": len(ACTS)})


def _attempt(act: Act, job: dict[str, Any]) -> str:
    try:
        return "no effect" if act(job) is False else "open"
    except MemoryError:
        return "refused (out of memory)"
    except OSError as error:
        if error.errno in _REFUSALS:
            return f"refused ({errno.errorcode.get(error.errno, error.errno)})"
        return f"open ({errno.errorcode.get(error.errno or 0, error)})"


def _connect(family: int, kind: int, address: Any) -> None:
    with socket.socket(family, kind) as sock:
        sock.settimeout(0.2)
        if kind == socket.SOCK_DGRAM:
            sock.sendto(b"x", address)
        else:
            sock.connect(address)


def _tcp(_: dict[str, Any]) -> None:
    _connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 9))


def _udp(_: dict[str, Any]) -> None:
    _connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 9))


def _unix_socket(_: dict[str, Any]) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.bind("\0sandbox-probe")


def _read_outside(job: dict[str, Any]) -> None:
    with open(job["outside"], "rb"):
        pass


def _write_outside(job: dict[str, Any]) -> None:
    with open(job["outside"], "ab"):
        pass


def _list_outside(job: dict[str, Any]) -> None:
    os.listdir(os.path.dirname(job["outside"]))


def _change_outside(job: dict[str, Any]) -> bool:
    before = os.stat(job["outside"]).st_mode
    os.chmod(job["outside"], before ^ 0o100)
    return os.stat(job["outside"]).st_mode != before


def _see_outside(job: dict[str, Any]) -> None:
    os.stat(job["outside"])


def _environment(_: dict[str, Any]) -> bool:
    with open(f"/proc/{os.getppid()}/environ", "rb") as file:
        return bool(file.read(1))


def _fork(_: dict[str, Any]) -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _execute(_: dict[str, Any]) -> None:
    os.posix_spawn("/bin/true", ["true"], {})


def _signal_parent(_: dict[str, Any]) -> None:
    os.kill(os.getppid(), signal.SIGCONT)


def _trace_parent(_: dict[str, Any]) -> None:
    syscall(_number("ptrace"), _PTRACE_SEIZE, os.getppid(), 0, 0)


def _limit_parent(_: dict[str, Any]) -> None:
    parent = os.getppid()
    resource.prlimit(parent, resource.RLIMIT_NOFILE, resource.prlimit(parent, resource.RLIMIT_NOFILE))


def _new_namespace(_: dict[str, Any]) -> None:
    syscall(_number("unshare"), _NEW_USER)


def _ring(_: dict[str, Any]) -> None:
    parameters = ctypes.create_string_buffer(256)
    syscall(_number("io_uring_setup"), 1, address(parameters))


def _memory_file(_: dict[str, Any]) -> None:
    os.close(os.memfd_create("probe"))


def _much_memory(job: dict[str, Any]) -> None:
    mmap.mmap(-1, 4 * job["memory_mb"] << 20).close()


def _big_file(_: dict[str, Any]) -> bool:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    with open("big", "wb") as file:
        try:
            file.truncate(limit + 1)
        except OSError:
            return False
    return True


def _number(name: str) -> int:
    if syscalls.audit_arch() is None:
        raise OSError(errno.ENOSYS, "no table for this machine")
    return syscalls.table()[name]


ACTS: dict[str, Act] = {
    "network: connect by TCP": _tcp,
    "network: send by UDP": _udp,
    "network: bind a unix socket": _unix_socket,
    "files: read a file outside": _read_outside,
    "files: write a file outside": _write_outside,
    "files: list a folder outside": _list_outside,
    "files: change the mode of a file outside": _change_outside,
    "files: see that a file outside exists": _see_outside,
    "memory: take four times the limit": _much_memory,
    "memory: a file in memory": _memory_file,
    "memory: a file over the limit": _big_file,
    "processes: fork": _fork,
    "processes: run another program": _execute,
    "processes: signal the parent": _signal_parent,
    "processes: trace the parent": _trace_parent,
    "processes: change the parent's limits": _limit_parent,
    "processes: make a user namespace": _new_namespace,
    "processes: io_uring": _ring,
    "environment: read the parent's environment": _environment,
}
"""Name -> act; the word before the colon is the axis."""
