"""The agent as a Python call, `solve`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Unpack

from framework.engine import Pending
from framework.settings import Settings

from . import models
from .config import RunOptions
from .events import AgentEvent
from .events.conclusion import Outcome
from .runs import AgentRuns, open_runs
from .state import Task
from .task.order import Order
from .task.reply import PersonReply

Decide = Callable[[Pending], PersonReply | None]
"""Answers a question of the run; None leaves it open."""


async def solve_async(
    task: Task | str,
    *,
    provider: str | None = None,
    model: str | None = None,
    settings: Settings | None = None,
    on_event: Callable[[AgentEvent], None] | None = None,
    on_question: Decide | None = None,
    **options: Unpack[RunOptions],
) -> Outcome:
    """Makes one run, waits until it ends or asks a question that nobody answers, and returns its outcome.

    `settings` defaults to those of the environment. `on_event` is called with each stored event, and `on_question` with
    each question. Raises one of REFUSALS when no run can be made, such as BadInput for a task or an option and
    NoProvider where no model can be asked; each message is one line. A run that fails later raises nothing:
    `Outcome.error` says why."""
    task = Task(task) if isinstance(task, str) else task
    settings = settings or Settings.from_env()
    order = Order(task, options, provider, model, on_this_machine=True)
    await models.choose(settings, provider, model, task=task)  # a run that can ask nobody is not begun

    def tell(event: AgentEvent, live: bool) -> None:
        if on_event and not live:
            on_event(event)

    async with aclosing(await open_runs(settings)) as runs:
        run_id = await runs.begin(order)
        report = await runs.ended(run_id, tell=tell)
        while (pending := await runs.pending(run_id)) and on_question and (reply := on_question(pending)):
            await runs.reply(run_id, pending.id, reply)
            report = await runs.ended(run_id, report, tell)
        return await _with_contents(runs, report.outcome(pending))


async def _with_contents(runs: AgentRuns, outcome: Outcome) -> Outcome:
    """Returns the outcome with the content of each file that the program left behind."""
    stored = await runs.store.do(runs.store.blobs.all, outcome.run_id)
    files = (replace(one, data=stored[one.name][1]) if one.name in stored else one for one in outcome.artifacts)
    return replace(outcome, artifacts=tuple(files))


def solve(
    task: Task | str,
    *,
    provider: str | None = None,
    model: str | None = None,
    settings: Settings | None = None,
    on_event: Callable[[AgentEvent], None] | None = None,
    on_question: Decide | None = None,
    **options: Unpack[RunOptions],
) -> Outcome:
    """Does what `solve_async` does, for code outside an event loop. Raises RuntimeError inside one."""
    if _in_event_loop():
        raise RuntimeError("there is a running event loop: await solve_async() in place of solve()")
    return asyncio.run(
        solve_async(
            task,
            provider=provider,
            model=model,
            settings=settings,
            on_event=on_event,
            on_question=on_question,
            **options,
        )
    )


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
