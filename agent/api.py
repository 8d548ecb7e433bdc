"""The agent as a Python call, `solve`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from framework.engine import Envelope
from framework.settings import Settings

from .conclusion import Outcome
from .engine import spec_of
from .events import AgentEvent
from .outcome.report import Report
from .runs import open_runs
from .state import Task


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
    async with aclosing(await open_runs(settings)) as runs:
        run_id = await runs.begin(spec)
        report = Report(run_id)
        async for told in runs.follow(run_id):
            report.take(told)
            if on_event and isinstance(told, Envelope):
                on_event(told.event)
        return report.outcome(await runs.pending(run_id))


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
