"""`python -m tests.benches.trials`: 164 known answers graded with 4 workers beside evalplus and inspect_ai, in one run.

Every peer is warm, in shuffled order, wall time seen from outside (inspect_ai: its own `eval` alone); then what the
harness itself adds to a trial.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import statistics
import sys
import tempfile
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.console import say, show, whole
from evaluation.grading import Grade, ProgramToGrade, grades
from evaluation.harness import Choice, Harness, Job, trials
from evaluation.suites import SUITES, Problem
from evaluation.suites.problem import graded_by_check
from evaluation.trials import TrialStore
from framework.command_line import CommandParser
from framework.settings import Settings
from sandbox import open_sandbox
from sandbox.types import Sandbox

from .peers import BenchTask, evalplus, load_tasks

TRIALS, WORKERS = 164, 4
BAR_MS = 5.0
"""What the harness may add to a trial."""
INSPECT = "inspect_ai==0.3.285"
_SCRIPT = Path(__file__).with_name("inspected.py")
Racer = Callable[[Sequence[BenchTask]], Awaitable[tuple[float, int]]]
"""Runs all tasks; the seconds it took, and how many answers were wrong."""
_numbers = itertools.count()


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0; 1 when a rival is faster, a bar is missed or an answer is wrong; 2 without a rival."""
    parser = CommandParser(prog="python -m tests.benches.trials", description=__doc__)
    parser.add_argument("--data", type=Path, metavar="PATH", help="HumanEval as JSON lines; without it own small tasks")
    parser.add_argument("--rounds", type=whole, default=3, metavar="N")
    parser.add_argument(
        "--inspect", metavar="PYTHON", help=f"an interpreter that has {INSPECT}; by default uv makes one"
    )
    arguments = parser.parse_args(argv)
    given = (
        [arguments.inspect] if arguments.inspect else ["uv", "run", "-q", "--no-project", "--with", INSPECT, "python"]
    )
    try:
        tasks = list(itertools.islice(itertools.cycle(load_tasks(arguments.data)), TRIALS))
        raced, added = asyncio.run(_measured(tasks, given, arguments.rounds))
    except (ValueError, OSError) as error:
        parser.error(str(error))
    show(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {TRIALS} trials, {WORKERS} workers")
    return 0 if all([*_told(raced), *_kept(added)]) else 1


def _told(raced: Mapping[str, Sequence[tuple[float, int]]]) -> list[bool]:
    """Shows the race, and returns of each peer whether it has its place: ours first, and nothing wrong."""
    medians = {name: statistics.median(seconds for seconds, _ in runs) for name, runs in raced.items()}
    for name, median in medians.items():
        wrong = sum(count for _, count in raced[name])
        show(f"  {name:<12} median {median:7.2f} s  {medians['ours'] / median:5.2f}x  {wrong} wrong")
    right = [not any(count for _, count in runs) for runs in raced.values()]
    return [*right, medians["ours"] == min(medians.values())]


def _kept(added: Mapping[str, float]) -> list[bool]:
    for name, milliseconds in added.items():
        word = "pass" if milliseconds <= BAR_MS else "MISSED"
        show(f"  {name}: {milliseconds:.2f} ms a trial, at most {BAR_MS:g}: {word}")
    return [milliseconds <= BAR_MS for milliseconds in added.values()]


async def _measured(
    tasks: Sequence[BenchTask], inspect: Sequence[str], rounds: int
) -> tuple[dict[str, list[tuple[float, int]]], dict[str, float]]:
    async with AsyncExitStack() as stack:
        sandbox = await stack.enter_async_context(aclosing(open_sandbox(WORKERS)))
        plus = await stack.enter_async_context(evalplus(WORKERS))
        peers: dict[str, Racer] = {
            "ours": partial(_ours, sandbox),
            "evalplus": partial(_each, plus),
            "inspect_ai": await stack.enter_async_context(_inspected(tasks, inspect)),
        }
        raced: dict[str, list[tuple[float, int]]] = {name: [] for name in peers}
        shuffler = random.Random(0)
        for number in range(rounds + 1):
            for name in shuffler.sample(list(peers), len(peers)):
                found = await peers[name]([task.fresh(next(_numbers)) for task in tasks])
                raced[name] += [found] if number else []  # the first round warms
                say(f"{name}: {found[0]:.2f} s{'' if number else ', to warm'}")
        added = {"grading adds": await _grading_adds(sandbox, tasks), "a trial adds": await trial_adds(WORKERS * 3)}
    return raced, added


async def _ours(sandbox: Sandbox, tasks: Sequence[BenchTask]) -> tuple[float, int]:
    answers = [ProgramToGrade(_problem(task), "right", task.solution) for task in tasks]
    begun = time.perf_counter()
    found = [grade async for grade in grades(sandbox, answers, WORKERS)]
    return time.perf_counter() - begun, _wrong(found)


def _wrong(found: Sequence[Grade]) -> int:
    """How many known answers were not found right; each is told."""
    wrong = [grade for grade in found if not grade.right]
    for grade in wrong:
        say(f"ours fails {grade.answer.problem.id}: {grade.error or 'wrong'}")
    return len(wrong)


def _problem(task: BenchTask) -> Problem:
    return Problem(task.name, "", graded_by_check(task.tests, task.entry))


async def _each(run: Callable[[BenchTask], Awaitable[bool]], tasks: Sequence[BenchTask]) -> tuple[float, int]:
    begun = time.perf_counter()
    found = await asyncio.gather(*map(run, tasks))
    return time.perf_counter() - begun, found.count(False)


@asynccontextmanager
async def _inspected(tasks: Sequence[BenchTask], command: Sequence[str]) -> AsyncGenerator[Racer]:
    """inspect_ai in a process and an environment of its own. Raises ValueError where it is not to be had."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.jsonl"
        path.write_text("".join(json.dumps(asdict(task)) + "\n" for task in tasks), encoding="utf-8")
        arguments = [*command, str(_SCRIPT), str(path), str(WORKERS)]
        process = await asyncio.create_subprocess_exec(*arguments, stdin=PIPE, stdout=PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        reader, writer = process.stdout, process.stdin
        if (await reader.readline()).strip() != b"ready":
            raise ValueError(f"{INSPECT} could not be installed or started")

        async def run(_: Sequence[BenchTask]) -> tuple[float, int]:
            writer.write(b"\n")
            seconds, wrong = json.loads(await reader.readline())
            return seconds, wrong

        try:
            yield run
        finally:
            writer.close()
            await process.wait()


class Timed:
    """A sandbox that counts the seconds for which it is at work."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox, self.seconds = sandbox, 0.0

    async def run(self, *given: Any, **options: Any) -> Any:
        begun = time.perf_counter()
        try:
            return await self.sandbox.run(*given, **options)
        finally:
            self.seconds += time.perf_counter() - begun

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sandbox, name)


