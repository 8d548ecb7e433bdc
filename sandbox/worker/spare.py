"""Forks children ahead of time. They are already walled in and wait for a job."""

from __future__ import annotations

import gc
import marshal
import os
import select
import signal
from _socket import socket as Socket
from _socket import socketpair
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from . import child, walls
from .folders import Folders
from .frames import LENGTHS
from .prefault import Prefault, written_by

BATCH = 6
"""How many children are forked at a time."""


@dataclass(slots=True)
class Spare:
    """One waiting child and the worker's ends of its descriptors."""

    pid: int
    pidfd: int | None
    sock: Socket
    out: int
    err: int
    flag: int | None = None
    """For the solution's process of a split run: an event that it raises while the program's own code runs."""
    held: tuple[int, ...] = ()
    """What keeps the rules of its wall in force (`landlock.Rules.held_for`)."""
    status: int | None = None
    """The wait status once the child has been reaped."""
    peak_kb: int = 0

    def hand(self, head: dict[str, Any], job: memoryview | bytearray) -> None:
        """Gives the child its job. Raises OSError when the child is dead."""
        encoded = marshal.dumps(head)
        self.sock.sendall(LENGTHS.pack(len(encoded), len(job)) + encoded)
        self.sock.sendall(job)
        self.sock.setblocking(False)

    @property
    def in_own_code(self) -> bool:
        """Whether the program's own code was at work last, and not the code that carries values to the tests and
        back."""
        return self.flag is not None and _is_ready(self.flag, 0.0)

    def ends_within(self, seconds: float) -> bool:
        """Returns whether the child is dead, or is within so many seconds. The child stays to be reaped, if the system
        can tell without reaping (macOS cannot)."""
        if self.status is None and self.pidfd is not None:
            return _is_ready(self.pidfd, seconds)
        if self.status is None:
            self._reap(os.WNOHANG)
        return self.status is not None

    def kill(self) -> None:
        """Kills the child with its whole session."""
        if self.status is None:
            for send in (os.killpg, os.kill):
                with suppress(ProcessLookupError, PermissionError):
                    send(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kills and reaps the child, so that nothing of it is left."""
        if self.status is None:
            self.kill()
            self._reap(0)

    def _reap(self, how: int) -> None:
        pid, status, usage = os.wait4(self.pid, how)
        if pid:
            self.status, self.peak_kb = status, usage.ru_maxrss

    def close(self) -> None:
        self.sock.close()
        for descriptor in (self.out, self.err, self.pidfd, self.flag, *self.held):
            if descriptor is not None:
                os.close(descriptor)


Pair = tuple[Spare, Spare | None]
"""A primary child, which may hold tests, and a second one, which only ever gets the solution."""
_NOTHING = Prefault(())


@dataclass(slots=True)
class _Unborn:
    """A child that is to be forked."""

    written: Prefault
    """What it will write to."""
    live: Callable[[], None]
    """Its whole life; never returns."""
    born: Callable[[int], Spare]
    """Closes the child's ends in the worker, which tells the child's pid."""
    pid: int = 0


class Nursery:
    """Forks children for one set of run folders, several at once: after a fork the worker has to copy the pages that it
    writes to."""

    def __init__(self, folders: Folders, enclosure: walls.Walls, base_memory: int) -> None:
        self.folders = folders
        self._walls = enclosure
        self._base = base_memory
        shared = [folders.shared, folders.tmp]
        private = [*shared, folders.private]
        self._rules = {True: enclosure.rules_for(private), False: enclosure.rules_for(shared)}
        self._stock: dict[bool, deque[Pair]] = {False: deque(), True: deque()}
        self._written: dict[tuple[bool, bool], Prefault] = {}
        """What children write to in any run, by whether they are one of two and whether they are the primary one."""

    def prepare(self, pairs: bool, count: int = BATCH) -> None:
        """Forks a batch of single children, and with `pairs` a batch of pairs, if none are waiting."""
        for second in (False, True) if pairs else (False,):
            if not self._stock[second]:
                self._stock[second].extend(self._fork_pairs(count, second))

    def take(self, second: bool, broker: Socket | None) -> Pair:
        """Returns a primary child, and its second if asked. Call it before any test is in this process's memory,
        because a child that is not waiting is forked now, and so is one that must be able to speak to a broker."""
        if broker is not None:
            return next(self._fork_pairs(1, second, broker))
        stock = self._stock[second]
        while stock:
            primary, partner = stock.popleft()
            if not primary.ends_within(0.0) and (partner is None or not partner.ends_within(0.0)):
                return primary, partner
            drop(primary, partner)
        return next(self._fork_pairs(1, second))

    def pids(self) -> set[int]:
        """Returns the pids of the children that wait."""
        return {spare.pid for stock in self._stock.values() for pair in stock for spare in pair if spare is not None}

    def discard(self) -> None:
        for stock in self._stock.values():
            while stock:
                drop(*stock.pop())

    def learn(self, primary: Spare, partner: Spare | None) -> None:
        """Makes later children begin with copies of what these have written to. Other children of the same batch must
        still be waiting."""
        second = partner is not None
        self._written[second, True] = Prefault(written_by(primary.pid))
        if partner is not None:
            self._written[second, False] = Prefault(written_by(partner.pid))

    def _fork_pairs(self, count: int, second: bool, broker: Socket | None = None) -> Iterator[Pair]:
        """Forks so many pairs, one kind of child after the other, with next to nothing between two forks: whatever the
        worker writes to after a fork, it has to copy."""
        unborn = [one for _ in range(count) for one in self._expected(second, broker)]
        gc.freeze()  # a child that looks for garbage then looks at its own objects only
        for kind in (unborn[::2], unborn[1::2]) if second else (unborn,):
            with kind[0].written:
                for one in kind:
                    one.pid = _fork_into(one.live)
        spares = (one.born(one.pid) for one in unborn)
        return zip(spares, spares if second else repeat(None), strict=False)

    def _expected(self, second: bool, broker: Socket | None) -> Iterator[_Unborn]:
        inner, outer = socketpair() if second else (None, None)
        yield self._unborn(inner, broker, primary=True)
        if outer is not None:
            yield self._unborn(outer, None, primary=False)

    def _unborn(self, peer: Socket | None, broker: Socket | None, *, primary: bool) -> _Unborn:
        ours, theirs = socketpair()
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        rules, parent = self._rules[primary], os.getpid()
        written = self._written.get((peer is not None, primary), _NOTHING)
        flag = None if primary or not hasattr(os, "eventfd") else os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        keep = [sock.fileno() for sock in (theirs, peer, broker) if sock is not None]
        keep = sorted(keep if flag is None else [*keep, flag])

        def live() -> None:
            written.copy()
            child.enter((out_end, err_end), keep, self._walls, rules, self.folders.shared, parent)
            child.wait_and_run(theirs, peer, broker, self.folders, self._base, flag)

        def born(pid: int) -> Spare:
            for sock in (theirs, peer):
                if sock is not None:
                    sock.close()
            os.close(out_end)
            os.close(err_end)
            os.set_blocking(out, False)
            os.set_blocking(err, False)
            pidfd = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
            return Spare(pid, pidfd, ours, out, err, flag, rules.held_for(pid) if rules is not None else ())

        return _Unborn(written, live, born)


def _is_ready(descriptor: int, seconds: float) -> bool:
    """Returns whether something can be read from a descriptor within so many seconds."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _fork_into(live: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            live()
        finally:
            os._exit(71)
    return pid


def drop(*spares: Spare | None) -> None:
    """Ends and forgets children."""
    for spare in spares:
        if spare is not None:
            spare.end()
            spare.close()
