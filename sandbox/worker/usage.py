"""Watches how much of the disk a run takes while it goes on, because no kernel limit counts the files of a program
together.

If the run folders are a file system of their own (a tmpfs inside namespaces), that file system is the wall: it has a
size, and one call tells how full it is, including deep files and open files without a name. Elsewhere the folders are
part of the machine's disk. They are walked through, and the kernel's account of each process tells what was written to
files that no folder shows."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

MAX_ENTRIES, MAX_BYTES = 20_000, 256 << 20
"""The most files and folders, and bytes on the disk, that a run may have at a time."""
MAX_WRITTEN_BYTES = 512 << 20
"""The most bytes that a run may write in all, if its files are on the machine's own disk. A file can be kept alive
without a name and without a descriptor (mapped, or sent through a socket), and only this account shows it then."""
_BLOCK = 512
"""Bytes of a block in `st_blocks`, whatever the file system."""
LOOK_SECONDS = 0.2
"""Seconds between two looks at what a run has used and written."""
_PAGE = os.sysconf("SC_PAGESIZE")
_PATH_CHARS_AT_ONCE, _MAX_PATH_CHARS = 1000, 32_000
"""The characters of a path that the system surely takes at once, and those of the longest path that is followed: 3,000
levels fit, and looking stays quick."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILL = stat.S_IWUSR | stat.S_IXUSR


def own_file_system(folder: str) -> str | None:
    """Returns where the file system is mounted that holds nothing but this worker's folders; None without one."""
    above = os.path.dirname(folder)
    return above if os.path.ismount(above) else None


def overfull_mount(mount: str, given_bytes: int, memory_bytes: int, pids: Iterable[int]) -> bool:
    """Returns whether a run holds too many files, or more files and memory together than one of its processes may have,
    since files are memory here. Files are counted with the largest process only, so that the two processes of an honest
    split run are not taken for one."""
    status = os.statvfs(mount)
    written = (status.f_blocks - status.f_bfree) * status.f_frsize - given_bytes
    if status.f_files - status.f_ffree > MAX_ENTRIES:
        return True
    own = _private_bytes(os.getpid())  # a child shares about as much
    grown = max((_private_bytes(pid) - own for pid in pids), default=0)
    return written > 0 and written + max(0, grown) > memory_bytes


def overfull_tree(folders: Sequence[str], pids: Sequence[int]) -> bool:
    """Returns whether a run has more on the machine's disk than it may. Links are not followed."""
    if sum(map(_written_bytes, pids)) > MAX_WRITTEN_BYTES:
        return True
    total = sum(_nameless_bytes(pid, os.stat(folders[0]).st_dev) for pid in pids)
    entries, pending = 0, list(folders)
    while pending and entries <= MAX_ENTRIES and total <= MAX_BYTES:
        try:
            for name, status in listed(pending.pop()):
                entries += 1
                total += status.st_blocks * _BLOCK
                # Only folders that their owner may fill. The mode stays as it was made, because chmod has no effect.
                if stat.S_ISDIR(status.st_mode) and status.st_mode & _FILL == _FILL:
                    pending.append(name)
        except OutOfSight:
            return True
    return entries > MAX_ENTRIES or total > MAX_BYTES


class OutOfSight(Exception):
    """A folder that a program can fill and this worker cannot look into. No honest program makes one."""


def listed(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yields (path, lstat) of what lies in a folder; entries that vanish meanwhile are skipped. Raises OutOfSight."""
    try:
        here = _open_folder(folder)
    except PermissionError as error:
        raise OutOfSight from error
    except OSError:
        return
    try:
        with os.scandir(here) as entries:
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                yield f"{folder}/{entry.name}", status
    finally:
        os.close(here)


def _open_folder(path: str) -> int:
    """Returns a descriptor of a folder whose path may be longer than the system takes at once. Raises OSError,
    OutOfSight."""
    if len(path) > _MAX_PATH_CHARS:
        raise OutOfSight
    here, rest = os.open("/", _FOLDER), path
    while rest := rest.lstrip("/"):
        cut = len(rest) if len(rest) <= _PATH_CHARS_AT_ONCE else rest.rindex("/", 0, _PATH_CHARS_AT_ONCE)
        try:
            inner = os.open(rest[:cut], _FOLDER, dir_fd=here)
        finally:
            os.close(here)
        here, rest = inner, rest[cut:]
    return here


def _private_bytes(pid: int) -> int:
    with suppress(OSError, ValueError), open(f"/proc/{pid}/statm", "rb") as file:
        _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * _PAGE
    return 0


def _written_bytes(pid: int) -> int:
    """Returns the bytes that a process made the kernel write to a disk, less what it took back in time."""
    with suppress(OSError, ValueError), open(f"/proc/{pid}/io", "rb") as file:
        told = dict(line.split(b":") for line in file)
        return int(told.get(b"write_bytes", 0)) - int(told.get(b"cancelled_write_bytes", 0))
    return 0


def _nameless_bytes(pid: int, device: int) -> int:
    """Returns the bytes that a process holds in open files of this device that no folder shows any more."""
    total = 0
    with suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                status = os.stat(f"/proc/{pid}/fd/{number}")
                if stat.S_ISREG(status.st_mode) and status.st_nlink == 0 and status.st_dev == device:
                    total += status.st_blocks * _BLOCK
    return total
