"""Measures runs from outside as wall time, side by side with evalplus (optional) and `python -I`: ratios, not boasts.

`python -m sandbox.bench [--data HUMANEVAL.jsonl] [--tasks N] [--rounds N] [--json]`
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .supervisor import LocalSandbox
from .types import Limits, Mode, Program

_WORKERS = 4
_TIMEOUT = 10.0
_PLOT = """
import numpy as np, pandas as pd, matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
frame = pd.DataFrame({"group": list("abc") * 50, "value": np.arange(150) @ np.eye(150)})
frame.groupby("group").value.mean().plot.bar()
plt.savefig("plot.png")
"""
Peer = Callable[["Task"], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Task:
    """A right solution and its tests."""

    name: str
    solution: str
    tests: str
    entry: str


_OWN = Task(
    "own/sum_of_squares",
    "def f(values):\n    return sum(value * value for value in values)\n",
    "def check(f):\n" + "".join(f"    assert f(range({n})) == {sum(i * i for i in range(n))}\n" for n in range(8)),
    "f",
)


def load_tasks(path: Path | None) -> list[Task]:
    """HumanEval's canonical solutions, or (without the file) one task of our own many times."""
    if path is None:
        return [_OWN] * 40
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        Task(row["task_id"], row["prompt"] + row["canonical_solution"], row["test"], row["entry_point"]) for row in rows
    ]


def _sandbox_peer(sandbox: LocalSandbox, mode: Mode) -> Peer:
    async def run(task: Task) -> bool:
        tests = f"{task.tests}\n\ndef test_all():\n    check({task.entry})\n"
        done = await sandbox.run(
            Program(solution=task.solution, tests=tests, mode=mode, limits=Limits(timeout=_TIMEOUT))
        )
        return done.passed

    return run


def _threaded(work: Callable[[Task], bool], threads: ThreadPoolExecutor) -> Peer:
    async def run(task: Task) -> bool:
        return await asyncio.get_running_loop().run_in_executor(threads, work, task)

    return run


def _cold_python(task: Task) -> bool:
    text = f"{task.solution}\n{task.tests}\ncheck({task.entry})\n"
    return (
        subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, timeout=60, check=False).returncode == 0
    )


def _evalplus() -> Callable[[Task], bool] | None:
    try:
        check: Any = importlib.import_module("evalplus.eval").untrusted_check
    except ImportError:
        return None

    def work(task: Task) -> bool:
        body = f"{task.solution}\n{task.tests}\ndef __chk():\n    check({task.entry})\n    return True\n"
        return check("humaneval", body, [[]], "__chk", [True], 0, [_TIMEOUT], fast_check=True)[0] == "pass"

    return work


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
    return {"median": round(statistics.median(ordered), 2), "p90": round(ordered[int(0.9 * (len(ordered) - 1))], 2)}


def _ratios(figures: dict[str, float]) -> dict[str, float]:
    mine = [name for name in figures if name.startswith("sandbox")]
    return {f"{a} / {b}": round(figures[a] / figures[b], 3) for a in mine for b in figures if b not in mine}


async def measure(data: Path | None, count: int, rounds: int) -> dict[str, Any]:
    """All figures of one comparison."""
    tasks = load_tasks(data)
    threads = ThreadPoolExecutor(_WORKERS)
    sandbox, open_walls = LocalSandbox(_WORKERS), LocalSandbox(1, walls=())
    peers: dict[str, Peer] = {
        f"sandbox {mode}": _sandbox_peer(sandbox, mode) for mode in ("inprocess", "split", "auto")
    }
    peers["python -I"] = _threaded(_cold_python, threads)
    evalplus = _evalplus()
    if evalplus is not None:
        peers["evalplus"] = _threaded(evalplus, threads)
    some = random.Random(1).sample(tasks, min(count, len(tasks)))
    try:
        for peer in peers.values():
            await _all_at_once(peer, some[:8])
        alone = await _one_by_one(
            peers | {"(no walls) inprocess": _sandbox_peer(open_walls, "inprocess")}, some, rounds
        )
        together = {name: [await _all_at_once(peer, tasks) for _ in range(rounds)] for name, peer in peers.items()}
        warm, cold = await _plot(sandbox, rounds)
    finally:
        await sandbox.aclose()
        await open_walls.aclose()
        threads.shutdown()
    walls = statistics.median(alone["sandbox inprocess"]) - statistics.median(alone.pop("(no walls) inprocess"))
    return {
        "one at a time, ms": {name: _spread(values) for name, values in alone.items()},
        "one at a time, ratios": _ratios({name: statistics.median(values) for name, values in alone.items()}),
        f"{len(tasks)} tasks, {_WORKERS} workers, s": {name: _spread(values) for name, values in together.items()},
        "workers, ratios": _ratios({name: statistics.median(values) for name, values in together.items()}),
        "walls add, ms": round(walls, 2),
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
