"""Children forked ahead of time: already walled in, waiting for a job."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import child, walls
from .folders import Folders


@dataclass(slots=True)
class Spare:
    """One waiting child and the worker's ends of its descriptors."""

    pid: int
    pidfd: int | None
    sock: socket.socket
    out: int
    err: int
    status: int | None = None
    """Wait status once the child has been reaped."""
    peak_kb: int = 0

    def hand(self, head: dict[str, Any], job: memoryview | bytearray) -> None:
        """Give the child its job; raises OSError when it is dead."""
        encoded = json.dumps(head).encode()
        self.sock.sendall(child.LENGTHS.pack(len(encoded), len(job)) + encoded)
        self.sock.sendall(job)
        self.sock.setblocking(False)

    def ended(self) -> bool:
        """Whether the child is dead by itself; reaps it."""
        if self.status is None:
            self._reap(os.WNOHANG)
        return self.status is not None

    def _reap(self, options: int) -> None:
        pid, status, usage = os.wait4(self.pid, options)
        if pid:
            self.status = status
            self.peak_kb = usage.ru_maxrss

    def end(self) -> None:
        """Kill the child with its whole session and reap it; then nothing of it is left."""
        for send in (os.killpg, os.kill):
            try:
                send(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        if self.status is None:
            self._reap(0)

    def close(self) -> None:
        self.sock.close()
        for descriptor in (self.out, self.err, self.pidfd):
            if descriptor is not None:
                os.close(descriptor)


class Nursery:
    """Forks children for one set of run folders: `primary` may hold tests, `second` only ever sees the solution."""

    def __init__(self, folders: Folders, enclosure: walls.Walls, base_memory: int) -> None:
        self.folders = folders
        self._walls = enclosure
        self._base = base_memory
        self._rules: dict[bool, int | None] = {}
        self._ready: dict[bool, Spare] = {}
        self._peer: socket.socket | None = None
        self._use_folders()

    def _use_folders(self) -> None:
        shared = [self.folders.shared, self.folders.tmp]
        for rules in self._rules.values():
            if rules is not None:
                os.close(rules)
        self._rules = {True: self._walls.ruleset([*shared, self.folders.private]), False: self._walls.ruleset(shared)}

    def prepare(self, second: bool) -> None:
        """Have a primary child waiting, and a second one if asked."""
        if True not in self._ready:
            self._ready[True] = self._fork_primary()
        if second and False not in self._ready:
            self._ready[False] = self._fork_second()

    def take(self, second: bool) -> tuple[Spare, Spare | None]:
        """A primary child, and its second if asked; forks what is not waiting."""
        if any(spare.ended() for spare in self._ready.values()):
            self.discard()
        self.prepare(second)
        primary = self._ready.pop(True)
        partner = self._ready.pop(False) if second else None
        if partner is None:
            self._discard_one(False)
        if self._peer is not None:
            self._peer.close()
            self._peer = None
        return primary, partner

    def pids(self) -> set[int]:
        """Children that wait."""
        return {spare.pid for spare in self._ready.values()}

    def refresh(self) -> None:
        """Empty the run folders; children that wait on folders that are gone are replaced."""
        if not self.folders.empty():
            self.discard()
            self._use_folders()

    def discard(self) -> None:
        for primary in (True, False):
            self._discard_one(primary)

    def _discard_one(self, primary: bool) -> None:
        spare = self._ready.pop(primary, None)
        if spare is not None:
            spare.end()
            spare.close()

    def _fork_primary(self) -> Spare:
        inner, self._peer = socket.socketpair()
        try:
            return self._fork(inner, primary=True)
        finally:
            inner.close()

    def _fork_second(self) -> Spare:
        if self._peer is None:
            raise RuntimeError("a second child joins a waiting primary one")
        return self._fork(self._peer, primary=False)

    def _fork(self, peer: socket.socket, *, primary: bool) -> Spare:
        ours, theirs = socket.socketpair()
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        rules = self._rules[primary]

        def live() -> None:
            child.enter((out_end, err_end), [theirs.fileno(), peer.fileno()], self._walls, rules, self.folders)
            child.wait_and_run(theirs, peer, self.folders, self._base)

        pid = _fork_into(live)
        theirs.close()
        os.close(out_end)
        os.close(err_end)
        os.set_blocking(out, False)
        os.set_blocking(err, False)
        return Spare(pid, os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None, ours, out, err)


def _fork_into(live: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            live()
        finally:
            os._exit(71)
    return pid
