"""Makes runs inside one set of folders: starts, watches and ends their processes, and answers the supervisor."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .broker import Broker
from .clock import Clock, LimitClock, Times
from .folders import Folders, remove
from .frames import Channel, ChannelClosed, Head
from .libc import aside
from .spare import Nursery, Pair, drop
from .walls import Walls, ceiling
from .watch import NamedMemory, Watch, reap_strays, wipe

_FOR_PROGRAMS = "-inner"
_ALIKE = 2
"""Children that are forked for a rehearsal: one runs, the other shows what that one wrote to."""
_SPARE_CPU = 2
"""Seconds of CPU beyond the run's limit after which the kernel ends a process, if the worker has not."""


@dataclass(slots=True)
class RunOrder:
    """What to run: the entry of the primary child, data files, one or two jobs, and limits in the units of the wire."""

    entry: str
    second: bool
    asks: bool
    """Whether the tests may ask for runs of the program."""
    files: Sequence[tuple[str, int]]
    sizes: tuple[int, int]
    limits: dict[str, Any]
    links: Sequence[tuple[str, str]] = ()
    """Names of data files that stay where they lie, and their paths."""


class Runner:
    """Starts, watches and ends the processes of one run after another."""

    def __init__(self, root: str, enclosure: Walls, base_memory: int, control: int | None) -> None:
        """`control` is a descriptor; anything that can be read from it ends the run in progress."""
        self._root, self._walls, self._base, self._control = root, enclosure, base_memory, control
        self.nursery = Nursery(Folders(root), enclosure, base_memory)
        self._memory = NamedMemory()
        self._rehearses = False

    def rehearse(self, order: RunOrder, body: bytes) -> None:
        """Makes a run of the worker's own, from which the worker learns what children write to."""
        self.nursery.prepare(order.second, _ALIKE)
        self._rehearses = True
        try:
            self.run(order, lambda: bytearray(body)).close()
        finally:
            self._rehearses = False
        self.refresh()
        self.nursery.discard()

    def run(self, order: RunOrder, read_body: Callable[[], bytearray]) -> WorkerOutcome:
        """Makes a run to its end. The body is read after the children were forked, so that no child has tests in its
        memory that are not for it: a program could otherwise find the expected answers there. The caller closes the
        outcome after use."""
        broker = Broker(self._for_programs, order.limits) if order.asks else None
        pair: Pair | None = None
        try:
            pair = self.nursery.take(order.second, broker.socket if broker else None)
            nonce = os.urandom(16)
            body = read_body()
            _hand_out(order, pair, nonce, memoryview(body), self.nursery.folders)
            wipe(body)
            more = broker.running if broker else None
            return self._watched(order, pair, nonce, Clock((s.pid for s in pair if s), more), broker)
        finally:
            if broker is not None:
                broker.end()
                # The program that the broker ran dies with it and must be reaped by this worker before its folders are
                # emptied.
                reap_strays(self.nursery.pids() | {child.pid for child in pair or () if child is not None})

    def run_program(
        self, job: bytes, files: Mapping[str, bytes], limits: dict[str, Any], started: Callable[[int], None]
    ) -> WorkerOutcome:
        """Runs a script with these files; calls `started` with its pid."""
        sizes = [(name, len(data)) for name, data in files.items()]
        order = RunOrder("script", False, False, sizes, (len(job), 0), limits)
        pair = self.nursery.take(False, None)
        started(pair[0].pid)
        nonce = os.urandom(16)
        _hand_out(order, pair, nonce, memoryview(b"".join([*files.values(), job])), self.nursery.folders)
        return self._watched(order, pair, nonce, Clock([pair[0].pid]))

    def _for_programs(self) -> Runner:
        """Returns a runner in folders of its own, for a process that serves one run only."""
        return Runner(self._root + _FOR_PROGRAMS, self._walls, self._base, None)

    def _watched(
        self, order: RunOrder, pair: Pair, nonce: bytes, clock: Clock, broker: Broker | None = None
    ) -> WorkerOutcome:
        steps = LimitClock(Times(**order.limits["times"]), clock)
        watch = Watch(self._memory, *pair, order.limits["output_kb"] << 10, nonce, steps)
        memory_bytes = ceiling(order.limits["memory_mb"] << 20)

        def overfull() -> bool:
            return self.nursery.folders.overfull(clock.pids(), memory_bytes)

        watch.until_end(self._control, overfull)
        if self._rehearses and watch.cause == "done":
            self.nursery.learn(*pair)
        watch.finish()
        if self._walls.filter is None:
            watch.reap()
            reap_strays(self.nursery.pids() | ({broker.pid} if broker is not None else set()))
        return WorkerOutcome(nonce, watch, self.nursery.folders)

    def refresh(self) -> None:
        """Removes everything of this run before the next one. Raises OSError when something stays."""
        self.nursery.folders.empty()
        remove(self._root + _FOR_PROGRAMS)

    def end(self) -> None:
        """Kills waiting children and empties the folders."""
        self.nursery.discard()
        self.nursery.folders.empty()