async def _grading_adds(sandbox: Sandbox, tasks: Sequence[BenchTask]) -> float:
    """Milliseconds a program beyond the sandbox, one at a time."""
    timed: Any = Timed(sandbox)
    answers = [ProgramToGrade(_problem(task.fresh(next(_numbers))), "right", task.solution) for task in tasks]
    begun = time.perf_counter()
    _wrong([grade async for grade in grades(timed, answers, 1)])
    return 1000 * (time.perf_counter() - begun - timed.seconds) / len(tasks)


async def trial_adds(count: int) -> float:
    """Milliseconds of a whole trial beyond the agent's run and the sandbox that grades, one at a time: the median."""
    problem = next(each for each in SUITES["scenarios"].load(None) if each.id == "slugify")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.from_env({"STATE_DIR": folder, "LLM_PROVIDER": "mock"})
        store = TrialStore(Path(folder) / "trials")
        store.begin({"arm": "full"}, resume=False)
        async with Harness.open(settings, Choice("mock"), Path(folder) / "state") as bench:
            grader: Any = Timed(bench.grader)
            runs: Any = Followed(bench.runs)
            timed, spent = Harness(runs, grader, bench.choice), list[float]()
            for number in range(count):
                grader.seconds = runs.seconds = 0.0
                begun = time.perf_counter()
                async for trial in trials(timed, [Job(problem, number)], 1):
                    assert trial.final_correct, trial.error
                    store.add(trial)
                spent.append(1000 * (time.perf_counter() - begun - grader.seconds - runs.seconds))
        store.close()
    return statistics.median(spent)


class Followed:
    """Runs that count the seconds from the moment that one is submitted until it has ended."""

    def __init__(self, runs: Any) -> None:
        self.runs, self.seconds = runs, 0.0

    async def submit(self, *given: Any, **options: Any) -> Any:
        return await self._timed(self.runs.submit(*given, **options))

    async def ended(self, *given: Any) -> Any:
        return await self._timed(self.runs.ended(*given))

    async def _timed(self, act: Awaitable[Any]) -> Any:
        begun = time.perf_counter()
        try:
            return await act
        finally:
            self.seconds += time.perf_counter() - begun

    def __getattr__(self, name: str) -> Any:
        return getattr(self.runs, name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
