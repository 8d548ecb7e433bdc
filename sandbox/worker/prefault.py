"""Memory that every child writes to is copied for it at once, before a job waits for it: a fork shares all memory, and
the first write to each page would else be a trap and a copy of its own."""

from __future__ import annotations

import ctypes
import os
import struct
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from .libc import address, syscall

_PROCESS_MADVISE, _SELF, _POPULATE_WRITE = 440, -10000, 23
_MOST = 1024
"""Ranges that the kernel takes at a time."""
_PAGE = os.sysconf("SC_PAGESIZE")
_PRESENT, _ALONE = 1 << 63, 1 << 56
"""What the kernel says of a page: it is in memory, and no other process has it."""

Range = tuple[int, int]
"""Address and bytes."""


class Prefault:
    """Ranges of a worker's memory of which each child needs copies of its own."""

    def __init__(self, ranges: Sequence[Range]) -> None:
        self._count = min(len(ranges), _MOST)
        self._vector = ctypes.create_string_buffer(b"".join(struct.pack("=QQ", *one) for one in ranges[:_MOST]))
        self._where = address(self._vector)

    def copy(self) -> None:
        """Make the copies, in a child. A kernel that cannot makes each when it is written to."""
        with suppress(OSError):
            syscall(_PROCESS_MADVISE, _SELF, self._where, self._count, _POPULATE_WRITE)


def written_by(pid: int) -> list[Range]:
    """What a child has written to since it was forked, as far as other children of that time still share the rest;
    empty where the system does not tell."""
    found: list[Range] = []
    try:
        with open(f"/proc/{pid}/maps", "rb") as areas, open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pages:
            for area, rights, *_ in map(bytes.split, areas):
                if rights == b"rw-p":
                    first, end = (int(bound, 16) // _PAGE for bound in area.split(b"-"))
                    told = array("Q", os.pread(pages.fileno(), (end - first) * 8, first * 8))
                    found += _own_ranges(first, told)
    except OSError:
        return []
    return found


def _own_ranges(first: int, told: array[int]) -> Iterator[Range]:
    """`told`: what the kernel says of each page from the page `first` on."""
    own = [page for page, flags in enumerate(told, first) if flags & _PRESENT and flags & _ALONE]
    cuts = [at for at, (one, other) in enumerate(pairwise(own), 1) if other > one + 1]
    for start, end in pairwise([0, *cuts, len(own)]) if own else ():
        yield own[start] * _PAGE, (end - start) * _PAGE
