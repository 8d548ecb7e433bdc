"""The run folders of a worker: fills them before a run, reads and empties them after it. No link is ever followed, or a
program could make the worker read, overwrite or delete files elsewhere."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress

from . import syscalls, usage
from .libc import address, aside, syscall

MAX_ARTIFACTS, MAX_ARTIFACT_BYTES, MAX_ARTIFACTS_BYTES = 32, 8 << 20, 24 << 20
"""How many files of a run are handed back, how large each may be, and all together, in bytes."""
_DEPTH = 4
"""How many levels of folders inside the run folder are searched for files to hand back."""
_NAMES_OF_A_LEAF = 2
_TREES_AT_A_TIME = 500
"""How many folders one `rm` removes, because the length of a command line is limited."""
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ENTRIES = ctypes.create_string_buffer(4096)
_WHERE = address(_ENTRIES)
_LENGTH, _NAME = 16, 19
"""Where the kernel puts an entry's length and its name (struct linux_dirent64)."""
_DOT = ord(".")
_LIST = None if syscalls.audit_arch() is None else syscalls.table()["getdents64"]

Stamp = tuple[int, int]


class Folders:
    """The folders of a run: `shared`, where programs run, `tmp`, and `private`, which only the process that holds the
    tests may use."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.paths = self.shared, self.tmp, self.private = [f"{root}/{name}" for name in ("run", "tmp", "private")]
        self._given: dict[str, Stamp] = {}
        os.makedirs(root, mode=0o700)
        self._mount = usage.own_file_system(root)
        for path in self.paths:
            os.mkdir(path, mode=0o700)
        self._inodes = self._inodes_now()

    def _inodes_now(self) -> list[int]:
        return [os.lstat(path).st_ino for path in self.paths]

    def fill(self, files: Sequence[tuple[str, int]], body: memoryview) -> int:
        """Writes data files (checked relative names, and sizes in bytes) from the start of `body`. Returns the bytes
        used."""
        used = 0
        for name, size in files:
            path = os.path.join(self.shared, name)
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            descriptor = os.open(path, _NEW_FILE, 0o600)
            # Unbuffered: a buffer would keep a copy in this process, from which later runs are forked.
            with open(descriptor, "wb", buffering=0) as file:
                left = body[used : used + size]
                while left:
                    left = left[file.write(left) :]
            self._given[name] = _stamp(os.lstat(path))
            used += size
        return used

    def link(self, links: Sequence[tuple[str, str]]) -> None:
        """Makes links to data files that stay where they lie. The walls decide whether a program may follow them."""
        for name, target in links:
            path = os.path.join(self.shared, name)
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            os.symlink(target, path)

    def overfull(self, pids: Sequence[int], memory_bytes: int) -> bool:
        """Returns whether the run of these processes has written more than a run may."""
        if self._mount is not None:
            given = sum(size for size, _ in self._given.values())
            return usage.overfull_mount(self._mount, given, memory_bytes, pids)
        return aside(lambda: usage.overfull_tree(self.paths, pids))

    def untouched(self) -> bool:
        """Returns whether nothing lies where artifacts would be."""
        return not self._given and is_empty(self.shared)

    def artifacts(self) -> Iterator[tuple[str, int, int]]:
        """Yields (name, open descriptor, size in bytes) of regular files that the program left, smallest first. Given
        data files, links and devices are left out."""
        found: list[tuple[int, str]] = []
        for name, status in _walk(self.shared):
            plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size <= MAX_ARTIFACT_BYTES
            if plain and self._given.get(name) != _stamp(status) and "__pycache__" not in name:
                found.append((status.st_size, name))
            if len(found) > usage.MAX_ENTRIES:
                break
        total = 0
        for size, name in sorted(found)[:MAX_ARTIFACTS]:
            total += size
            descriptor = _open_plain(self.shared, name) if total <= MAX_ARTIFACTS_BYTES else None
            if descriptor is not None:
                yield name, descriptor, size

    def changed(self) -> bool:
        """Returns whether a data file that the program was given has changed."""
        with suppress(OSError):
            given = self._given.items()
            return any(_stamp(os.lstat(os.path.join(self.shared, name))) != stamp for name, stamp in given)
        return True

    def holds_folders(self) -> bool:
        """Returns whether more than plain files lie here, whose removal may take a while."""
        with suppress(OSError):
            # A folder has two names, and one more in each folder inside it; some file systems do not count them.
            return any(os.stat(path).st_nlink != _NAMES_OF_A_LEAF for path in self.paths)
        return True

    def empty(self) -> None:
        """Removes what a run left. Raises OSError when something stays, or when a program without a wall has replaced
        the folders themselves: no other program may run here then, and this worker ends."""
        self._given = {}
        _check(self._inodes_now() == self._inodes)
        with suppress(OSError):
            if all(map(is_empty, self.paths)):
                return
        _check(aside(self._clear))

    def _clear(self) -> bool:
        """Removes what lies here, in a process of its own. Returns whether nothing is left."""
        _remove_trees([path for folder in self.paths for path in _unlink_files(folder)])
        return not any(map(os.listdir, self.paths))


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns


def _walk(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yields (relative name, lstat) of what lies in a folder, a few levels deep."""
    pending = [(folder, 0)]
    while pending:
        path, depth = pending.pop()
        with suppress(usage.OutOfSight):
            for name, status in usage.listed(path):
                yield name[len(folder) + 1 :], status
                if depth < _DEPTH and stat.S_ISDIR(status.st_mode):
                    pending.append((name, depth + 1))


