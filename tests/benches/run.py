"""`python -m tests.benches.run`: what a whole scripted run costs beside one bare Python process, measured in
turns."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import numpy as np

from agent.cli.commands import task_of
from agent.runs import AgentRuns, open_runs
from agent.task.order import Order
from evaluation.console import show, whole
from framework.command_line import CommandParser
from framework.settings import Settings
from llm.scenarios import get_scenario

SCENARIO = "slugify"
"""Passes the first time: spec tests, code and adversary are asked once each."""
TARGET = 4.0


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0; 1 when the median ratio is above the target."""
    parser = CommandParser(
        prog="python -m tests.benches.run", description="Cost of a whole run beside `python -I -c pass`."
    )
    parser.add_argument("--rounds", type=whole, default=20, metavar="N")
    rounds: int = parser.parse_args(argv).rounds
    with tempfile.TemporaryDirectory() as folder:
        bare, runs = asyncio.run(measured(Path(folder), rounds))
    ratios = [run / process for run, process in zip(runs, bare, strict=True)]
    show(f"{rounds} rounds in turns; a run: scenario {SCENARIO}, scripted replies, warm sandbox, durable checkpoints")
    for name, values, unit in (("python -I -c pass", bare, " ms"), ("whole run", runs, " ms"), ("ratio", ratios, "x")):
        show(f"{name:<18} median {np.median(values):7.2f}{unit}   p90 {np.percentile(values, 90):7.2f}{unit}")
    ratio = float(np.median(runs) / np.median(bare))
    show(f"ratio of medians {ratio:.2f}x, target at most {TARGET:g}x")
    return 0 if ratio <= TARGET else 1


async def measured(folder: Path, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds of `rounds` bare processes and as many whole runs, in turns, so that both see the same machine."""
    settings = Settings.from_env({"STATE_DIR": str(folder), "LLM_PROVIDER": "mock"})
    runs = await open_runs(settings)
    bare: list[float] = []
    whole_runs: list[float] = []
    try:
        for _ in range(3):
            await _run(runs)
        for _ in range(rounds):
            bare.append(await _timed(_process))
            whole_runs.append(await _timed(lambda: _run(runs)))
    finally:
        await runs.aclose()
    return bare, whole_runs


async def _timed(act: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await act()
    return 1000 * (time.perf_counter() - began)


async def _process() -> None:
    await asyncio.to_thread(subprocess.run, [sys.executable, "-I", "-c", "pass"], check=True)


async def _run(runs: AgentRuns) -> None:
    scenario = get_scenario(SCENARIO)
    assert scenario is not None
    run_id = await runs.begin(Order(task_of(scenario)))
    report = await runs.ended(run_id)
    if not report.conclusion:
        raise RuntimeError(f"the scenario {SCENARIO} did not conclude: {report.error}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
