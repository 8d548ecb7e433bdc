"""Runs the program for a test that asks for it (`run_program`), in a process that ends with the run.

The requests may come from a process that holds untrusted code. A process of its own therefore reads them: whatever
it is sent, it can only fail, and it ends before the worker forks for the next run, so nothing that it learned gets
there."""

from __future__ import annotations

import json
import marshal
import mmap
import os
import signal
from _socket import socket as Socket
from _socket import socketpair
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .clock import RUNNING
from .frames import HEADER, RECORD, Channel

if TYPE_CHECKING:
    from .runner import Runner, WorkerOutcome

_OUTPUT_KB = 256
"""Kilobytes that a test sees of a program's stdout and of its stderr, each."""
_LONGER = 2
"""A program may take this many times as long as the check that waits for it, so that the check's own limit always comes
first."""


class Broker:
    """The process that answers requests, as the worker sees it."""

    def __init__(self, open_runner: Callable[[], Runner], limits: Mapping[str, Any]) -> None:
        """Forks the process now, while no test is in this process's memory. `open_runner` makes folders and children of
        its own."""
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        mine, self.socket = socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            self.socket.close()
            times = {name: seconds * _LONGER for name, seconds in limits["times"].items()}
            _serve(mine, open_runner, {**limits, "times": times, "output_kb": _OUTPUT_KB}, self._page)
        mine.close()

    def running(self) -> tuple[int, float]:
        """Returns the pid of the program that runs now (0 for none), and the CPU seconds of those that have ended."""
        return RUNNING.unpack_from(self._page)

    def end(self) -> None:
        """Kills the process; the program that it runs dies with it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.socket.close()
        self._page.close()


def _serve(sock: Socket, open_runner: Callable[[], Runner], limits: dict[str, Any], page: mmap.mmap) -> None:
    channel = Channel(sock.fileno(), sock.fileno())
    try:
        runner = open_runner()
        while True:
            request, _ = channel.receive()
            channel.send(_answer(runner, request, limits, page))
    finally:
        os._exit(1)


def _answer(runner: Runner, request: dict[str, Any], limits: dict[str, Any], page: mmap.mmap) -> dict[str, Any]:
    """Runs the program and returns what the test sees of it. A malformed request raises, which ends this process."""
    wanted: dict[str, Any] = request["run_program"]
    given: dict[str, str] = wanted["files"]
    # Keeps the name inside the run folder, whatever was asked for; "../x" could otherwise write elsewhere.
    inside = {name: os.path.normpath("/" + name).lstrip("/") for name in given}
    contents = {inside[name]: data.encode("latin-1") for name, data in given.items()}
    job: dict[str, Any] = {**request["program"], "argv": wanted["argv"], "stdin": wanted["stdin"]}
    outcome = runner.run_program(marshal.dumps(job), contents, limits, _mark(page))
    try:
        return _seen(outcome)
    finally:
        _, before = RUNNING.unpack_from(page)
        RUNNING.pack_into(page, 0, 0, before + outcome.watch.cpu_seconds)
        outcome.close()
        runner.nursery.folders.empty()


def _mark(page: mmap.mmap) -> Callable[[int], None]:
    """Returns a function that tells the worker which process computes for the test, so that its time counts for the
    check."""

    def mark(pid: int) -> None:
        _, before = RUNNING.unpack_from(page)
        RUNNING.pack_into(page, 0, pid, before)

    return mark


def _seen(outcome: WorkerOutcome) -> dict[str, Any]:
    head = outcome.head()
    out, err = (b"".join(c.bytes() for c in captures) for captures in (outcome.watch.outs, outcome.watch.errs))
    return {
        "exit_code": head["exit_code"] if head["cause"] == "exit" else None,
        "signal": head["signal"],
        "stdout": out.decode("utf-8", "replace"),
        "stderr": err.decode("utf-8", "replace"),
        "arcs": _arcs(bytes(outcome.watch.report.bytes())),
        "files": {name: data.decode("latin-1") for name, data in outcome.files()},
    }


def _arcs(report: bytes) -> Any:
    """Returns which lines the program says that it ran; None when it says nothing."""
    at = 0
    while at + HEADER.size <= len(report):
        size, kind, _ = HEADER.unpack_from(report, at)
        at += HEADER.size + size
        if kind == RECORD and b'"arcs"' in (body := report[at - size : at])[:8]:
            return json.loads(body)["arcs"]
    return None
