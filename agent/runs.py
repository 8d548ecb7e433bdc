"""The manager of the agent's runs. The app, the command line, the Python API and the worker begin and follow runs with
it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from framework.drive import Driver
from framework.engine import Engine, Envelope, Live, Observer
from framework.errors import UnknownRun
from framework.follow import past_outage
from framework.runs import Runs
from framework.settings import RunLimits, Settings
from framework.storage.store import Store
from framework.tracing import start_tracing
from framework.visitors import KEPT_S
from framework.workers.crew import RedisCrew
from framework.workers.relay import Relay

from . import models
from .engine import AgentEngine, spec_of
from .events import AgentEvent
from .events.codec import stored_events
from .events.conclusion import Outcome
from .outcome.bundle import build as build_bundle
from .outcome.report import Report, report_of
from .task.followups import continued, forked
from .task.order import Order
from .task.reply import PersonReply
from .task.request import BadInput
from .task.spec import RunSpec

TRACED = ("node", "role", "provider", "model", "status", "fault", "category", "decision", "tool", "conclusion.verdict")
"""Names of event fields that a trace may carry. Nothing else is sent to the tracing service."""
_KEY_PAUSE = 5.0
"""The seconds between two looks whether a run with a visitor's key has ended."""
_KEY_LOOKS = int(KEPT_S / _KEY_PAUSE)
"""The number of those looks. A person's key is forgotten with the end of its run, or after KEPT_S."""


class AgentRuns(Runs[AgentEvent]):
    """Begins and follows runs. Closing it also closes engine, sandbox and tracing."""

    end_tracing: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, store: Store, engine: Engine[AgentEvent], driver: Driver[AgentEvent], limits: RunLimits) -> None:
        super().__init__(store, engine, driver, limits)
        self._forgetting: set[asyncio.Task[None]] = set()

    async def begin(self, order: Order, *, title: str = "") -> str:
        """Starts a run and returns its id, which is listed under `title`, "" for the first line of the task. Raises
        BadInput, NoProvider, NoScenario, UnknownRun, and what `Runs.submit` raises."""
        key_id = await self.engine.lend_key(order.key) if order.key else ""
        try:
            spec = await self.store.do(self._spec_of, order, key_id)
            spec = _remembering(spec, somebodys=order.is_somebodys, asked=bool(order.options.get("memory")))
            run_id = await self._begin(spec, order.owner, title, run_id=key_id or None)
        except BaseException:
            if key_id:
                await self.engine.forget_key(key_id)
            raise
        if key_id:
            self._forget_later(run_id)
        return run_id

    def _spec_of(self, order: Order, key_id: str) -> RunSpec:
        """Returns the spec of a new task, of a follow-up, or of a fork. Raises UnknownRun, BadInput."""
        if order.attempt is not None:
            return replace(forked(self.store, order.parent, order.attempt, order.task), key_id=key_id)
        task = continued(self.store, order.parent, order.task) if order.parent else order.task
        return spec_of(self.engine.settings, replace(order, task=task), key_id)

    async def again(self, run_id: str, owner: str) -> str:
        """Starts once more what a run was asked to do, for an owner, and returns the new run's id. Raises UnknownRun,
        and what `begin` raises."""
        return await self._begin(_remembering(await self.spec(run_id), somebodys=bool(owner)), owner)

    async def _begin(self, spec: RunSpec, owner: str, title: str = "", run_id: str | None = None) -> str:
        scripted = models.is_scripted(self.engine.settings, spec.provider)
        return await self.submit(
            spec.as_json(), title=title or spec.title, run_id=run_id, scripted=scripted, owner=owner
        )

    def _forget_later(self, run_id: str) -> None:
        task = asyncio.create_task(self._forget_key(run_id), name=f"forget the key of {run_id}")
        self._forgetting.add(task)
        task.add_done_callback(self._forgetting.discard)

    async def _forget_key(self, run_id: str) -> None:
        """Forgets a run's key once the run is done or KEPT_S have passed. It does not do so when this process ends,
        because a worker may still need the key."""
        with suppress(UnknownRun):
            for _ in range(_KEY_LOOKS):
                if await past_outage(partial(self.status, run_id)) == "done":
                    break
                await asyncio.sleep(_KEY_PAUSE)
        await past_outage(partial(self.engine.forget_key, run_id))

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
        for task in self._forgetting:
            task.cancel()
        await super().aclose()
        await self.engine.aclose()
        self.end_tracing()

    @property
    def engine(self) -> AgentEngine:
        assert isinstance(self._engine, AgentEngine)
        return self._engine


def _remembering(spec: RunSpec, *, somebodys: bool, asked: bool = False) -> RunSpec:
    """Returns the spec without memory if the run is nobody's, because one stranger would then read what another's runs
    learned. Raises BadInput if memory was `asked` for all the same."""
    if somebodys:
        return spec
    if asked:
        raise BadInput("lessons are remembered for somebody: show an API key, sign in, or use the page")
    return replace(spec, config=replace(spec.config, memory=False))


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
