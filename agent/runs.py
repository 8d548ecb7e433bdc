"""The manager of the agent's runs. The app, the command line, the Python API and the worker begin and follow runs with
it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from framework.engine import Envelope, Live, Observer
from framework.runs import Runs
from framework.settings import RunLimits, Settings
from framework.tracing import start_tracing
from framework.workers.crew import RedisCrew
from framework.workers.relay import Relay

from . import models
from .engine import AgentEngine
from .events import AgentEvent
from .events.codec import stored_events
from .events.conclusion import Outcome
from .outcome.bundle import build as build_bundle
from .outcome.report import Report, report_of
from .task.reply import PersonReply
from .task.spec import RunSpec

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

    async def reply(self, run_id: str, question_id: str, reply: PersonReply) -> None:
        """Answers an open question and continues the run. Raises what `Runs.answer` raises."""
        await self.answer(run_id, question_id, reply.as_json())

    async def ended(
        self, run_id: str, report: Report | None = None, tell: Callable[[AgentEvent, bool], None] | None = None
    ) -> Report:
        """Follows the run until it ends, asks or is stopped, and returns the report of its events. A `report` that an
        earlier call returned is continued. `tell` is called with each event, and with whether it is only sent live and
        never stored. Raises UnknownRun, StoreError."""
        report = report or Report(run_id)
        async for told in self.follow(run_id, report.last):
            report.take(told)
            if tell:
                tell(told.event, isinstance(told, Live))
        return report

    async def events(self, run_id: str) -> list[Envelope[AgentEvent]]:
        """Returns every stored event of a run, in order."""
        return await self.store.do(stored_events, self.store, run_id)

    async def spec(self, run_id: str) -> RunSpec:
        """Returns what a run was asked to do. Raises UnknownRun."""
        return RunSpec.from_json((await self.known_row(run_id)).spec)

    async def outcome(self, run_id: str) -> Outcome:
        """Returns the outcome of a run as it stands. Raises UnknownRun."""
        status = await self.status(run_id)
        pending = await self.pending(run_id) if status == "waiting" else None
        return report_of(run_id, await self.events(run_id)).outcome(pending, status)

    async def bundle(self, run_id: str, extra: Mapping[str, bytes] | None = None) -> bytes:
        """Returns a run as a ZIP to take away, with further files in it. Raises UnknownRun."""
        outcome, spec = await self.outcome(run_id), await self.spec(run_id)
        left = await self.store.do(self.store.blobs.all, run_id)
        return build_bundle(outcome, await self.events(run_id), left, task=spec.task, extra=extra)

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
