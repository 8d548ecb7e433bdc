"""What the comparison runs: tasks, and each way to run one."""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .supervisor import LocalSandbox
from .types import Limits, Mode, Program

_TIMEOUT = 10.0
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


def sandbox_peer(sandbox: LocalSandbox, mode: Mode) -> Peer:
    async def run(task: Task) -> bool:
        tests = f"{task.tests}\n\ndef test_all():\n    check({task.entry})\n"
        done = await sandbox.run(
            Program(solution=task.solution, tests=tests, mode=mode, limits=Limits(timeout=_TIMEOUT))
        )
        return done.passed

    return run


def threaded(work: Callable[[Task], bool], threads: ThreadPoolExecutor) -> Peer:
    async def run(task: Task) -> bool:
        return await asyncio.get_running_loop().run_in_executor(threads, work, task)

    return run


def cold_python(task: Task) -> bool:
    text = f"{task.solution}\n{task.tests}\ncheck({task.entry})\n"
    return (
        subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, timeout=60, check=False).returncode == 0
    )


def evalplus() -> Callable[[Task], bool] | None:
    try:
        check: Any = importlib.import_module("evalplus.eval").untrusted_check
    except ImportError:
        return None

    def work(task: Task) -> bool:
        body = f"{task.solution}\n{task.tests}\ndef __chk():\n    check({task.entry})\n    return True\n"
        return check("humaneval", body, [[]], "__chk", [True], 0, [_TIMEOUT], fast_check=True)[0] == "pass"

    return work
