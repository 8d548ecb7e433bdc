"""`python -m tests.benches.costs`: processor time and page faults of a run in the sandbox, by who has them.

Unlike wall time these say something on a busy machine, too: the least of several rounds counts. Linux only.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import astuple, dataclass
from pathlib import Path

from evaluation.console import show, whole
from framework.command_line import CommandParser
from sandbox import LocalSandbox, Program

from .peers import BenchTask, load_tasks, sandbox_peer
from .sandbox import MODES

_WORKERS = 2
_RUNS = 160
"""At least so many runs make a round, because the system tells time in ticks of ten milliseconds."""
_TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
Work = Callable[[BenchTask], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Costs:
    """What the processes of a sandbox have used: milliseconds of processor time, and page faults."""

    supervisor_ms: float = 0
    workers_ms: float = 0
    children_ms: float = 0
    workers_faults: float = 0
    children_faults: float = 0

    def __add__(self, other: Costs) -> Costs:
        return Costs(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Costs) -> Costs:
        return Costs(*(one - two for one, two in zip(astuple(self), astuple(other), strict=True)))

    def __truediv__(self, runs: int) -> Costs:
        return Costs(*(one / runs for one in astuple(self)))

    @property
    def all_ms(self) -> float:
        return self.supervisor_ms + self.workers_ms + self.children_ms


Look = dict[int, Costs]
"""What was used until now, by the process that answers for it: this one for itself, a worker also for its children."""


def look(above: Sequence[int]) -> Look:
    """What this process and the workers below these processes used since they began."""
    found = {os.getpid(): Costs(supervisor_ms=1000 * time.process_time())}
    for pid in above:
        found |= _workers(pid)
    return found


def used(before: Look, after: Look) -> Costs:
    """What was used between two looks. A worker that has ended since then is left out, one that began is all new."""
    return sum((costs - before.get(pid, Costs()) for pid, costs in after.items()), Costs())


def _workers(pid: int) -> Look:
    """The worker that this process is, or that bubblewrap, whose own costs are left out, keeps below it."""
    program = _program(pid)
    if Path(program.partition(b"\0")[0].decode()).name == "bwrap":
        return {worker: costs for below in _children(pid) for worker, costs in _workers(below).items()}
    if not program:
        return {}
    ms, faults, reaped_ms, reaped_faults = _told(pid)
    living = [_told(child) for child in _children(pid)]
    return {
        pid: Costs(
            workers_ms=ms,
            children_ms=reaped_ms + sum(one[0] + one[2] for one in living),
            workers_faults=faults,
            children_faults=reaped_faults + sum(one[1] + one[3] for one in living),
        )
    }


def _program(pid: int) -> bytes:
    """The command line of a process; empty for one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _children(pid: int) -> list[int]:
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _told(pid: int) -> tuple[float, int, float, int]:
    """Milliseconds and page faults of a process, then of those that it has reaped; zeros for one that has ended."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0, 0, 0, 0
    faults, reaped_faults, user, system, reaped_user, reaped_system = (int(told[at]) for at in (7, 8, 11, 12, 13, 14))
    return _TICK_MS * (user + system), faults, _TICK_MS * (reaped_user + reaped_system), reaped_faults


def main(argv: Sequence[str]) -> int:
    """Returns the exit code, 0."""
    parser = CommandParser(prog="python -m tests.benches.costs", description=__doc__)
    parser.add_argument("--data", type=Path, metavar="PATH", help="HumanEval as JSON lines; without it own small tasks")
    parser.add_argument("--rounds", type=whole, default=10, metavar="N")
    arguments = parser.parse_args(argv)
    try:
        tasks = load_tasks(arguments.data)
    except ValueError as error:
        parser.error(str(error))
    show("of a run             ms: all  supervisor  workers  children   page faults: workers  children")
    for name, least in asyncio.run(measured(tasks * -(-_RUNS // len(tasks)), arguments.rounds)).items():
        show(
            f"{name:<20} {least.all_ms:7.2f} {least.supervisor_ms:11.2f} {least.workers_ms:8.2f} "
            f"{least.children_ms:9.2f} {least.workers_faults:22.0f} {least.children_faults:9.0f}"
        )
    return 0


async def measured(tasks: Sequence[BenchTask], rounds: int) -> dict[str, Costs]:
    """The cheapest round of each mode, and of a script that does nothing."""
    least: dict[str, Costs] = {}
    async with aclosing(LocalSandbox(_WORKERS)) as sandbox:

        async def nothing(_: BenchTask) -> bool:
            return (await sandbox.run(Program("pass\n"))).status == "ok"

        works: dict[str, Work] = {"an empty script": nothing} | {mode: sandbox_peer(sandbox, mode) for mode in MODES}
        for name, work in works.items():
            await _all(work, tasks)
            found = [await _round(sandbox, work, tasks) for _ in range(rounds)]
            least[name] = min(found, key=lambda costs: costs.all_ms)
    return least


async def _round(sandbox: LocalSandbox, work: Work, tasks: Sequence[BenchTask]) -> Costs:
    before = look(sandbox.worker_pids())
    await _all(work, tasks)
    return used(before, look(sandbox.worker_pids())) / len(tasks)


async def _all(work: Work, tasks: Sequence[BenchTask]) -> None:
    slots = asyncio.Semaphore(_WORKERS)

    async def one(task: BenchTask) -> None:
        async with slots:
            assert await work(task), task.name

    await asyncio.gather(*(one(task.fresh(time.monotonic_ns())) for task in tasks))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
