"""Memory for what a program sends: taken once, wiped after each run, so that no fork inherits an earlier run."""

from __future__ import annotations

import mmap
import os

_CHUNK = 1 << 16
_PAGE = mmap.PAGESIZE


class Memory:
    """Named areas that live as long as the worker; their pages cost nothing until they are written."""

    def __init__(self) -> None:
        self._areas: dict[str, mmap.mmap] = {}

    def area(self, name: str, size: int) -> memoryview:
        """An area of at least `size` bytes, private to each forked process."""
        area = self._areas.get(name)
        if area is None or len(area) < size:
            area = mmap.mmap(-1, max(size, _PAGE), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            self._areas[name] = area
        return memoryview(area)[:size]


class Capture:
    """Keeps what comes out of a descriptor as long as it fits into `kept`, and swallows the rest."""

    def __init__(self, descriptor: int, kept: memoryview, spill: memoryview) -> None:
        self.descriptor = descriptor
        self.truncated = False
        self.size = 0
        self._kept = kept
        self._spill = spill

    def pull(self) -> int | None:
        """Read one chunk; the bytes read, 0 at the end of the stream, None when nothing is there yet."""
        room = self._kept[self.size : self.size + _CHUNK]
        full = len(room) == 0
        try:
            count = os.readv(self.descriptor, [self._spill if full else room])
        except BlockingIOError:
            return None
        except ConnectionResetError:
            return 0
        if full:
            self.truncated = self.truncated or count > 0
        else:
            self.size += count
        return count

    def drain(self) -> None:
        """Read what a dead program left behind; never waits, and gives up where something keeps writing."""
        for _ in range(256):
            if not self.pull():
                return

    def bytes(self) -> memoryview:
        return self._kept[: self.size]

    def wipe(self) -> None:
        wipe(self._kept[: self.size])
        if self.truncated:
            wipe(self._spill)


def spill(memory: Memory) -> memoryview:
    """Where bytes go that nobody keeps."""
    return memory.area("spill", _CHUNK)


def wipe(buffer: memoryview | bytearray) -> None:
    """Overwrite a buffer in place."""
    memoryview(buffer)[:] = bytes(len(buffer))
