"""The sandbox itself: sends programs to workers and decides, from counted facts only, what they came to."""

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
    """Workers on this machine (or in a container on it)."""

    def __init__(
        self,
        workers: int | None = None,
        min_level: Level | None = None,
        *,
        environments: Environments | None = None,
        backends: Sequence[str] = BACKENDS,
        walls: tuple[str, ...] | None = None,
    ) -> None:
        """`workers`: runs at a time, None for one per core. `environments`: lets programs ask for packages.
        `walls`: fewer than the machine has, to measure what they cost."""
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
        """Every forbidden act tried, also those that take a second: what came of it, and why stronger walls are not
        used."""
        return await examine(await self._open())

    @property
    def home(self) -> str | None:
        """Folder of the workers' run folders, while there are workers."""
        return self._opened.pool.home if self._opened is not None else None

    def worker_pids(self) -> list[int]:
        """Processes that were started as workers and live."""
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
        """Start workers in the background of the running event loop; what fails is told by the first run."""
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
        """Workers of this event loop, probed once."""
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
    """A sandbox with so many runs at a time (None: one per core). Its workers start in the background of the running
    event loop, else with the first run, which raises LevelTooLow where this machine cannot reach `min_level`; until
    `aclose` they stay warm. `environments`: a folder where packages that programs ask for are installed, from wheels
    only; None: programs may not ask."""
    sandbox = LocalSandbox(workers, min_level, environments=Environments(environments) if environments else None)
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        sandbox.start()
    return sandbox


def run(program: Program | str, tests: str | None = None, min_level: Level | None = None) -> Execution:
    """Run one program (or the source of a module) in a sandbox of its own, for code that runs in no event loop; who
    runs many keeps the workers of `open_sandbox` warm. `tests`: pytest source, in the place of the program's own.
    Raises ValueError for a program that cannot be run, LevelTooLow and SandboxBroken."""
    program = Program(solution=program) if isinstance(program, str) else program

    async def once() -> Execution:
        sandbox = LocalSandbox(2, min_level)
        try:
            return await sandbox.run(replace(program, tests=tests) if tests is not None else program)
        finally:
            await sandbox.aclose()

    return asyncio.run(once())
