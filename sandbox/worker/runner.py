"""Runs inside one set of folders: start, watch, end, and the answer for the supervisor."""

from __future__ import annotations

import marshal
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .buffers import Memory, wipe
from .folders import Folders
from .spare import Nursery, Pair, Spare
from .supervise import Ending, Watch, reap_strays
from .walls import Walls

_PROGRAM_OUTPUT_KB = 256
Part = bytes | memoryview


@dataclass(slots=True)
class Order:
    """What to run: the entry of the primary child, data files, one or two jobs, and limits in the units of the wire."""

    entry: str
    second: bool
    files: Sequence[tuple[str, int]]
    sizes: tuple[int, int]
    limits: dict[str, Any]
    nonce: bytes = b""


class Runner:
    """Starts, watches and ends the processes of one run after another."""

    def __init__(self, root: str, enclosure: Walls, base_memory: int, control: int) -> None:
        self._root, self._walls, self._base, self._control = root, enclosure, base_memory, control
        self.nursery = Nursery(Folders(root), enclosure, base_memory)
        self._memory = Memory()
        self._inner: Runner | None = None

    def run(self, order: Order, read_body: Callable[[], bytearray], deadline: float = math.inf) -> Outcome:
        """Run to the end, at the latest `deadline` by the monotonic clock. The body is read when the children exist, so
        that none of them has the tests in its memory that are not for it. The caller closes the outcome after use."""
        pair = self.nursery.take(order.second)
        watch = self._start(order, pair, read_body())
        started = time.monotonic()
        until = min(started + order.limits["timeout"], deadline)

        def answer(request: dict[str, Any]) -> dict[str, Any]:
            return self._program(request, order, until)

        cause = watch.until_end(self._control, until, self.nursery.folders.overfull, answer)
        ending = watch.finish(cause, started)
        if self._walls.filter is None:
            watch.reap()
            reap_strays(self.nursery.pids() | (self._inner.nursery.pids() if self._inner else set()))
        return Outcome(order, ending, watch, self._artifacts(watch))

    def _artifacts(self, watch: Watch) -> list[tuple[str, bytes]]:
        if self.nursery.folders.untouched():
            return []
        watch.reap()
        return self.nursery.folders.artifacts()

    def end(self) -> None:
        """Kill waiting children and empty the folders."""
        for runner in (self, self._inner):
            if runner is not None:
                runner.nursery.discard()
                runner.nursery.folders.empty()

    def _start(self, order: Order, pair: Pair, body: bytearray) -> Watch:
        """Fill the folder and hand out the jobs. Raises OSError when a child died waiting."""
        view = memoryview(body)
        at = self.nursery.folders.fill(order.files, view)
        middle, end = at + order.sizes[0], at + sum(order.sizes)
        limits = {**order.limits, "cpu": math.ceil(order.limits["timeout"]) + 1}
        order.nonce = os.urandom(16)
        primary, partner = pair
        if partner is not None:
            head = {"entry": "serve", "nonce": b"", "limits": limits, "holds_tests": False}
            partner.hand(head, view[middle:end])
        primary.hand(
            {"entry": order.entry, "nonce": order.nonce, "limits": limits, "holds_tests": True}, view[at:middle]
        )
        wipe(body)
        return Watch(self._memory, *pair, order.limits["output_kb"] << 10)

    def _program(self, request: dict[str, Any], outer: Order, deadline: float) -> dict[str, Any]:
        """A program started by a test: a walled run in folders of its own, within the test's time."""
        if self._inner is None:
            self._inner = Runner(self._root + "-inner", self._walls, self._base, self._control)
        wanted: dict[str, Any] = request["run_program"]
        given: dict[str, Any] = wanted.get("files") or {}
        contents = {name: _content(value) for name, value in given.items()}
        job: dict[str, Any] = {
            **request["program"],
            "argv": wanted.get("argv") or [],
            "stdin": wanted.get("stdin") or "",
        }
        encoded = marshal.dumps(job)
        files = [(_inside(name), len(data)) for name, data in contents.items()]
        limits = {**outer.limits, "output_kb": _PROGRAM_OUTPUT_KB}
        order = Order("script", second=False, files=files, sizes=(len(encoded), 0), limits=limits)
        try:
            outcome = self._inner.run(order, lambda: bytearray(b"".join([*contents.values(), encoded])), deadline)
            try:
                return outcome.for_test()
            finally:
                outcome.close()
        finally:
            self._inner.nursery.refresh()


@dataclass(slots=True)
class Outcome:
    """What a run left: how it ended, and captured bytes that live until `close`."""

    order: Order
    ending: Ending
    watch: Watch
    artifacts: list[tuple[str, bytes]]

    def head(self) -> dict[str, Any]:
        """The facts for the supervisor; sizes tell how the body is to be cut."""
        watch, ending = self.watch, self.ending
        done, second = ending.cause == "done", ending.second
        status = 0 if done else ending.primary.status or 0
        return {
            "nonce": self.order.nonce.hex(),
            "cause": ending.cause,
            "exit_code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            "second_signal": _signal_of(second) if ending.second_died and not done else None,
            "ms": round(ending.seconds * 1000, 3),
            "peak_kb": max(ending.said_peak_kb, ending.primary.peak_kb, second.peak_kb if second else 0),
            "truncated": any(capture.truncated for capture in (*watch.outs, *watch.errs)),
            "report_cut": watch.report.truncated,
            "sizes": [sum(c.size for c in watch.outs), sum(c.size for c in watch.errs), watch.report.size],
            "artifacts": [[name, len(data)] for name, data in self.artifacts],
        }

    def parts(self) -> list[Part]:
        """The body: stdout, stderr, report, artifacts."""
        captures = (*self.watch.outs, *self.watch.errs, self.watch.report)
        return [*(capture.bytes() for capture in captures), *(data for _, data in self.artifacts)]

    def for_test(self) -> dict[str, Any]:
        """What a test sees of a program that it ran."""
        head = self.head()
        out, err = (b"".join(c.bytes() for c in captures) for captures in (self.watch.outs, self.watch.errs))
        return {
            "exit_code": head["exit_code"] if head["cause"] == "exit" else None,
            "signal": head["signal"],
            "timed_out": head["cause"] == "timeout",
            "stdout": out.decode("utf-8", "replace"),
            "stderr": err.decode("utf-8", "replace"),
            "files": {name: {"b64": _encoded(data)} for name, data in self.artifacts},
        }

    def close(self) -> None:
        self.watch.close()


def _signal_of(spare: Spare | None) -> int | None:
    status = spare.status if spare is not None else None
    return os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None


def _content(value: str | dict[str, str]) -> bytes:
    if isinstance(value, dict):
        from binascii import a2b_base64  # noqa: PLC0415 - each loaded library slows every fork

        return a2b_base64(value["b64"])
    return value.encode("utf-8", "surrogateescape")


def _encoded(data: bytes) -> str:
    from binascii import b2a_base64  # noqa: PLC0415 - as above

    return b2a_base64(data, newline=False).decode()


def _inside(name: str) -> str:
    """A relative name that stays inside the run folder, whatever was asked for."""
    return os.path.normpath("/" + name).lstrip("/")
