"""The sandbox itself: sends programs to workers and decides, from counted facts only, what they came to."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .artifacts import typed
from .backends import BACKENDS
from .environments import Environments
from .flavours import flavour_of
from .isolation import Opened, open_pool
from .jobs import check, job_for, module_name
from .launch import FLAVOURS
from .link import Frame
from .packages import distributions_of, importable
from .pool import Pool
from .report import Report, read_report
from .types import Execution, Isolation, Level, LevelTooLow, Program, SandboxBroken
from .verdict import judge

_HEAD_START = 0.25
"""Seconds of a first run after which its confirmation starts beside it, so that both end within the program's time."""

_GRACE = 0.3
"""Seconds beyond the program's time in which a failure may be explained."""


@dataclass(frozen=True, slots=True)
class _Run:
    """One finished run and what it reported."""

    execution: Execution
    report: Report


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
        pool, isolation = opened.pool, opened.isolation
        if program.tests is None or program.mode == "inprocess":
            return (await self._once(pool, isolation, program, split=False)).execution
        if program.mode == "split":
            return _confirmed(await self._once(pool, isolation, program, split=True))
        return await self._both(pool, isolation, program)

    async def describe(self) -> Isolation:
        return (await self._open()).isolation

    async def probes(self) -> dict[str, str]:
        """Forbidden act -> how it was refused when it was tried, or "open"."""
        return dict((await self._open()).probes)

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
        try:
            opened = await self._open()
            await opened.pool.warm(("bare", "pytest"))
        except (LevelTooLow, SandboxBroken):
            return

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

    async def _both(self, pool: Pool, isolation: Isolation, program: Program) -> Execution:
        """First in one process; what passes there must pass again in two."""
        first = asyncio.ensure_future(self._once(pool, isolation, program, split=False))
        second: asyncio.Task[_Run] | None = None
        try:
            await asyncio.wait({first}, timeout=_HEAD_START)
            if not first.done() or first.result().execution.passed:
                second = asyncio.ensure_future(
                    self._once(pool, isolation, replace(program, coverage=False), split=True)
                )
            claimed = await first
            if second is None or not claimed.execution.passed:
                return claimed.execution
            return _joined(claimed.execution, await second)
        finally:
            for task in (first, second):
                if task is not None:
                    task.cancel()

    async def _once(self, pool: Pool, isolation: Isolation, program: Program, *, split: bool) -> _Run:
        """One run; a suite that failed is repeated once, in fresh processes, to learn the values behind it."""
        started = time.monotonic()
        run = await self._sturdy(pool, isolation, program, split=split, explain=False)
        if run.execution.status != "fail" or program.fail_fast:
            return run
        spent = time.monotonic() - started
        left = program.limits.timeout + _GRACE - spent
        if left < 1.2 * spent:
            return run
        again = replace(program, limits=replace(program.limits, timeout=left), coverage=False)
        return _explained(run, await self._sturdy(pool, isolation, again, split=split, explain=True))

    async def _sturdy(self, pool: Pool, isolation: Isolation, program: Program, *, split: bool, explain: bool) -> _Run:
        """One run; repeated once when the sandbox, not the program, failed, or another kind of worker is needed."""
        flavour = flavour_of(program)
        for attempt in (1, 2, 3):
            job = job_for(program, flavour, split=split, explain=explain)
            try:
                async with pool.worker(flavour, await self._paths(program)) as link:
                    frame = await link.request(job.head, job.body, job.patience)
            except SandboxBroken as error:
                if attempt > 1:
                    return _Run(Execution("broken", isolation, error=str(error)), Report())
                continue
            run = _understand(program, isolation, frame)
            if run.report.needs not in FLAVOURS or run.report.needs == flavour:
                return run
            flavour = run.report.needs
        return _Run(Execution("broken", isolation, error="no kind of worker fits this program"), Report())

    async def _paths(self, program: Program) -> tuple[str, ...]:
        """Extra import folders of a run."""
        if not program.packages:
            return ()
        if self._environments is None:
            raise ValueError("this sandbox was opened without a folder for packages")
        return (await self._environments.folder_for(program.packages),)


def _understand(program: Program, isolation: Isolation, frame: Frame) -> _Run:
    head = frame.head
    out, err, size = head["sizes"]
    report = read_report(frame.body[out + err : out + err + size], head["nonce"])
    status, error = judge(program, head, report)
    at = out + err + size
    files: list[tuple[str, bytes]] = []
    for name, length in head["artifacts"]:
        files.append((name, frame.body[at : at + length]))
        at += length
    execution = Execution(
        status=status,
        isolation=isolation,
        checks=tuple(report.checks),
        outputs=tuple(report.outputs[at] for at in sorted(report.outputs)),
        error=error,
        missing_packages=distributions_of(report.missing, own=(module_name(program),)),
        exit_code=head["exit_code"],
        stdout=frame.body[:out].decode("utf-8", "replace"),
        stderr=frame.body[out : out + err].decode("utf-8", "replace"),
        truncated=head["truncated"],
        duration_ms=head["ms"],
        peak_mb=round(head["peak_kb"] / 1024, 1),
        signal=head["signal"],
        artifacts=typed(files),
        coverage=report.coverage,
    )
    return _Run(execution, report)


def _explained(run: _Run, again: _Run) -> _Run:
    """The first run's verdict with the second one's messages, where both saw the same."""
    told = {(check.name, check.status): check.message for check in again.execution.checks}
    checks = tuple(
        replace(check, message=told.get((check.name, check.status), check.message)) for check in run.execution.checks
    )
    return _Run(replace(run.execution, checks=checks), run.report)


def _confirmed(run: _Run) -> Execution:
    """A pass in two processes is a confirmed one, unless answers came from the solution's own code."""
    if not run.execution.passed:
        return run.execution
    return replace(run.execution, confirmed=not run.report.own_equality, unconfirmed_reason=run.report.own_equality)


def _joined(claimed: Execution, second: _Run) -> Execution:
    """What a pass in one process is worth after the run in two."""
    status = second.execution.status
    if status == "pass":
        return replace(claimed, confirmed=not second.report.own_equality, unconfirmed_reason=second.report.own_equality)
    if status == "broken":
        return replace(claimed, unconfirmed_reason=f"the confirming run could not be made: {second.execution.error}")
    if second.report.out_of_reach:
        return replace(claimed, unconfirmed_reason=second.report.out_of_reach)
    return second.execution
