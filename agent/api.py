"""The agent as a Python call, `solve`, and the types of what it returns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from framework.engine import Envelope
from framework.settings import Settings

from .engine import spec_of
from .events import AgentEvent
from .findings import Scaling, Standing
from .runs import Told, open_runs
from .state import Origin, RunStatus, Task, Tier
from .steps import Brought, VerdictWord
from .trust import Chance


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEvidence:
    """One check, and how it ended on the returned program."""

    name: str
    tier: Tier
    origin: Origin
    outcome: str
    """pass | fail | error | timeout | not_run | skipped, or "not executed"."""
    message: str
    held_out: bool
    """Whether the check was never shown to a repair prompt."""
    sentence: str
    """The sentence of the task that the check follows from, if its author quoted one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A check that was found wrong or undecidable, and therefore does not count."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseEvidence:
    """A demand of the task besides its examples."""

    text: str
    kind: str
    standing: Standing
    checked_by: str | None
    """What was looked at, run or measured; None when nothing was decided."""
    note: str
    """Why nothing was decided; "" when something was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEvidence:
    """One of several steps of the task, with a verdict of its own."""

    task: str
    verdict: VerdictWord
    reason: str
    left: tuple[str, ...]
    """Files and values that the step had to leave behind, as they were found."""
    reopened: str
    """Why the step was done again; "" when it was done once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How many inputs independent programs answered equally, differently, or with no answer."""

    equal: int
    different: int
    no_answer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationScore:
    killed: int
    total: int
    survivors: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The counted facts behind a verdict; docs/trust.md says what each is worth."""

    checks: tuple[CheckEvidence, ...]
    quarantined: tuple[SetAside, ...]
    clauses: tuple[ClauseEvidence, ...]
    isolation: Mapping[str, str]
    """Axis -> what the sandbox kept on this machine."""
    confirmed: bool
    """Whether the pass was repeated with program and tests in separate processes."""
    compared: Compared | None = None
    mutation: MutationScore | None = None
    coverage: Mapping[str, Any] | None = None
    scaling: Scaling | None = None
    chance: Chance | None = None
    packages: tuple[str, ...] = ()
    """What was installed for the program."""
    style: str = ""
    """What a formatter changed in the program, or why it changed nothing."""
    overfit: str = ""
    unnamed: tuple[str, ...] = ()
    """Sentences of the task that no example, no passed check and no clause is known to cover."""
    assumptions: tuple[str, ...] = ()
    script_output: str = ""
    script: Mapping[str, Any] | None = None
    searches: tuple[Mapping[str, Any], ...] = ()
    """Web searches that model services made: the `query` and what was `found`. They confirm nothing."""
    memory: tuple[Brought, ...] = ()
    """What was recalled from earlier runs."""
    steps: tuple[StepEvidence, ...] = ()
    """The steps, if the task was done in several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One program of the run."""

    id: str
    kind: str
    parent: str | None
    strategy: str
    code: str
    diff: str
    provider: str
    model: str
    passed: int
    failed: int
    fault: str | None
    category: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a run, equal to the object that the command line prints with --json."""

    run_id: str
    status: RunStatus
    verdict: VerdictWord | None
    """None while the run may still conclude: it waits for an answer."""
    verdict_reason: str
    stop_reason: str
    answer: str
    """A few sentences for the person."""
    candidate: str | None
    """Id of the attempt that is returned; None without one."""
    code: str
    tests: str
    evidence: Evidence
    attempts: tuple[Attempt, ...]
    usage: Mapping[str, Any]
    """calls, input_tokens, output_tokens and cost_usd (None when a price is unknown), also by role and by model."""
    provider: str
    model: str
    """The author of the returned program is `provider` with `model`."""
    events: int
    seconds: float
    error: str | None
    """Why the engine itself failed; None when it did not."""
    pending: Mapping[str, Any] | None
    """The open question of a waiting run: id, kind, payload."""
    scripted: str | None
    comes_from: Mapping[str, Any] | None
    artifacts: tuple[Mapping[str, Any], ...]
    files: Mapping[str, str] | None = None
    """Path -> source, if the program has several files."""
    diff: str = ""
    """Unified diff to the code that came with the task."""
    explanation: str = ""
    """The answer, if the task asked to explain code."""
    budget_reached: bool = False


_outcome: TypeAdapter[Outcome] = TypeAdapter(Outcome)


def outcome_from(told: Mapping[str, Any]) -> Outcome:
    """Returns the outcome of a --json object. Raises pydantic.ValidationError for another object."""
    return _outcome.validate_python(told)


async def solve_async(
    task: Task | str,
    *,
    provider: str | None = None,
    model: str | None = None,
    settings: Settings | None = None,
    on_event: Callable[[AgentEvent], None] | None = None,
    **options: Any,
) -> Outcome:
    """Makes one run and waits until it ends or asks a question; returns its outcome.

    `settings` defaults to those of the environment. `on_event` is called with each stored event. `options` holds fields
    of AgentConfig. Raises BadInput for a task or options that cannot be worked on, LLMError and FrameworkError when no
    run can be made; each message is one line. A run that fails later raises nothing: `Outcome.error` says why."""
    task = Task(task) if isinstance(task, str) else task
    settings = settings or Settings.from_env()
    spec = spec_of(settings, task, options, provider=provider, model=model)
    runs = await open_runs(settings)
    try:
        run_id = await runs.begin(spec)
        report = await runs.follow(run_id, partial(_pass_on, on_event) if on_event else None)
        pending = await runs.pending(run_id)
        return outcome_from(report.as_json(pending))
    finally:
        await runs.aclose()


def _pass_on(on_event: Callable[[AgentEvent], None], told: Told) -> None:
    if isinstance(told, Envelope):
        on_event(told.event)


def solve(
    task: Task | str,
    *,
    provider: str | None = None,
    model: str | None = None,
    settings: Settings | None = None,
    on_event: Callable[[AgentEvent], None] | None = None,
    **options: Any,
) -> Outcome:
    """Does what `solve_async` does, for code outside an event loop. Raises RuntimeError inside one."""
    if _in_event_loop():
        raise RuntimeError("there is a running event loop: await solve_async() in place of solve()")
    run = solve_async(task, provider=provider, model=model, settings=settings, on_event=on_event, **options)
    return asyncio.run(run)


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
