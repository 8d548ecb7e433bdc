"""Makes one run of a program, from its first process to its last. A run is repeated if the sandbox failed, continued in
a fresh process if a check killed its process, and explained if an assertion failed."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .artifacts import typed
from .environments import Environments
from .jobs import Way, flavour_of, job_for, linked_in, module_name, stated_checks
from .launch import FLAVOURS
from .packages import distributions_of
from .pool import WorkerPool
from .report import ProcessReport, read_report
from .tally import Tally, of_script
from .times import RUN_FACTOR
from .types import CheckResult, Execution, Isolation, Program, SandboxBroken, Status

_QUIET_PATIENCE = 40
"""How often, a quarter of a second apart, the machine's load is looked at before a starved check is tried again."""


@dataclass(slots=True)
class ProgramRun:
    """The result of one run, and what its processes reported besides."""

    execution: Execution
    doubts: list[str] = field(default_factory=list[str])
    """Why a pass cannot be confirmed: answers came from the solution itself, or a given file was changed."""
    limits: dict[str, str] = field(default_factory=dict[str, str])
    """Check that did not pass -> what its tests do that two processes cannot do."""
    limited: bool = False
    """Whether any test did such a thing. A pass in two processes then does not say that a pass in one would follow."""
    settled: bool = False
    """Whether the run failed in a way that a run in one process could only repeat."""

    @property
    def doubt(self) -> str:
        return "; ".join(self.doubts)


@dataclass(frozen=True, slots=True)
class _Part:
    """What one process, or pair of processes, of a run did."""

    head: dict[str, Any]
    report: ProcessReport
    out: bytes
    err: bytes
    files: list[tuple[str, bytes]]
    """(name, content) of each file that was left."""