def _hand_out(order: RunOrder, pair: Pair, nonce: bytes, view: memoryview, folders: Folders) -> None:
    """Fills the folder and hands out the jobs. Raises OSError when a child died waiting."""
    try:
        at = folders.fill(order.files, view)
        folders.link(order.links)
        middle, end = at + order.sizes[0], at + sum(order.sizes)
        limits = {**order.limits, "cpu": math.ceil(order.limits["times"]["run_cpu"]) + _SPARE_CPU}
        primary, partner = pair
        if partner is not None:
            head = {"entry": "serve", "nonce": b"", "limits": limits, "holds_tests": False}
            partner.hand(head, view[middle:end])
        primary.hand({"entry": order.entry, "nonce": nonce, "limits": limits, "holds_tests": True}, view[at:middle])
    except BaseException:
        drop(*pair)
        raise


@dataclass(slots=True)
class WorkerOutcome:
    """What a run left: how it ended, and captured bytes that live until `close`."""

    nonce: bytes
    watch: Watch
    folders: Folders

    def head(self) -> dict[str, Any]:
        """Returns the facts for the supervisor; its sizes tell how the body is to be cut."""
        watch, second = self.watch, self.watch.second
        status = 0 if watch.cause == "done" else watch.primary.status or 0
        died = second.status if second is not None and watch.second_died else None
        return {
            "nonce": self.nonce.hex(),
            "cause": watch.cause,
            "exit_code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            "second_signal": os.WTERMSIG(died) if died is not None and os.WIFSIGNALED(died) else None,
            "second_code": os.WEXITSTATUS(died) if died is not None and os.WIFEXITED(died) else None,
            "own": watch.own,
            "ms": round(watch.seconds * 1000, 3),
            "cpu_ms": round(watch.cpu_seconds * 1000, 3),
            "peak_kb": max(watch.said_peak_kb, watch.primary.peak_kb, second.peak_kb if second else 0),
            "truncated": any(capture.truncated for capture in (*watch.outs, *watch.errs)),
            "changed": self.folders.changed(),
            "tidying": self.folders.holds_folders(),
            "sizes": [sum(c.size for c in watch.outs), sum(c.size for c in watch.errs), watch.report.size],
        }

    def parts(self) -> list[memoryview]:
        """Returns the parts of the body: stdout, stderr, report."""
        return [capture.bytes() for capture in (*self.watch.outs, *self.watch.errs, self.watch.report)]

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yields the files that the program left. Only for a process that ends with the run; `send` says why."""
        self.watch.reap()
        for name, descriptor, size in self.folders.artifacts():
            with open(descriptor, "rb") as file:
                yield name, file.read(size)

    def send(self, channel: Channel, head: Head) -> None:
        """Answers for the run. Raises ChannelClosed, also when the sender failed half-way.

        This process, from which later runs are forked, never reads what a program left, or the next program could find
        it in its memory. A forked process reads the names, lets the kernel copy the files' bytes into the channel, and
        ends."""
        if self.folders.untouched():
            channel.send({**head, "artifacts": []}, *self.parts())
            return
        self.watch.reap()
        try:
            aside(lambda: self._send_files(channel, head))
        except OSError as error:
            raise ChannelClosed from error

    def _send_files(self, channel: Channel, head: Head) -> bool:
        found = list(self.folders.artifacts())
        sizes = [[name, size] for name, _, size in found]
        channel.send({**head, "artifacts": sizes}, *self.parts(), more=sum(size for _, _, size in found))
        for _, descriptor, size in found:
            channel.send_file(descriptor, size)
        return True

    def close(self) -> None:
        self.watch.close()
