"""`python -m tests.benches.sandbox`: what a run in the sandbox costs beside evalplus and beside a bare interpreter.

Wall time seen from outside, every peer warm, in shuffled order within one run: the ratios count, not the milliseconds.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluation.console import say, show, whole
from framework.command_line import CommandParser
from sandbox import Limits, LocalSandbox, Mode, Program

from .peers import BenchTask, Peer, Rival, cold_python, evalplus, load_tasks, sandbox_peer

MODES: tuple[Mode, ...] = ("inprocess", "split", "auto")
YARDSTICK = "evalplus"
ALONE_BARS = {"inprocess": 0.35, "split": 0.6, "auto": 0.8}
TOGETHER_BARS = {"inprocess": 0.45, "split": 0.75}
PLOT_BARS = {"plot": 0.15}
MIXED_BARS = {"with killers": 2.0}
"""A run costs at most so much of what the yardstick's costs."""
_FEW = 4
"""Workers of the second comparison of many runs at a time: more than a small machine has cores."""
_SPRAY = "import os\nfor number in range(3, 256):\n    try: os.write(number, {data})\n    except OSError: pass\n"
_KILLERS = (
    *(_SPRAY.format(data=data) for data in ("bytes(5000)", "b'\\xff' * 5000", "b'{}'")),
    "import os\nos._exit(3)\n",
    "import os\nos.kill(os.getpid(), 9)\n",
    "import os\nos.closerange(3, 256)\n",
    "import ctypes\nctypes.string_at(0)\n",
    "def power_sum(values):\n    raise SystemExit\n",
)
"""Programs that end or disturb their own run, and nobody else's."""
_MIXED = (30, 15)
"""So many good programs, and killers among them."""
_PLOT = """
import numpy as np, pandas as pd, matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
frame = pd.DataFrame({"group": list("abc") * 50, "value": np.arange(150) @ np.eye(150)})
frame.groupby("group").value.mean().plot.bar()
plt.savefig("plot.png")
"""