def _open_plain(folder: str, name: str) -> int | None:
    """Returns a descriptor of a regular file that is reached without following a link; None for anything else. Each
    folder of the path is opened by itself, so that a program cannot swap one for a link in between."""
    *parents, last = name.split("/")
    here = os.open(folder, _FOLDER)
    try:
        for parent in parents:
            inner = os.open(parent, _FOLDER, dir_fd=here)
            os.close(here)
            here = inner
        descriptor = os.open(last, _READ_FILE, dir_fd=here)
    except OSError:
        return None
    finally:
        os.close(here)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def _unlink_files(folder: str) -> list[str]:
    """Removes everything that is no folder; returns the paths of the folders."""
    trees: list[str] = []
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        try:
            os.unlink(path)
        except (IsADirectoryError, PermissionError):
            if not os.path.isdir(path):
                raise
            trees.append(path)
    return trees


def remove(root: str) -> None:
    """Removes the folders of a process that is gone, if there are any. Raises OSError when something stays."""
    if os.path.isdir(root):
        _remove_trees([root])
        _check(not os.path.isdir(root))


def _check(empty: bool) -> None:
    if not empty:
        raise OSError(errno.ENOTEMPTY, "what a run left cannot be removed")


def _remove_trees(paths: Sequence[str]) -> None:
    """Removes trees with `rm`, which handles every depth, width and name."""
    for at in range(0, len(paths), _TREES_AT_A_TIME):
        words = ["rm", "-rf", "--", *paths[at : at + _TREES_AT_A_TIME]]
        os.waitpid(os.posix_spawnp(words[0], words, {}), 0)


def is_empty(folder: str) -> bool:
    """Returns whether nothing lies in a folder. No name is kept in this process's memory, from which later runs are
    forked."""
    if _LIST is None:
        return aside(lambda: not os.listdir(folder))
    descriptor = os.open(folder, _FOLDER)
    try:
        while size := syscall(_LIST, descriptor, _WHERE, len(_ENTRIES)):
            if not _only_dots(size):
                ctypes.memset(_ENTRIES, 0, len(_ENTRIES))
                return False
        return True
    finally:
        os.close(descriptor)


def _only_dots(size: int) -> bool:
    """Returns whether the entries that were read are only "." and ".."."""
    seen, at = memoryview(_ENTRIES).cast("B"), 0
    while at < size:
        first, second, third = seen[at + _NAME : at + _NAME + 3]
        if first != _DOT or not (second == 0 or (second == _DOT and third == 0)):
            return False
        (length,) = struct.unpack_from("=H", _ENTRIES, at + _LENGTH)
        at += length
    return True
