"""Watches one run inside the worker: reads what its children say, ends everything, and tells what was seen."""

from __future__ import annotations

import mmap
import os
import select
import signal
import time
from collections.abc import Callable

from .clock import LimitClock, threads
from .frames import END, GONE, HEADER, PEAK, RECORD, STEP
from .spare import Spare
from .usage import LOOK_SECONDS

REPORT_BYTES = 8 << 20
"""The most bytes of a process's report."""
_FAREWELL = 0.05
"""Seconds for which a solution's process that has closed its end is left to end by itself."""
_SOONEST = 0.002
"""Seconds; the shortest wait for a limit to be reached."""


class Watch:
    """Reads what the children of one run say until the primary one ends or must be ended."""

    def __init__(
        self,
        memory: NamedMemory,
        primary: Spare,
        second: Spare | None,
        output_limit: int,
        nonce: bytes,
        steps: LimitClock,
    ) -> None:
        self.primary = primary
        self.second = second
        self.steps = steps
        self._nonce = nonce

        def capture(name: str, descriptor: int, size: int) -> Capture:
            return Capture(descriptor, memory.area(name, size), spill(memory))

        children = [primary] if second is None else [primary, second]
        self.outs = [capture(f"out{at}", child.out, output_limit) for at, child in enumerate(children)]
        self.errs = [capture(f"err{at}", child.err, output_limit) for at, child in enumerate(children)]
        self.report = capture("report", primary.sock.fileno(), REPORT_BYTES)
        self._scanned = 0
        self._gone = False
        self.cause = ""
        """How the run ended. done: the reporting process said so. exit: it ended by itself. cpu, budget, idle, starved:
        a limit of time. overfull: it wrote too much. forged: its report is not whole. cancelled: the supervisor asked
        for it."""
        self.second_died = False
        """Whether the solution's process of a split run ended before it was told to."""
        self.own = False
        """Whether the solution's process of a split run was in the program's own code while the tests only waited."""
        self.seconds = self.cpu_seconds = 0.0
        self.said_peak_kb = 0
        """The peak memory in KiB that the reporting process told at its end."""

    def until_end(self, control: int | None, overfull: Callable[[], bool]) -> None:
        """Waits for the end and notes its cause. Anything that can be read from `control` means stop."""
        captures = {capture.descriptor: capture for capture in (*self.outs, *self.errs, self.report)}
        exit_sign = self.primary.sock.fileno() if self.primary.pidfd is None else self.primary.pidfd
        poll = select.poll()
        for descriptor in {*captures, exit_sign, *([] if control is None else [control])}:
            poll.register(descriptor, select.POLLIN)
        next_look = time.monotonic() + LOOK_SECONDS
        while not self.cause:
            wait = max(_SOONEST, min(self.steps.left(), LOOK_SECONDS))
            ready = [descriptor for descriptor, _ in poll.poll(wait * 1000)]
            for descriptor in ready:
                if descriptor in captures and captures[descriptor].pull() == 0:
                    poll.unregister(descriptor)
            self._read_report()
            self.cause = self.cause or ("cancelled" if control in ready else "exit" if exit_sign in ready else "")
            if not self.cause and time.monotonic() >= next_look:
                self.steps.look()
                next_look = time.monotonic() + LOOK_SECONDS
                self.cause = "overfull" if overfull() else ""
            self.cause = self.cause or self.steps.over()

    def _read_report(self) -> None:
        """Notices the ends of steps and of the run. Records are only compared and counted here and never parsed,
        because a program may have written them; the supervisor parses them. A record without the run's nonce ends the
        run."""
        if self.report.truncated:
            self.cause = "forged"
        text = self.report.bytes()
        while len(text) - self._scanned >= HEADER.size:
            size, kind, nonce = HEADER.unpack_from(text, self._scanned)
            end = self._scanned + HEADER.size + size
            if nonce != self._nonce or kind not in (RECORD, STEP, END, GONE) or (kind == END and size != PEAK.size):
                self.cause = "forged"
                return
            if end > len(text):
                return
            if kind == STEP:
                self.steps.next()
            elif kind == GONE:
                self._gone = True
            elif kind == END:
                (self.said_peak_kb,) = PEAK.unpack_from(text, end - size)
                self.cause = "done"
            self._scanned = end

    def finish(self) -> None:
        """Kills every process, then reads what they left in their pipes. A process that was done is reaped in
        `close`."""
        self.seconds, self.cpu_seconds = self.steps.wall, self.steps.cpu
        own = self.second is not None and self.second.in_own_code
        self.own = own and (self.cause != "cpu" or self.steps.first_rested) and len(threads(self.primary.pid)) == 1
        self.second_died = self.second is not None and ended_by_itself(self.second, _FAREWELL if self._gone else 0.0)
        for child in (self.primary, self.second):
            if child is not None:
                child.kill()
        if self.cause != "done":
            self.reap()
        for capture in (*self.outs, *self.errs, self.report):
            capture.drain()

    def reap(self) -> None:
        """Waits until every process of the run is gone."""
        for child in (self.primary, self.second):
            if child is not None:
                child.end()

    def close(self) -> None:
        """Reaps what is left, wipes what was read, and closes the descriptors."""
        self.reap()
        for capture in (*self.outs, *self.errs, self.report):
            capture.wipe()
        for child in (self.primary, self.second):
            if child is not None:
                child.close()


