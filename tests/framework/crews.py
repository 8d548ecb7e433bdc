"""Runs that one manager submits and others drive."""

from __future__ import annotations

from typing import Any

from framework.runs import Runs

from .steps import Open, texts
from .toy import Happened


class Woken:
    """A crew that only notes whom it was to wake."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    def join(self, bus: Any) -> None: ...

    def wake(self, run_id: str) -> None:
        self.runs.append(run_id)

    async def aclose(self) -> None: ...


async def app_for_workers(opened: Open, **options: Any) -> tuple[Runs[Happened], Woken]:
    runs, crew = await opened(**options), Woken()
    runs.leave_to(crew)
    return runs, crew


async def done(runs: Runs[Happened], run_id: str) -> list[str]:
    events = await texts(runs, run_id)
    assert await runs.status(run_id) == "done"
    return events
