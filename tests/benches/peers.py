"""What the sandbox's bench runs: right solutions with their tests, and each way to run one."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from sandbox import Limits, LocalSandbox, Mode, Program

_TIMEOUT = 10.0
Peer = Callable[["BenchTask"], Awaitable[bool]]
"""Runs a task's tests against its solution; whether they passed."""
Rival = Callable[[int], AbstractAsyncContextManager[Peer]]
"""A way to run so many tasks at a time that is not ours."""


@dataclass(frozen=True, slots=True)
class BenchTask:
    """A right solution, and tests that define `check(candidate)`."""

    name: str
    solution: str
    tests: str
    entry: str

    def fresh(self, number: int) -> BenchTask:
        """The same task in a text that nobody has seen, so that no peer can answer from what it remembers."""
        return replace(self, solution=f"{self.solution}\n# {number}\n", tests=f"{self.tests}\n# {number}\n")


def load_tasks(path: Path | None) -> list[BenchTask]:
    """HumanEval's canonical solutions, or without the file 40 tasks of our own. Raises ValueError, in one line."""
    if path is None:
        return [_power_sum(number) for number in range(2, 42)]
    try:
        rows: list[dict[str, str]] = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        return [
            BenchTask(row["task_id"], row["prompt"] + row["canonical_solution"], row["test"], row["entry_point"])
            for row in rows
        ]
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} does not hold HumanEval's tasks as JSON lines: {error}") from None


def _power_sum(power: int) -> BenchTask:
    solution = f"def power_sum(values):\n    return sum(value**{power} for value in values)\n"
    cases = [f"    assert candidate(range({n})) == {sum(i**power for i in range(n))}\n" for n in range(8)]
    return BenchTask(f"own/{power}", solution, "def check(candidate):\n" + "".join(cases), "power_sum")


def sandbox_peer(sandbox: LocalSandbox, mode: Mode) -> Peer:
    async def run(task: BenchTask) -> bool:
        tests = f"{task.tests}\n\ndef test_all():\n    check({task.entry})\n"
        program = Program(solution=task.solution, tests=tests, mode=mode, limits=Limits(timeout=_TIMEOUT))
        return (await sandbox.run(program)).passed

    return run


@asynccontextmanager
async def cold_python(workers: int) -> AsyncGenerator[Peer]:
    """A new isolated interpreter for every task, with no walls at all."""
    with ThreadPoolExecutor(workers) as threads:

        async def run(task: BenchTask) -> bool:
            text = f"{task.solution}\n{task.tests}\ncheck({task.entry})\n"
            start = partial(subprocess.run, [sys.executable, "-I", "-c", text], capture_output=True, check=False)
            return (await asyncio.get_running_loop().run_in_executor(threads, start)).returncode == 0

        yield run


@asynccontextmanager
async def evalplus(workers: int) -> AsyncGenerator[Peer]:
    """evalplus in so many processes of its own, warm, as its own evaluation runs it: a fork costs what the process
    that forks has in memory, so ours must not be the one. Raises ValueError where it is not installed."""
    command = [sys.executable, "-m", "tests.benches.rival"]
    idle: asyncio.Queue[Process] = asyncio.Queue()
    started: list[Process] = []
    try:
        for _ in range(workers):
            process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
            started.append(process)
            if await _line(process) != "ready":
                raise ValueError("evalplus is not installed; it comes with the extra `bench`")
            idle.put_nowait(process)

        async def run(task: BenchTask) -> bool:
            process = await idle.get()
            assert process.stdin is not None
            process.stdin.write(json.dumps(asdict(task)).encode() + b"\n")
            answer = await _line(process)
            idle.put_nowait(process)
            return answer == "pass"

        yield run
    finally:
        for process in started:
            assert process.stdin is not None
            process.stdin.close()
            await process.wait()


async def _line(process: Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().strip()
