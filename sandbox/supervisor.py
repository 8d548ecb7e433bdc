"""The sandbox itself: sends programs to workers and decides, from counted facts only, what they came to."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import replace

from .backends import BACKENDS
from .confirm import confirm, join
from .environments import Environments
from .isolation import Opened, examine, open_pool
from .jobs import check
from .packages import importable
from .runs import Run, Runs
from .types import Execution, Isolation, Level, LevelTooLow, Program, SandboxBroken

_HEAD_START = 0.25
"""Seconds of a first run after which its confirmation starts beside it."""
_SEED, _OTHER_SEED = 0, 1
"""Of str hashes: all processes of a run share one, and a pass is confirmed under another."""
_ORDER_MATTERS = re.compile(r"\b(?:set|frozenset|hash|keys|union|intersection|difference)\b|\{[^:{}]+\}")
"""Source in which the order of a set may show."""


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
        runs = await self._runs()
        if program.tests is None or program.mode == "inprocess":
            return (await runs.run(program, seed=_SEED)).execution
        if program.mode == "split":
            return await _split(runs, program)
        return await _both(runs, program)

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

    def start(self) -> None:
        """Start workers in the background of the running event loop; what fails is told by the first run."""
        self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        with contextlib.suppress(LevelTooLow, SandboxBroken):
            opened = await self._open()
            await opened.pool.warm([(flavour, seed) for flavour in ("bare", "pytest") for seed in (_SEED, _OTHER_SEED)])

    async def aclose(self) -> None:
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.pool.close()

    async def _runs(self) -> Runs:
        opened = await self._open()
        return Runs(opened.pool, opened.isolation, self._environments)

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


async def _both(runs: Runs, program: Program) -> Execution:
    """First in one process; what passes there must pass again in two, and under another order of sets."""
    first = asyncio.ensure_future(runs.run(program, seed=_SEED))
    second: asyncio.Task[Run] | None = None
    try:
        await asyncio.wait({first}, timeout=_HEAD_START)
        if not first.done() or first.result().execution.passed:
            second = asyncio.ensure_future(runs.run(replace(program, coverage=False), split=True, seed=_OTHER_SEED))
        claimed = await first
        if second is None or not claimed.execution.passed:
            return claimed.execution
        confirming = await second
        if confirming.execution.passed:
            return _joined(claimed, confirming)
        again = await runs.run(replace(program, coverage=False), split=True, seed=_SEED)
        return _order_shows(claimed.execution, confirming) if again.execution.passed else _joined(claimed, again)
    finally:
        for task in (first, second):
            if task is not None:
                task.cancel()


async def _split(runs: Runs, program: Program) -> Execution:
    """A pass in two processes, repeated under another order of sets where that could matter."""
    run = await runs.run(program, split=True, seed=_SEED)
    sources = (program.solution, program.tests or "", *program.package.values())
    if run.execution.passed and any(_ORDER_MATTERS.search(source) for source in sources):
        again = await runs.run(program, split=True, seed=_OTHER_SEED)
        if not again.execution.passed:
            return _order_shows(run.execution, again)
    return confirm(run.execution, "; ".join(run.doubts), run.limits)


def _order_shows(claimed: Execution, other: Run) -> Execution:
    failed = next((check.name for check in other.execution.checks if check.status != "pass"), "a check")
    reason = f"it depends on the order of sets: under another hash seed {failed} does not pass"
    return replace(claimed, confirmed=False, unconfirmed_reason=reason)


def _joined(claimed: Run, second: Run) -> Execution:
    """What a pass in one process is worth after the run in two."""
    doubts = dict.fromkeys([*claimed.doubts, *second.doubts])
    return join(claimed.execution, second.execution, "; ".join(doubts), second.limits)
