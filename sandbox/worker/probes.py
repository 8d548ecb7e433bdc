"""Tries, in a throw-away child, what a program may not do, and reports which acts were refused and how.

What the doctor says about a wall rests on one of these acts; nothing is known of an act that was not tried."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import resource
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable
from typing import IO, Any

from . import syscalls, usage
from .libc import PARENT_DEATH, address, prctl, syscall

_REFUSALS = {
    errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOENT, errno.ENETUNREACH, errno.ESRCH, errno.EROFS, errno.EAGAIN,
    errno.ENOMEM, errno.EOPNOTSUPP, errno.EFBIG, errno.ENOSPC,
}  # fmt: skip
"""Errors by which a wall refuses an act. ENOENT and ESRCH are among them, because a wall may also hide: inside
namespaces the file or the process to be reached is not there. ENOSYS stands for a call that the filter took away."""
_PTRACE_SEIZE = 0x4206
_NEW_USER = 0x10000000
"""CLONE_NEWUSER."""
_HERE = -100
"""AT_FDCWD."""
_KEEP_SIZE = 1
"""FALLOC_FL_KEEP_SIZE, which takes room beyond the file's size."""
_NEW_FILES = 0x100
"""IN_CREATE."""
_BLOCK = bytes(1 << 20)
_RING = ctypes.create_string_buffer(256)
"""The buffer that io_uring_setup fills in."""
_SEEN_SECONDS = 5 * usage.LOOK_SECONDS
"""Seconds after which the worker has surely looked at what a run has written."""

Job = dict[str, Any]
Act = Callable[[Job], object]
"""Raises OSError or MemoryError when the act is refused; returns False when it is allowed but changes nothing."""


def try_all(job: Job, emit: Callable[[dict[str, Any]], None]) -> None:
    """Reports {"probe": [name, finding]} for each of the job's `acts`, and whether the run folders are a file system of
    their own. `job` holds acts (names), outside (a file of the supervisor's), mailbox (the path of a datagram socket),
    cache (a folder that only workers write to), memory_mb."""
    emit({"own_file_system": usage.own_file_system(os.path.dirname(job["shared"])) is not None})
    for name in job["acts"]:
        emit({"probe": [name, _attempt((ACTS | LONG_ACTS)[name], job)]})
    emit({"done": len(job["acts"])})


def _attempt(act: Act, job: Job) -> str:
    try:
        return "no effect" if act(job) is False else "open"
    except MemoryError:
        return "refused (out of memory)"
    except AttributeError:
        if sys.platform == "linux":
            raise
        return "refused (this system has no such call)"
    except OSError as error:
        if error.errno in _REFUSALS:
            return f"refused ({errno.errorcode.get(error.errno, error.errno)})"
        return f"open ({errno.errorcode.get(error.errno or 0, error)})"


def _connect(kind: int) -> None:
    with socket.socket(socket.AF_INET, kind) as sock:
        sock.settimeout(0.2)
        if kind == socket.SOCK_DGRAM:
            sock.sendto(b"x", ("127.0.0.1", 9))
        else:
            sock.connect(("127.0.0.1", 9))


def _open(path: str, mode: str) -> None:
    with open(path, mode):
        pass


def _change_mode(job: Job) -> bool:
    path, before = os.fsencode(job["outside"]), os.stat(job["outside"]).st_mode
    # Not os.chmod, which only pretends (child/pretended.py): what counts is what the kernel does.
    _call("fchmodat", _HERE, address(path), stat.S_IMODE(before) ^ 0o100)
    return os.stat(path).st_mode != before


def _watch(job: Job) -> None:
    folder = os.fsencode(os.path.dirname(job["outside"]))
    _call("inotify_add_watch", _call("inotify_init1"), address(folder), _NEW_FILES)


def _environment(_: Job) -> bool:
    with open(f"/proc/{os.getppid()}/environ", "rb") as file:
        return bool(file.read(1))


def _fork(_: Job) -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _limit_parent(_: Job) -> None:
    parent = os.getppid()
    resource.prlimit(parent, resource.RLIMIT_NOFILE, resource.prlimit(parent, resource.RLIMIT_NOFILE))


