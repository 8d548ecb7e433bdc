"""Copies memory that every child writes to for each child at once, before a job waits for it. A fork shares all memory,
so that otherwise the first write to each page is a trap and a copy of its own."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from .libc import address, syscall

_PROCESS_MADVISE, _SELF, _POPULATE_WRITE = 440, -10000, 23
_MAX_RANGES = 1024
"""How many ranges the kernel takes at a time."""
_PAGE = os.sysconf("SC_PAGESIZE")
_PRESENT, _ALONE = 1 << 63, 1 << 56
"""Flags of a page in pagemap: the page is in memory, and no other process has it."""

Range = tuple[int, int]
"""Address and number of bytes."""


class Prefault:
    """Ranges of a worker's memory of which each child needs copies of its own."""

    def __init__(self, ranges: Sequence[Range]) -> None:
        self._count = min(len(ranges), _MAX_RANGES)
        self._vector = ctypes.create_string_buffer(b"".join(struct.pack("=QQ", *one) for one in ranges[:_MAX_RANGES]))
        self._where = address(self._vector)

    def copy(self) -> None:
        """Makes the copies, in a child. If the kernel cannot do that, each page is copied when it is written to."""
        with suppress(OSError):
            syscall(_PROCESS_MADVISE, _SELF, self._where, self._count, _POPULATE_WRITE)


def written_by(pid: int) -> list[Range]:
    """Returns what a child has written to since it was forked, as long as other children of its batch share the rest;
    empty if the system does not tell."""
    found: list[Range] = []
    try:
        with open(f"/proc/{pid}/maps", "rb") as areas, open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pages:
            for area, rights, *_ in map(bytes.split, areas):
                if rights == b"rw-p":
                    first, end = (int(bound, 16) // _PAGE for bound in area.split(b"-"))
                    told = memoryview(os.pread(pages.fileno(), (end - first) * 8, first * 8)).cast("Q")
                    found += _own_ranges(first, told)
    except OSError:
        return []
    return found


def _own_ranges(first: int, told: Iterable[int]) -> Iterator[Range]:
    """Yields the ranges of pages that the process alone has. `told` holds the kernel's flags of the pages from `first`
    on."""
    own = [page for page, flags in enumerate(told, first) if flags & _PRESENT and flags & _ALONE]
    cuts = [at for at, (one, other) in enumerate(pairwise(own), 1) if other > one + 1]
    for start, end in pairwise([0, *cuts, len(own)]) if own else ():
        yield own[start] * _PAGE, (end - start) * _PAGE