@dataclass(slots=True)
class Times:
    """One comparison: the times of each peer, how many of its runs were wrong, and the bars."""

    title: str
    unit: str
    yardstick: str
    bars: Mapping[str, float]
    values: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    wrong: Counter[str] = field(default_factory=Counter[str])

    def ratio(self, name: str) -> float:
        """Returns the ratio of the peers' medians."""
        return statistics.median(self.values[name]) / statistics.median(self.values[self.yardstick])

    def missed(self) -> bool:
        """Whether a bar was missed, or some answer was wrong: what is wrong fast counts for nothing."""
        return bool(self.wrong) or any(self.ratio(name) > bar for name, bar in self.bars.items())

    def lines(self) -> list[str]:
        return [f"{self.title}: {self.unit}", *(self._line(name) for name in self.values)]

    def _line(self, name: str) -> str:
        ordered = sorted(self.values[name])
        median, p90 = statistics.median(ordered), ordered[math.ceil(0.9 * len(ordered)) - 1]
        line = f"  {name:<12} median {median:8.2f}  p90 {p90:8.2f}"
        if name != self.yardstick:
            line += f"  {self.ratio(name):5.2f}x {self.yardstick}"
        if name in self.bars:
            bar = self.bars[name]
            line += f"  at most {bar:.2f}x: {'pass' if self.ratio(name) <= bar else 'MISSED'}"
        return line + (f"  {self.wrong[name]} WRONG" if self.wrong[name] else "")


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0; 1 when a bar is missed; 2 without evalplus or without the tasks."""
    parser = CommandParser(prog="python -m tests.benches.sandbox", description=__doc__)
    parser.add_argument("--data", type=Path, metavar="PATH", help="HumanEval as JSON lines; without it own small tasks")
    parser.add_argument("--tasks", type=whole, default=40, metavar="N", help="tasks measured one at a time")
    parser.add_argument("--rounds", type=whole, default=3, metavar="N")
    arguments = parser.parse_args(argv)
    rivals = {YARDSTICK: evalplus, "python -I": cold_python}
    try:
        tasks = load_tasks(arguments.data)
        found = measured(tasks, rivals, arguments.tasks, arguments.rounds)
    except ValueError as error:
        parser.error(str(error))
    show(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}, {len(tasks)} tasks")
    for comparison in found:
        show("\n".join(comparison.lines()))
    return int(any(comparison.missed() for comparison in found))


def measured(tasks: Sequence[BenchTask], rivals: Mapping[str, Rival], few: int, rounds: int) -> list[Times]:
    """Every comparison: one run at a time, as many as there are cores, four at a time, and a plot."""
    cores = os.cpu_count() or 1
    some = random.Random(1).sample(tasks, min(few, len(tasks)))
    return asyncio.run(_measured(tasks, some, rivals, sorted({cores, _FEW}), rounds))


async def _measured(
    tasks: Sequence[BenchTask],
    some: Sequence[BenchTask],
    rivals: Mapping[str, Rival],
    sizes: Sequence[int],
    rounds: int,
) -> list[Times]:
    found: list[Times] = []
    for workers in sizes:
        async with AsyncExitStack() as stack:
            peers = {name: await stack.enter_async_context(rival(workers)) for name, rival in rivals.items()}
            sandbox = await stack.enter_async_context(aclosing(LocalSandbox(workers)))
            peers |= {mode: sandbox_peer(sandbox, mode) for mode in MODES}
            for name, peer in peers.items():
                await _all_at_once(name, peer, some[: 4 * workers], workers)
            if not found:
                found.append(await _one_by_one(peers, some, rounds))
            found.append(await _together(peers, tasks, workers, rounds))
            found.append(await _mixed(sandbox, tasks, rounds, workers))
            if workers == sizes[-1]:
                found.append(await _plots(sandbox, rounds + 2))
    return found


_numbers = itertools.count()


async def _one_by_one(peers: Mapping[str, Peer], tasks: Sequence[BenchTask], rounds: int) -> Times:
    """Milliseconds per run, peers in shuffled order for every task."""
    times = Times("one at a time", "ms a run", YARDSTICK, ALONE_BARS, {name: [] for name in peers})
    shuffler = random.Random(0)
    for task in [task for _ in range(rounds) for task in tasks]:
        for name in shuffler.sample(list(peers), len(peers)):
            fresh = task.fresh(next(_numbers))
            started = time.perf_counter()
            right = await peers[name](fresh)
            times.values[name].append(1000 * (time.perf_counter() - started))
            times.wrong.update([] if right else [name])
    return times


async def _together(peers: Mapping[str, Peer], tasks: Sequence[BenchTask], workers: int, rounds: int) -> Times:
    """Milliseconds per run when `workers` of them are under way all the time, peers in shuffled order."""
    times = Times(f"{workers} workers", "ms a run", YARDSTICK, TOGETHER_BARS, {name: [] for name in peers})
    shuffler = random.Random(0)
    for _ in range(rounds):
        for name in shuffler.sample(list(peers), len(peers)):
            seconds, wrong = await _all_at_once(name, peers[name], tasks, workers)
            times.values[name].append(1000 * seconds / len(tasks))
            times.wrong.update([name] * wrong)
    return times


async def _all_at_once(name: str, peer: Peer, tasks: Sequence[BenchTask], workers: int) -> tuple[float, int]:
    """Seconds for all tasks with `workers` at a time, and how many answers were wrong."""
    slots = asyncio.Semaphore(workers)

    async def one(task: BenchTask) -> bool:
        async with slots:
            return await peer(task)

    fresh = [task.fresh(next(_numbers)) for task in tasks]
    started = time.perf_counter()
    answers = await asyncio.gather(*map(one, fresh))
    seconds = time.perf_counter() - started
    for task in itertools.compress(tasks, [not right for right in answers]):
        say(f"{name} fails {task.name}")
    return seconds, answers.count(False)


async def _mixed(sandbox: LocalSandbox, tasks: Sequence[BenchTask], rounds: int, workers: int) -> Times:
    """Good programs all at once, alone and with killers among them, in turns."""
    title = f"good programs among killers, {workers} workers"
    times = Times(title, "ms for all", "alone", MIXED_BARS, {"alone": [], "with killers": []})
    good, bad = _MIXED
    for number in range(rounds + 2):
        for name, killers in (("alone", 0), ("with killers", bad)):
            right = [task.fresh(next(_numbers)) for task in itertools.islice(itertools.cycle(tasks), good)]
            wrong = [replace(right[0], solution=_KILLERS[at % len(_KILLERS)]) for at in range(killers)]
            mixed = random.Random(number).sample([*right, *wrong], good + killers)
            started = time.perf_counter()
            passed = await asyncio.gather(*(sandbox_peer(sandbox, "auto")(task) for task in mixed))
            if number:  # the first of each finds no pair of processes that waits
                times.values[name].append(1000 * (time.perf_counter() - started))
            times.wrong.update([] if sum(passed) == good else [name])
    return times


async def _plots(sandbox: LocalSandbox, rounds: int) -> Times:
    """A script with numpy, pandas and a plot, here and in a cold interpreter, in turns."""
    times = Times("a script with a plot", "ms a run", "cold python -I", PLOT_BARS, {"cold python -I": [], "plot": []})
    program = Program(solution=_PLOT, limits=Limits(timeout=60))
    command = [sys.executable, "-I", "-c", _PLOT.replace("plot.png", os.devnull + '", format="png')]

    async def here() -> bool:
        done = await sandbox.run(program)
        return done.status == "ok" and len(done.artifacts) == 1

    async def cold() -> bool:
        return (await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False)).returncode == 0

    for number in range(rounds + 1):
        for name, run in (("cold python -I", cold), ("plot", here)):
            started = time.perf_counter()
            right = await run()
            if number:  # the first of each finds no worker and no list of fonts
                times.values[name].append(1000 * (time.perf_counter() - started))
                times.wrong.update([] if right else [name])
    return times


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