def _grow(make: Callable[[IO[bytes], int], object]) -> None:
    """Makes a file larger than a file may be."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("big", "wb") as file:
        make(file, resource.getrlimit(resource.RLIMIT_FSIZE)[0] + 1)


def _fill(limit: int, keep: Callable[[IO[bytes]], object]) -> None:
    """Writes files that together are larger than a run may have, and waits until the worker looks."""
    for number in range(limit // (8 * len(_BLOCK)) + 2):
        with open(f"f{number}", "w+b") as file:
            for _ in range(8):
                file.write(_BLOCK)
            file.flush()
            keep(file)
    time.sleep(_SEEN_SECONDS)


def _fill_folder(_: Job) -> None:
    os.makedirs("a/b/c/d/e/f/g/h")
    os.chdir("a/b/c/d/e/f/g/h")
    _fill(usage.MAX_BYTES, lambda _: None)


def _fill_nameless(_: Job) -> None:
    kept: list[int] = []

    def keep(file: IO[bytes]) -> None:
        os.unlink(file.name)
        kept.append(os.dup(file.fileno()))

    _fill(usage.MAX_BYTES, keep)


def _fill_mapped(_: Job) -> None:
    library = ctypes.CDLL(None)
    library.mmap.restype, library.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, *[ctypes.c_long] * 5]

    def keep(file: IO[bytes]) -> None:
        # Python's own maps hold a descriptor, by which the file could be found.
        os.unlink(file.name)
        library.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)

    _fill(usage.MAX_WRITTEN_BYTES, keep)


def _many_files(_: Job) -> None:
    for number in range(usage.MAX_ENTRIES + 1000):
        os.close(os.open(f"n{number}", os.O_CREAT | os.O_WRONLY))
    time.sleep(_SEEN_SECONDS)


def _call(name: str, *arguments: int) -> int:
    if syscalls.audit_arch() is None:
        raise OSError(errno.ENOSYS, "no table for this machine")
    return syscall(syscalls.table()[name], *arguments)


ACTS: dict[str, Act] = {
    "network: connect by TCP": lambda _: _connect(socket.SOCK_STREAM),
    "network: send by UDP": lambda _: _connect(socket.SOCK_DGRAM),
    "network: bind a unix socket": lambda _: socket.socket(socket.AF_UNIX).bind("\0sandbox-probe"),
    "network: send to the path of a socket": lambda job: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(
        b"x", job["mailbox"]
    ),
    "files: read a file outside": lambda job: _open(job["outside"], "rb"),
    "files: write a file outside": lambda job: _open(job["outside"], "ab"),
    "files: list a folder outside": lambda job: os.listdir(os.path.dirname(job["outside"])),
    "files: change the mode of a file outside": _change_mode,
    "files: empty a file outside": lambda job: os.truncate(job["outside"], 0),
    "files: read the attributes of a file outside": lambda job: os.listxattr(job["outside"]),
    "files: watch a folder outside": _watch,
    "files: write beside the run folder": lambda job: _open(f"{os.path.dirname(job['shared'])}/beside", "wb"),
    "files: write to the cache of all workers": lambda job: _open(f"{job['cache']}/left", "wb"),
    "files: see that a file outside exists": lambda job: os.stat(job["outside"]),
    "memory: take four times the limit": lambda job: mmap.mmap(-1, 4 * job["memory_mb"] << 20).close(),
    "memory: a file in memory": lambda _: os.close(os.memfd_create("probe")),
    "disk: a file over the limit": lambda _: _grow(lambda file, size: file.truncate(size)),
    "disk: take room without writing": lambda _: _grow(
        lambda file, size: _call("fallocate", file.fileno(), _KEEP_SIZE, 0, size)
    ),
    "processes: fork": _fork,
    "processes: run another program": lambda _: os.posix_spawn("/bin/true", ["true"], {}),
    "processes: signal the parent": lambda _: os.kill(os.getppid(), signal.SIGCONT),
    "processes: trace the parent": lambda _: _call("ptrace", _PTRACE_SEIZE, os.getppid()),
    "processes: change the parent's limits": _limit_parent,
    "processes: outlive the worker": lambda _: prctl(PARENT_DEATH, 0),
    "processes: make a user namespace": lambda _: _call("unshare", _NEW_USER),
    "processes: io_uring": lambda _: _call("io_uring_setup", 1, address(_RING)),
    "environment: read the parent's environment": _environment,
}
"""Name -> act; the word before the colon is the axis. These acts are tried whenever a sandbox is opened."""

LONG_ACTS: dict[str, Act] = {
    "disk: fill the run folder": _fill_folder,
    "disk: keep files without a name": _fill_nameless,
    "disk: keep files that are only mapped": _fill_mapped,
    "disk: make very many files": _many_files,
}
"""Acts that take a second and are refused by ending the run. The doctor tries them one by one."""
