"""What the sandbox's bench runs: right solutions with their tests, and each way to run one."""

from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sandbox import Limits, LocalSandbox, Mode, Program

from .suites.problem import graded_by_check, missing, rows

_TIMEOUT = 10.0
Peer = Callable[["Task"], Awaitable[bool]]
"""Runs a task's tests against its solution; whether they passed."""


@dataclass(frozen=True, slots=True)
class Task:
    """A right solution, and tests that define `check(candidate)`."""

    name: str
    solution: str
    tests: str
    entry: str

    def fresh(self, number: int) -> Task:
        """The same task in a text that nobody has seen, so that no peer can answer from what it remembers."""
        return replace(self, solution=f"{self.solution}\n# {number}\n", tests=f"{self.tests}\n# {number}\n")


def load_tasks(path: Path | None) -> list[Task]:
    """HumanEval's canonical solutions, or without the file 40 tasks of our own. Raises BadSuite."""
    if path is None:
        return [_power_sum(number) for number in range(2, 42)]
    try:
        return [
            Task(row["task_id"], row["prompt"] + row["canonical_solution"], row["test"], row["entry_point"])
            for row in rows(path, "humaneval.jsonl")
        ]
    except KeyError as error:
        raise missing(path, error) from None


def _power_sum(power: int) -> Task:
    solution = f"def power_sum(values):\n    return sum(value**{power} for value in values)\n"
    cases = [f"    assert candidate(range({n})) == {sum(i**power for i in range(n))}\n" for n in range(8)]
    return Task(f"own/{power}", solution, "def check(candidate):\n" + "".join(cases), "power_sum")


def sandbox_peer(sandbox: LocalSandbox, mode: Mode) -> Peer:
    async def run(task: Task) -> bool:
        tests = graded_by_check(task.tests, task.entry)
        program = Program(solution=task.solution, tests=tests, mode=mode, limits=Limits(timeout=_TIMEOUT))
        return (await sandbox.run(program)).passed

    return run


def threaded(work: Callable[[Task], bool], threads: ThreadPoolExecutor) -> Peer:
    async def run(task: Task) -> bool:
        return await asyncio.get_running_loop().run_in_executor(threads, work, task)

    return run


def cold_python(task: Task) -> bool:
    """A new isolated interpreter for the task, with no walls at all."""
    text = f"{task.solution}\n{task.tests}\ncheck({task.entry})\n"
    command = [sys.executable, "-I", "-c", text]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0


def evalplus() -> Callable[[Task], bool]:
    """evalplus's own check, imported here, so that its runs find it warm. It forks this process; its comparison of
    outputs is idle, as the tests bring their own. Raises ImportError where it is not installed."""
    check: Any = importlib.import_module("evalplus.eval").untrusted_check

    def work(task: Task) -> bool:
        body = f"{task.solution}\n{task.tests}\ndef __chk():\n    check({task.entry})\n    return True\n"
        return check("humaneval", body, [[]], "__chk", [True], 0, [_TIMEOUT], fast_check=True)[0] == "pass"

    return work