def ended_by_itself(child: Spare, patience: float) -> bool:
    """Returns whether a child has ended, or does so within so many seconds; then it is reaped. If it may have patience,
    because it seems to be ending, it is killed after that: one that was on its way keeps its own end."""
    if child.ends_within(patience):
        child.end()
        return True
    if not patience:
        return False
    child.end()
    return child.status is not None and os.waitstatus_to_exitcode(child.status) != -signal.SIGKILL


def reap_strays(own: set[int]) -> None:
    """Kills and reaps orphans that a run without a process wall left to this worker; `own` are children to spare."""
    path = f"/proc/self/task/{os.getpid()}/children"
    for _ in range(1000):
        try:
            with open(path, encoding="ascii") as file:
                strays = [int(word) for word in file.read().split() if int(word) not in own]
        except OSError:
            return
        if not strays:
            return
        for pid in strays:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


_CHUNK = 1 << 16
"""Bytes that are read from a pipe at once."""
_PAGE = mmap.PAGESIZE


class NamedMemory:
    """Named areas of memory that live as long as the worker. Their pages cost nothing until they are written."""

    def __init__(self) -> None:
        self._areas: dict[str, mmap.mmap] = {}

    def area(self, name: str, size: int) -> memoryview:
        """Returns an area of at least `size` bytes, private to each forked process."""
        area = self._areas.get(name)
        if area is None or len(area) < size:
            area = mmap.mmap(-1, max(size, _PAGE), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            self._areas[name] = area
        return memoryview(area)[:size]


class Capture:
    """Keeps what comes out of a descriptor as long as it fits into `kept`, and discards the rest."""

    def __init__(self, descriptor: int, kept: memoryview, spill: memoryview) -> None:
        self.descriptor = descriptor
        self.truncated = False
        self.size = 0
        self._kept = kept
        self._spill = spill

    def pull(self) -> int | None:
        """Reads one chunk. Returns the bytes read, 0 at the end of the stream, None when nothing is there yet."""
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
        """Reads what a dead program left in a pipe. Never waits, and stops after 256 chunks if something keeps
        writing."""
        for _ in range(256):
            if not self.pull():
                return

    def bytes(self) -> memoryview:
        return self._kept[: self.size]

    def wipe(self) -> None:
        wipe(self._kept[: self.size])
        if self.truncated:
            wipe(self._spill)


def spill(memory: NamedMemory) -> memoryview:
    """Returns the area for bytes that are not kept."""
    return memory.area("spill", _CHUNK)


def wipe(buffer: memoryview | bytearray) -> None:
    """Overwrites a buffer in place."""
    memoryview(buffer)[:] = bytes(len(buffer))