class ProgramRunner:
    """Makes runs with the workers of one pool."""

    def __init__(self, pool: WorkerPool, isolation: Isolation, environments: Environments | None) -> None:
        self._pool = pool
        self._isolation = isolation
        self._environments = environments

    async def run(self, program: Program, *, split: bool = False, seed: int = 0, explains: bool = True) -> ProgramRun:
        """Runs a suite, calls or a script. `seed` seeds str hashes, which decides the order of sets. With `explains`,
        failed asserts report the values they compared. A failure of the sandbox gives the status "broken"."""
        try:
            if program.tests is None and not program.calls:
                return await self._script(program, seed)
            return await self._steps(program, split, seed, explains)
        except SandboxBroken as error:
            return ProgramRun(Execution("broken", self._isolation, error=str(error)))

    async def _script(self, program: Program, seed: int) -> ProgramRun:
        part = await self._part(program, Way(split=False), seed)
        if part.head["cause"] == "starved":
            await _quieter()
            part = await self._part(program, Way(split=False), seed)
        status, error = of_script(program.limits, part.head, part.report)
        return ProgramRun(self._execution(program, [part], status, error))

    async def _steps(self, program: Program, split: bool, seed: int, explains: bool) -> ProgramRun:
        """Runs a suite, or calls. One process goes on until a step kills it; a fresh one does the rest."""
        tally = Tally(program, stated_checks(program.tests) if program.tests is not None else ())
        parts: list[_Part] = []
        todo: tuple[int, ...] | None = None
        while todo != ():
            way = Way(split, wanted=todo, used_cpu=_used(parts))
            part = await self._part(program, way, seed)
            parts.append(part)
            todo = tally.add(part.head, part.report, todo)
            if todo != () and tally.starving:
                await _quieter()
        way = Way(split, explain=True, used_cpu=_used(parts))
        checks = await self._explained(program, tally, way, seed) if explains else tally.checks()
        execution = self._execution(program, parts, *tally.status())
        execution = replace(execution, checks=checks, outputs=tally.outputs())
        limits = {name: reason for part in parts for name, reason in part.report.limits.items()}
        limited = any(part.report.limited for part in parts)
        return ProgramRun(execution, _doubts(parts), limits, limited, tally.settled)

    async def _explained(self, program: Program, tally: Tally, way: Way, seed: int) -> tuple[CheckResult, ...]:
        """Returns the checks. Those whose assertion failed are run once more for the values behind the failure, if half
        of the run's CPU time is left."""
        checks, failing = tally.checks(), tally.failing()
        if not failing or program.fail_fast or way.used_cpu > program.limits.timeout * RUN_FACTOR / 2:
            return checks
        again = replace(program, coverage=False)
        part = await self._part(again, replace(way, wanted=failing), seed)
        told = {check.name: check.message for check in part.report.checks if check.status == "fail"}
        return tuple(
            replace(check, message=told.get(check.name, check.message)) if check.status == "fail" else check
            for check in checks
        )

    async def _part(self, program: Program, way: Way, seed: int) -> _Part:
        """Makes one process. Tries another if the sandbox failed once, or if the program needs another flavour of
        worker. Raises SandboxBroken."""
        flavour = flavour_of(program)
        flavour = "pytest" if way.explain and flavour == "bare" else flavour
        failed = 0
        for _ in range(len(FLAVOURS)):
            job = job_for(program, flavour, way)
            try:
                async with self._pool.worker(flavour, await self._paths(program), seed) as link:
                    frame = await link.request(job.head, job.body, job.patience)
            except SandboxBroken:
                failed += 1
                if failed > 1:
                    raise
                continue
            out, err, told, *files = frame.parts()
            report = read_report(told, frame.head["nonce"])
            if report.needs not in FLAVOURS or report.needs == flavour:
                names = [name for name, _ in frame.head["artifacts"]]
                return _Part(frame.head, report, out, err, list(zip(names, files, strict=True)))
            flavour = report.needs
        raise SandboxBroken("no kind of worker fits this program")

    async def _paths(self, program: Program) -> tuple[str, ...]:
        """Returns what a run may also read: folders to import from, and linked data files."""
        linked = tuple(sorted({data.path for data in linked_in(program).values()}))
        if not program.packages:
            return linked
        if self._environments is None:
            raise ValueError("this sandbox was opened without a folder for packages")
        return (await self._environments.folder_for(program.packages), *linked)

    def _execution(self, program: Program, parts: list[_Part], status: Status, error: str) -> Execution:
        """Sums up what was captured and measured over all processes of a run, which ended so."""
        heads = [part.head for part in parts]
        limit = program.limits.output_kb << 10
        outs, errs = b"".join(part.out for part in parts), b"".join(part.err for part in parts)
        missing = [name for part in parts for name in part.report.missing]
        return Execution(
            status=status,
            isolation=self._isolation,
            error=error,
            missing_packages=distributions_of(missing, own=(module_name(program),)),
            installed=self._environments.installed(program.packages) if self._environments else (),
            exit_code=heads[-1]["exit_code"],
            stdout=outs[:limit].decode("utf-8", "replace"),
            stderr=errs[:limit].decode("utf-8", "replace"),
            truncated=any(head["truncated"] for head in heads) or max(len(outs), len(errs)) > limit,
            duration_ms=round(sum(head["ms"] for head in heads), 3),
            cpu_ms=round(sum(head["cpu_ms"] for head in heads), 3),
            peak_mb=round(max(head["peak_kb"] for head in heads) / 1024, 1),
            signal=heads[-1]["signal"],
            artifacts=typed(parts[-1].files),
            coverage=parts[-1].report.coverage if len(parts) == 1 else None,
        )


def _used(parts: list[_Part]) -> float:
    """Returns the CPU seconds that a run has used so far."""
    return sum(part.head["cpu_ms"] for part in parts) / 1000


def _doubts(parts: list[_Part]) -> list[str]:
    told = [doubt for part in parts for doubt in part.report.doubts[:1]]
    if any(part.head["changed"] for part in parts):
        told.append("the program changed a data file that it was given")
    return list(dict.fromkeys(told))


async def _quieter() -> None:
    """Waits until no more threads want to run than there are processors, at most ten seconds."""
    for _ in range(_QUIET_PATIENCE):
        if _wanting_to_run() <= (os.cpu_count() or 1):
            return
        await asyncio.sleep(0.25)


def _wanting_to_run() -> int:
    """Returns how many threads of this machine run or are queued now; 0 if the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])
    return 0
