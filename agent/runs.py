"""The manager of the agent's runs. The app, the command line, the Python API and the worker begin and follow runs with
it."""

from __future__ import annotations

from collections.abc import Callable

from framework.crew import RedisCrew
from framework.engine import Observer
from framework.relay import Relay
from framework.runs import Runs
from framework.settings import RunLimits, Settings
from framework.tracing import start_tracing

from . import models
from .engine import AgentEngine
from .events import AgentEvent
from .outcome.report import Report
from .spec import RunSpec

TRACED = ("node", "role", "provider", "model", "status", "fault", "category", "decision", "tool", "outcome.verdict")
"""Names of event fields that a trace may carry. Nothing else is sent to the tracing service."""


class AgentRuns(Runs[AgentEvent]):
    """Begins and follows runs. Closing it also closes engine, sandbox and tracing."""

    end_tracing: Callable[[], None] = staticmethod(lambda: None)

    async def begin(self, spec: RunSpec, *, title: str = "", run_id: str | None = None, owner: str = "") -> str:
        """Starts a run and returns its id. `title` defaults to the first line of the task. Raises BadInput, NoScenario,
        and what `Runs.submit` raises."""
        scripted = models.is_scripted(self.engine.settings, spec.provider)
        return await self.submit(
            spec.as_json(), title=title or spec.title, run_id=run_id, scripted=scripted, owner=owner
        )

    async def ended(self, run_id: str) -> Report:
        """Follows the run until it ends, asks or is stopped, and returns the report of its events. Raises UnknownRun,
        StoreError."""
        report = Report(run_id)
        async for told in self.follow(run_id):
            report.take(told)
        return report

    async def aclose(self) -> None:
        await super().aclose()
        await self.engine.aclose()
        self.end_tracing()

    @property
    def engine(self) -> AgentEngine:
        assert isinstance(self._engine, AgentEngine)
        return self._engine


async def open_runs(
    settings: Settings,
    engine: AgentEngine | None = None,
    *,
    limits: RunLimits | None = None,
    to_workers: bool = False,
    observer: Observer | None = None,
) -> AgentRuns:
    """Opens the manager of this process's runs; closing it closes the engine's sandbox. If `to_workers` and REDIS_URL
    are set, worker processes drive the runs. `observer` is told what the runs driven here do, besides the tracing.
    Raises StoreError, and SettingsError when tracing or Redis cannot be set up."""
    engine = engine or AgentEngine(settings)
    spans, end_tracing = start_tracing(settings.tracing, labels=TRACED, steps=("node_started", "node_finished"))
    runs = await AgentRuns.open(
        settings.state_dir,
        engine,
        limits=limits or settings.runs,
        observers=[one for one in (spans, observer) if one is not None],
        redact=engine.redactor.data,
        database_url=settings.database_url,
    )
    runs.end_tracing = end_tracing
    if to_workers and (url := settings.redis_url):
        runs.leave_to(RedisCrew(url, Relay(url, engine, engine.redactor.data)))
    return runs
