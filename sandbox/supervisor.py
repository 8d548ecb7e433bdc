"""The sandbox itself: sends programs to workers and decides their status, from counted facts only."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .backends import BACKENDS
from .environments import Environments
from .isolation import Opened, examine, open_pool
from .jobs import check, with_room
from .modes import OTHER_SEED, SEED, run_in_mode
from .packages import importable
from .runs import ProgramRunner
from .types import Execution, Isolation, Level, LevelTooLow, Program, SandboxBroken


class LocalSandbox:
    """A sandbox whose workers run on this machine, or in a container on it."""

    def __init__(
        self,
        workers: int | None = None,
        min_level: Level | None = None,
        *,
        environments: Environments | None = None,
        backends: Sequence[str] = BACKENDS,
        walls: tuple[str, ...] | None = None,
    ) -> None:
        """`workers` is the number of parallel runs, None for one per core. `environments` lets programs ask for
        packages. `walls` names fewer walls than the machine has, to measure what each costs."""
        self._environments = environments
        self._size = workers or os.cpu_count() or 1
        self._min_level: Level | None = min_level
        self._backends = backends
        self._walls = walls
        self._opened: Opened | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening = asyncio.Lock()
        self._starting: asyncio.Task[None] | None = None

    async def run(self, program: Program) -> Execution:
        check(program)
        opened = await self._open()
        runner = ProgramRunner(opened.pool, opened.isolation, self._environments)
        return await run_in_mode(runner, with_room(program))

    async def describe(self) -> Isolation:
        return (await self._open()).isolation

    async def examine(self) -> Opened:
        """Tries every forbidden act, including those that take a second. Returns the results, and why stronger backends
        are not used."""
        return await examine(await self._open())

    @property
    def home(self) -> str | None:
        """The folder of the workers' run folders; None while there are no workers."""
        return self._opened.pool.home if self._opened is not None else None

    def worker_pids(self) -> list[int]:
        """Returns the ids of the live worker processes."""
        return self._opened.pool.pids() if self._opened is not None else []

    async def packages(self) -> tuple[str, ...]:
        return importable()

    async def install(self, packages: Sequence[str]) -> str:
        if self._environments is None:
            return "this sandbox was opened without a folder for packages"
        try:
            await self._environments.folder_for(packages)
        except SandboxBroken as error:
            return str(error)
        return ""

    def start(self) -> None:
        """Starts workers in the background of the running event loop. If that fails, the first run reports it."""
        self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        with contextlib.suppress(LevelTooLow, SandboxBroken):
            opened = await self._open()
            await opened.pool.warm([(flavour, seed) for flavour in ("bare", "pytest") for seed in (SEED, OTHER_SEED)])

    async def aclose(self) -> None:
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.pool.close()

    async def _open(self) -> Opened:
        """Returns the workers of this event loop; they are opened and probed once."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._opened, self._opening = loop, None, asyncio.Lock()
        if self._opened is None:
            async with self._opening:
                if self._opened is None:
                    self._opened = await open_pool(self._size, self._min_level, self._backends, self._walls)
        return self._opened


def open_sandbox(
    workers: int | None = None, min_level: Level | None = None, environments: Path | None = None
) -> LocalSandbox:
    """Opens a sandbox with `workers` parallel runs, None for one per core. Its workers start in the background of the
    running event loop, or with the first run if there is no loop; the first run raises LevelTooLow when this machine
    cannot reach `min_level`. Workers stay warm until `aclose`. `environments` is the folder where packages that
    programs ask for are installed, from wheels only; without it, programs may not ask."""
    sandbox = LocalSandbox(workers, min_level, environments=Environments(environments) if environments else None)
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        sandbox.start()
    return sandbox


def run(program: Program | str, tests: str | None = None, min_level: Level | None = None) -> Execution:
    """Runs one program, or the source of a module, in a sandbox of its own, for code outside an event loop. To run many
    programs, keep one sandbox of `open_sandbox`, whose workers stay warm. `tests` is pytest source that replaces the
    program's own. Raises ValueError for a program that cannot be run, LevelTooLow and SandboxBroken."""
    program = Program(solution=program) if isinstance(program, str) else program

    async def once() -> Execution:
        sandbox = LocalSandbox(2, min_level)
        try:
            return await sandbox.run(replace(program, tests=tests) if tests is not None else program)
        finally:
            await sandbox.aclose()

    return asyncio.run(once())
