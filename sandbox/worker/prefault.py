"""Copies memory that every child writes to for each child at once, before a job waits for it. A fork shares all memory,
so that otherwise the first write to each page is a trap and a copy of its own.

A page that the kernel is told to keep in place for input and output (io_uring's registered buffers) is copied by the
fork itself, which takes two thirds of the time that a copy afterwards takes. No input or output is ever made. Where the
kernel does not allow that, the child asks for all copies in one call."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise

from .libc import address, syscall

_PROCESS_MADVISE, _SELF, _POPULATE_WRITE = 440, -10000, 23
"""Number of the system call process_madvise; the descriptor that stands for who calls; the advice to copy now."""
_SETUP, _REGISTER = 425, 427
"""Numbers of the system calls io_uring_setup and io_uring_register, the same on all machines."""
_BUFFERS, _NO_BUFFERS = 0, 1
"""What io_uring_register is to do."""
_DISABLED = struct.pack("=8xI108x", 1 << 6)
"""Parameters of a ring that takes no orders (IORING_SETUP_R_DISABLED)."""
_MAX_RANGES = 1024
"""How many ranges the kernel takes at a time; what is beyond them is copied when it is written to."""
_PAGE = os.sysconf("SC_PAGESIZE")
_PRESENT, _ALONE = 1 << 63, 1 << 56
"""Flags of a page in pagemap: the page is in memory, and no other process has it."""

Range = tuple[int, int]
"""Address and number of bytes."""


class Prefault:
    """Ranges of a worker's memory of which each child needs copies of its own. As a context, makes forks copy them."""

    def __init__(self, ranges: Sequence[Range]) -> None:
        self._count = min(len(ranges), _MAX_RANGES)
        self._vector = ctypes.create_string_buffer(b"".join(struct.pack("=QQ", *one) for one in ranges[:_MAX_RANGES]))
        self._where = address(self._vector)
        self._kept = False
        """Whether forks make the copies."""

    def __enter__(self) -> None:
        ring = _ring() if self._count else None
        if ring is not None:
            with suppress(OSError):
                syscall(_REGISTER, ring, _BUFFERS, self._where, self._count)
                self._kept = True

    def __exit__(self, *_: object) -> None:
        ring = _ring() if self._kept else None
        if ring is not None:
            syscall(_REGISTER, ring, _NO_BUFFERS)
            self._kept = False

    def copy(self) -> None:
        """Makes the copies, in a child, unless the fork has made them. If the kernel cannot do that, each page is
        copied when it is written to."""
        if not self._kept:
            with suppress(OSError):
                syscall(_PROCESS_MADVISE, _SELF, self._where, self._count, _POPULATE_WRITE)


@cache
def _ring() -> int | None:
    """Returns a descriptor through which memory can be kept in place; None if the kernel has none for us. No program
    that is started inherits it, and a child closes it with all else that is not its own (`walls.enclose`)."""
    parameters = ctypes.create_string_buffer(_DISABLED)
    try:
        return syscall(_SETUP, 1, address(parameters))
    except OSError:
        return None


def written_by(pid: int) -> list[Range]:
    """Returns what a child has written to of this process's memory since it was forked, as long as other children of
    its batch share the rest; empty if the system does not tell."""
    found: list[Range] = []
    try:
        here = [range(*area) for area in _areas("self")]
        with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pages:
            for first, end in _areas(pid):
                told = memoryview(os.pread(pages.fileno(), (end - first) * 8, first * 8)).cast("Q")
                found += _own_ranges(first, told)
    except OSError:
        return []
    return [
        (at, size)
        for at, size in found
        if any(at // _PAGE in area and (at + size - 1) // _PAGE in area for area in here)
    ]


def _areas(process: int | str) -> Iterator[tuple[int, int]]:
    """Yields the first page, and the one after the last, of each area that a process may write to and shares with
    none. Raises OSError."""
    with open(f"/proc/{process}/maps", "rb") as areas:
        for area, rights, *_ in map(bytes.split, areas):
            if rights == b"rw-p":
                first, end = area.split(b"-")
                yield int(first, 16) // _PAGE, int(end, 16) // _PAGE


def _own_ranges(first: int, told: Iterable[int]) -> Iterator[Range]:
    """Yields the ranges of pages that the process alone has. `told` holds the kernel's flags of the pages from `first`
    on."""
    own = [page for page, flags in enumerate(told, first) if flags & _PRESENT and flags & _ALONE]
    cuts = [at for at, (one, other) in enumerate(pairwise(own), 1) if other > one + 1]
    for start, end in pairwise([0, *cuts, len(own)]) if own else ():
        yield own[start] * _PAGE, (end - start) * _PAGE
