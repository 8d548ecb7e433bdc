"""Runs the benchmarks that the page starts: one at a time, in the app's own process, stored in the state directory."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent.task.request import BadInput
from evaluation.arms import config_of
from evaluation.commands.run import SCRIPTED
from evaluation.harness import Choice, Harness, Job, trials
from evaluation.metrics import figures
from evaluation.suites import SUITES, BadSuite
from evaluation.trials import TrialStore
from framework.errors import FrameworkError
from framework.settings import Settings

from .panels.benchmarks import BenchmarkProgress, BenchmarkResult

SUITE = "scenarios"
"""The benchmark suite that the page runs."""
SHIPPED = Path(__file__).parent.parent / "evaluation" / "results" / "tier1_humaneval.json"
"""A benchmark of a real model that comes with the app."""
_LOOK = 0.5
"""The seconds between two looks at the progress."""
_logger = logging.getLogger(__name__)


class Benchmarks:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.state_dir / "benchmarks"
        self._task: asyncio.Task[None] | None = None
        self._state = BenchmarkProgress()

    def start(self, *, repair: bool) -> None:
        """Starts a benchmark, with repairs or with the first program only. Raises BadInput while another one runs."""
        if self._task and not self._task.done():
            raise BadInput("a benchmark is running already; it can be stopped")
        self._state = BenchmarkProgress(running=True)
        self._task = asyncio.create_task(self._run(repair), name="benchmark")

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def watch(self) -> AsyncGenerator[BenchmarkProgress]:
        """Yields the progress whenever it changes, until no benchmark runs any more."""
        last: BenchmarkProgress | None = None
        while True:
            if self._state != last:
                last = self._state
                yield last
            if not self._state.running:
                return
            await asyncio.sleep(_LOOK)

    async def stored(self) -> list[BenchmarkResult]:
        """Returns the stored results, newest first, then the one that came with the app."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> list[BenchmarkResult]:
        found: list[BenchmarkResult] = []
        folders = sorted(self._folder.iterdir(), reverse=True) if self._folder.exists() else []
        for store in map(TrialStore, folders):
            try:
                header = store.header()
            except BadSuite:
                continue  # the benchmark never stored a trial, or an earlier version stored it
            title = f"{header['suite']}, {header['provider']} {header['model']}"
            found.append(BenchmarkResult(title, header["arm"] == "full", figures(store.read()), header["simulated"]))
        told: dict[str, Any] = json.loads(SHIPPED.read_text(encoding="utf-8"))
        return [
            *found,
            BenchmarkResult(f"HumanEval, {told['model']} (shipped)", True, told["tier1"], told["simulated"]),
        ]

    async def _run(self, repair: bool) -> None:
        try:
            await self._measure(repair)
        except (OSError, FrameworkError, BadSuite) as error:
            self._state = replace(self._state, error=f"it could not be stored: {error}")
        except Exception as error:
            _logger.exception("a benchmark broke")
            self._state = replace(self._state, error=f"it broke: {type(error).__name__}")
        finally:
            self._state = replace(self._state, running=False)

    async def _measure(self, repair: bool) -> None:
        """Runs the suite and stores each trial. Raises OSError, FrameworkError, BadSuite."""
        jobs = [Job(problem, 0) for problem in SUITES[SUITE].load(None)]
        arm = "full" if repair else "one_shot"
        choice = Choice("mock", "scripted-demo", config=config_of(arm, None))
        folder = self._folder / f"{time.time():.0f}"
        header = {"suite": SUITE, "provider": choice.provider, "model": choice.model, "arm": arm}
        self._state = BenchmarkProgress(running=True, total=len(jobs))
        with closing(TrialStore(folder)) as store:
            store.begin({**header, "samples": 1, "seed": 0, "simulated": [SCRIPTED]}, resume=False)
            # The trials are closed before the harness: if one cannot be stored, the others end with it.
            async with (
                Harness.open(self._settings, choice, folder / "runs", 1) as bench,
                aclosing(trials(bench, jobs, 1)) as ended,
            ):
                async for trial in ended:
                    store.add(trial)
                    lines = (*self._state.lines, f"{trial.problem}: {trial.words}")
                    self._state = replace(self._state, done=self._state.done + 1, lines=lines)
