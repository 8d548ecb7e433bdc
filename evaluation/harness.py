"""Runs problems through the same engine that the app uses, and grades the programs in a sandbox of its own."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agent.engine import AgentEngine
from agent.events.conclusion import Outcome
from agent.runs import AgentRuns, open_runs
from agent.state import Task
from agent.task.order import Order
from agent.task.request import BadInput
from framework.errors import RunError
from framework.settings import RunLimits, Settings
from llm.errors import LLMError
from sandbox import open_sandbox
from sandbox.types import Sandbox, SandboxBroken

from .grading import is_right
from .suites import Problem
from .together import together
from .trials import Trial

KEPT = 100_000
"""How many runs are kept. The runs of an evaluation are its evidence, so none is dropped to make room."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How the runs of an evaluation are made: model, seed, flags of the agent, options of the provider."""

    provider: str | None = None
    model: str | None = None
    seeded: bool = False
    """Whether the model replays recordings. Each sample then has another seed, written "model@seed"."""
    seed: int = 0
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields of AgentConfig."""
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """The options of each provider."""

    def model_of(self, sample: int) -> str | None:
        return f"{self.model}@{self.seed + sample}" if self.seeded else self.model


@dataclass(frozen=True, slots=True)
class Job:
    """A trial that is still to be made: which problem, and which sample of it."""

    problem: Problem
    sample: int

    @property
    def key(self) -> str:
        return f"{self.problem.id}#{self.sample}"


@dataclass(frozen=True, slots=True)
class Harness:
    """What trials are made with: the agent's runs, and a sandbox that only grades."""

    runs: AgentRuns
    grader: Sandbox
    choice: Choice

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: Settings, choice: Choice, state_dir: Path, workers: int = 1
    ) -> AsyncGenerator[Harness]:
        """Opens a harness. `state_dir` is where the runs are kept, apart from the person's own; `workers` is the number
        of runs at the same time."""
        settings = replace(settings, state_dir=state_dir)
        limits = RunLimits(running=workers, queued=1, kept=KEPT)
        opened = await open_runs(settings, AgentEngine(settings, options=choice.options), limits=limits)
        async with aclosing(open_sandbox(2)) as grader, aclosing(opened) as runs:
            yield cls(runs, grader, choice)


def trials(bench: Harness, jobs: Sequence[Job], workers: int) -> AsyncGenerator[Trial]:
    """Makes the trials, at most `workers` at a time, and yields each as it ends."""
    return together(lambda job: run_trial(bench, job), jobs, workers)


async def run_trial(bench: Harness, job: Job) -> Trial:
    """Makes one run, follows it to its end, and grades each of its programs by the hidden tests. A failure is told in
    the trial and raises nothing."""
    problem, choice = job.problem, bench.choice
    task = Task(problem.task, code=problem.code, files=problem.files)
    model = choice.model_of(job.sample)
    run_id = ""
    # One problem must not help with the next, whatever this machine is set to.
    config = {"memory": False, **choice.config}
    try:
        run_id = await bench.runs.begin(Order(task, config, choice.provider, model), title=job.key)
        report = await bench.runs.ended(run_id)
    except (LLMError, RunError, BadInput) as error:
        return failed(job, run_id, str(error))
    outcome = report.outcome()
    if report.conclusion is None:
        return replace(failed(job, run_id, outcome.verdict_reason), verdict=outcome.verdict or "")
    begun = time.monotonic()
    try:
        graded = {one.id: await is_right(bench.grader, problem, one.code) for one in outcome.attempts}
    except SandboxBroken as error:
        return failed(job, run_id, f"grading failed: {error}")
    return replace(
        _graded(job, outcome, graded),
        model_seconds=round(sum(call.seconds for call in report.calls), 3),
        sandbox_seconds=round(report.sandbox_seconds, 3),
        grading_seconds=round(time.monotonic() - begun, 3),
    )


def _graded(job: Job, outcome: Outcome, graded: Mapping[str, bool]) -> Trial:
    """Returns the trial of a run whose programs are graded, by candidate id."""
    usage, chance = outcome.usage, outcome.evidence.chance
    return Trial(
        key=job.key,
        problem=job.problem.id,
        sample=job.sample,
        verdict=outcome.verdict or "",
        first_correct=next(iter(graded.values()), False),
        final_correct=graded.get(outcome.candidate or "", False),
        any_correct=any(graded.values()),
        attempts=len(graded),
        calls=usage.calls,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        seconds=outcome.seconds,
        run_id=outcome.run_id,
        reason=outcome.verdict_reason,
        quarantined=len(outcome.evidence.quarantined),
        chance=chance.value if chance else None,
    )


def failed(job: Job, run_id: str, why: str) -> Trial:
    """Returns a trial that could not be made, which counts as neither right nor wrong."""
    return Trial(
        key=job.key, problem=job.problem.id, sample=job.sample, verdict="", first_correct=False, final_correct=False,
        any_correct=False, attempts=0, calls=0, input_tokens=0, output_tokens=0, cost_usd=None, seconds=0.0,
        run_id=run_id, error=why,
    )  # fmt: skip
