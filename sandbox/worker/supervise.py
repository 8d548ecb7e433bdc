"""One run inside the worker: hand out the jobs, watch, end everything, and say what was seen."""

from __future__ import annotations

import json
import os
import select
import signal
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .buffers import Capture, Memory, spill
from .emit import ASK, END, HEADER
from .spare import Spare

REPORT_BYTES = 8 << 20
_TICK = 0.2
_REPLY = struct.Struct("<I")

Answer = Callable[[dict[str, Any]], dict[str, Any]]
"""Runs the program that a test asks for: request -> what the test sees of it."""


@dataclass(slots=True)
class Ending:
    """How the processes of a run ended."""

    cause: str
    """done: the reporting process said so; exit: it ended by itself; timeout, cancelled, overfull (wrote too much)."""
    primary: Spare
    second: Spare | None
    second_died: bool
    """The solution's process of a split run ended before it was told to."""
    seconds: float
    said_peak_kb: int
    """Peak memory that the reporting process told at its end."""


class Watch:
    """Reads what the children of one run say until the primary one ends or must be ended."""

    def __init__(self, memory: Memory, primary: Spare, second: Spare | None, output_limit: int) -> None:
        self.primary = primary
        self.second = second

        def capture(name: str, descriptor: int, size: int) -> Capture:
            return Capture(descriptor, memory.area(name, size), spill(memory))

        children = [primary] if second is None else [primary, second]
        self.outs = [capture(f"out{at}", child.out, output_limit) for at, child in enumerate(children)]
        self.errs = [capture(f"err{at}", child.err, output_limit) for at, child in enumerate(children)]
        self.report = capture("report", primary.sock.fileno(), REPORT_BYTES)
        self._scanned = 0
        self._ended = False
        self._peak_kb = 0

    def until_end(
        self,
        control: int,
        deadline: float,
        overfull: Callable[[], bool],
        answer: Answer,
    ) -> str:
        """Wait for the end; returns its cause. `answer` serves requests of the primary child, `control` means stop."""
        captures = {capture.descriptor: capture for capture in (*self.outs, *self.errs, self.report)}
        exit_sign = self.primary.sock.fileno() if self.primary.pidfd is None else self.primary.pidfd
        poll = select.poll()
        for descriptor in {*captures, exit_sign, control}:
            poll.register(descriptor, select.POLLIN)
        next_look = time.monotonic() + _TICK
        while (now := time.monotonic()) < deadline:
            ready = [descriptor for descriptor, _ in poll.poll(max(1, min(deadline - now, _TICK) * 1000))]
            for descriptor in ready:
                if descriptor in captures and captures[descriptor].pull() == 0:
                    poll.unregister(descriptor)
            self._scan_report(answer)
            cause = self._cause(control in ready, exit_sign in ready)
            if cause:
                return cause
            if now > next_look:
                next_look = now + _TICK
                if overfull():
                    return "overfull"
        return "timeout"

    def _cause(self, stopped: bool, exited: bool) -> str:
        if self._ended:
            return "done"
        return "cancelled" if stopped else "exit" if exited else ""

    def _scan_report(self, answer: Answer) -> None:
        """Answer requests and notice the end; the records themselves are for the supervisor. A hostile program may have
        written anything here: what is no genuine frame is passed over."""
        text = self.report.bytes()
        while len(text) - self._scanned >= HEADER.size:
            size, kind, _ = HEADER.unpack_from(text, self._scanned)
            start = self._scanned + HEADER.size
            if start + size > len(text):
                return
            self._scanned = start + size
            if kind in (ASK, END):
                self._heed(kind, bytes(text[start : start + size]), answer)

    def _heed(self, kind: int, text: bytes, answer: Answer) -> None:
        try:
            record = json.loads(text)
            if kind == END:
                self._peak_kb = int(record["peak_kb"])
                self._ended = True
                return
            reply = answer(record)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OSError) as error:
            reply = {"exit_code": None, "stdout": "", "stderr": f"not a program that can be run: {error}"}
        self._reply(reply)

    def _reply(self, answer: dict[str, Any]) -> None:
        encoded = json.dumps(answer).encode()
        self.primary.sock.setblocking(True)
        try:
            self.primary.sock.sendall(_REPLY.pack(len(encoded)) + encoded)
        except OSError:
            return
        finally:
            self.primary.sock.setblocking(False)

    def finish(self, cause: str, started: float) -> Ending:
        """Kill every process, then read what they left in their pipes. A process that was done is reaped in `close`."""
        seconds = time.monotonic() - started
        second_died = self.second is not None and self.second.ended()
        for child in (self.primary, self.second):
            if child is not None:
                child.kill()
        if cause != "done":
            self.reap()
        for capture in (*self.outs, *self.errs, self.report):
            capture.drain()
        return Ending(cause, self.primary, self.second, second_died, seconds, self._peak_kb)

    def reap(self) -> None:
        """Wait until every process of the run is gone."""
        for child in (self.primary, self.second):
            if child is not None:
                child.end()

    def close(self) -> None:
        """Reap what is left, wipe what was read and close the descriptors."""
        self.reap()
        for capture in (*self.outs, *self.errs, self.report):
            capture.wipe()
        for child in (self.primary, self.second):
            if child is not None:
                child.close()


def reap_strays(own: set[int]) -> None:
    """Kill and reap what orphans a run without a process wall left to this worker; `own` are children to spare."""
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
