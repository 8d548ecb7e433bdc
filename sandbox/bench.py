"""Measures runs from outside as wall time, side by side with evalplus (optional) and `python -I`: ratios, not boasts.

`python -m sandbox.bench [--data HUMANEVAL.jsonl] [--tasks N] [--rounds N] [--json]`
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .launch import Place
from .peers import Peer, Task, cold_python, evalplus, load_tasks, sandbox_peer, threaded
from .supervisor import LocalSandbox
from .types import Limits, Program
from .worker import walls
from .worker.libc import NO_NEW_PRIVS, prctl

_WORKERS = 4
_PLOT = """
import numpy as np, pandas as pd, matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
frame = pd.DataFrame({"group": list("abc") * 50, "value": np.arange(150) @ np.eye(150)})
frame.groupby("group").value.mean().plot.bar()
plt.savefig("plot.png")
"""


async def _one_by_one(peers: dict[str, Peer], tasks: Sequence[Task], rounds: int) -> dict[str, list[float]]:
    """Milliseconds per run, peers in shuffled order for every task."""
    times: dict[str, list[float]] = {name: [] for name in peers}
    shuffler = random.Random(0)
    for _ in range(rounds):
        for task in tasks:
            for name in shuffler.sample(sorted(peers), len(peers)):
                started = time.perf_counter()
                right = await peers[name](task)
                times[name].append(1000 * (time.perf_counter() - started))
                if not right:
                    print(f"{name} failed {task.name}", file=sys.stderr)  # noqa: T201
    return times


async def _all_at_once(peer: Peer, tasks: Sequence[Task]) -> float:
    """Seconds for all tasks with four at a time."""
    slots = asyncio.Semaphore(_WORKERS)

    async def one(task: Task) -> None:
        async with slots:
            await peer(task)

    started = time.perf_counter()
    await asyncio.gather(*map(one, tasks))
    return time.perf_counter() - started


async def _plot(sandbox: LocalSandbox, rounds: int) -> tuple[float, float]:
    """Median milliseconds of a script with a plot: here, and in a cold interpreter."""
    program = Program(solution=_PLOT, limits=Limits(timeout=30))
    first = await sandbox.run(program)
    if first.status != "ok":
        raise SystemExit(f"the plot failed: {first.error}")
    warm: list[float] = []
    cold: list[float] = []
    for _ in range(rounds):
        started = time.perf_counter()
        await sandbox.run(program)
        warm.append(1000 * (time.perf_counter() - started))
        started = time.perf_counter()
        command = [sys.executable, "-I", "-c", _PLOT.replace("plot.png", "/dev/null")]
        await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False)
        cold.append(1000 * (time.perf_counter() - started))
    return statistics.median(warm), statistics.median(cold)


def _spread(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"median": round(statistics.median(ordered), 2), "p90": round(ordered[math.ceil(0.9 * len(ordered)) - 1], 2)}


def _ratios(figures: dict[str, float]) -> dict[str, float]:
    mine = [name for name in figures if name.startswith("sandbox")]
    return {f"{a} / {b}": round(figures[a] / figures[b], 3) for a in mine for b in figures if b not in mine}


async def _together(peers: dict[str, Peer], tasks: Sequence[Task], rounds: int) -> dict[str, list[float]]:
    """Seconds for all tasks, peers in shuffled order in every round."""
    times: dict[str, list[float]] = {name: [] for name in peers}
    shuffler = random.Random(0)
    for _ in range(rounds):
        for name in shuffler.sample(sorted(peers), len(peers)):
            times[name].append(await _all_at_once(peers[name], tasks))
    return times


def _walls_cost(rounds: int) -> float:
    """Median milliseconds that a forked child spends on walling itself in, before it waits for its job."""
    prctl(NO_NEW_PRIVS, 1)
    costs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        enclosure = walls.build(("landlock", "seccomp"), Place(folder, folder).read_only)
        rules = enclosure.ruleset([folder])
        for _ in range(10 * rounds):
            reading, writing = os.pipe()
            pid = os.fork()
            if pid == 0:
                started = time.perf_counter()
                walls.enclose(enclosure, rules, (writing,), os.getppid())
                os.write(writing, struct.pack("d", 1000 * (time.perf_counter() - started)))
                os._exit(0)
            os.waitpid(pid, 0)
            costs += struct.unpack("d", os.read(reading, 8))
            os.close(reading)
            os.close(writing)
    return statistics.median(costs)


async def measure(data: Path | None, count: int, rounds: int) -> dict[str, Any]:
    """All figures of one comparison."""
    cost = _walls_cost(rounds)
    tasks = load_tasks(data)
    threads = ThreadPoolExecutor(_WORKERS)
    sandbox = LocalSandbox(_WORKERS)
    peers: dict[str, Peer] = {f"sandbox {mode}": sandbox_peer(sandbox, mode) for mode in ("inprocess", "split", "auto")}
    peers["python -I"] = threaded(cold_python, threads)
    other = evalplus()
    if other is not None:
        peers["evalplus"] = threaded(other, threads)
    some = random.Random(1).sample(tasks, min(count, len(tasks)))
    try:
        for peer in peers.values():
            await _all_at_once(peer, some[:8])
        alone = await _one_by_one(peers, some, rounds)
        together = await _together(peers, tasks, rounds)
        warm, cold = await _plot(sandbox, rounds)
    finally:
        await sandbox.aclose()
        threads.shutdown()
    return {
        "one at a time, ms": {name: _spread(values) for name, values in alone.items()},
        "one at a time, ratios": _ratios({name: statistics.median(values) for name, values in alone.items()}),
        f"{len(tasks)} tasks, {_WORKERS} workers, s": {name: _spread(values) for name, values in together.items()},
        "workers, ratios": _ratios({name: statistics.median(values) for name, values in together.items()}),
        "landlock and seccomp add, ms": round(cost, 2),
        "plot, ms": {"sandbox": round(warm, 1), "python -I": round(cold, 1), "ratio": round(warm / cold, 3)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m sandbox.bench", description=__doc__)
    parser.add_argument(
        "--data", type=Path, help="HumanEval as JSON lines (task_id, prompt, canonical_solution, test, entry_point)"
    )
    parser.add_argument("--tasks", type=int, default=40, help="tasks measured one at a time")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = asyncio.run(measure(arguments.data, arguments.tasks, arguments.rounds))
    text = (
        json.dumps(figures)
        if arguments.json
        else "\n".join(f"{name}: {json.dumps(value)}" for name, value in figures.items())
    )
    print(text)  # noqa: T201 - the command's output


if __name__ == "__main__":
    main()
