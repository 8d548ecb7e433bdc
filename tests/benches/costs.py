"""`python -m tests.benches.costs`: processor time and page faults of a run in the sandbox, by who has them.

Unlike wall time these say something on a busy machine, too: the least of several rounds counts. Linux only.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
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

    supervisor_ms: float
    workers_ms: float
    children_ms: float
    workers_faults: float
    children_faults: float

    def per_run(self, before: Costs, runs: int) -> Costs:
        return Costs(*((now - then) / runs for now, then in zip(astuple(self), astuple(before), strict=True)))

    @property
    def all_ms(self) -> float:
        return self.supervisor_ms + self.workers_ms + self.children_ms


def used_until_now(above: Sequence[int]) -> Costs:
    """What this process, the processes below these, and their children that have ended used so far."""
    found = [_of(pid) for pid in _below(above)]
    own, own_faults, ended, ended_faults = map(sum, zip(*found, strict=True)) if found else (0, 0, 0, 0)
    return Costs(1000 * time.process_time(), own * _TICK_MS, ended * _TICK_MS, own_faults, ended_faults)


def _of(pid: int) -> tuple[int, int, int, int]:
    """Ticks and page faults of a process, and of those that it has reaped."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    faults, ended_faults, *ticks = (int(told[at]) for at in (7, 8, 11, 12, 13, 14))
    return sum(ticks[:2]), faults, sum(ticks[2:]), ended_faults


def _below(above: Sequence[int]) -> list[int]:
    """These processes and those below them that fork themselves: a worker, and what bubblewrap puts above it."""
    forking: list[int] = []
    for pid in above:
        with suppress(OSError):
            below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            forking += [pid, *_below([int(one) for one in below])] if below else []
    return forking


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
    before = used_until_now(sandbox.worker_pids())
    await _all(work, tasks)
    return used_until_now(sandbox.worker_pids()).per_run(before, len(tasks))


async def _all(work: Work, tasks: Sequence[BenchTask]) -> None:
    slots = asyncio.Semaphore(_WORKERS)

    async def one(task: BenchTask) -> None:
        async with slots:
            assert await work(task), task.name

    await asyncio.gather(*(one(task.fresh(time.monotonic_ns())) for task in tasks))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
