"""Computes what a run hands back from its events, for every door and the bundle."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from agent.events import (
    AgentEvent,
    CallMade,
    CandidateWritten,
    ChecksRan,
    Diagnosed,
    Judged,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    TaskClassified,
    ToolUsed,
)
from agent.events.conclusion import Attempt, ComesFrom, Conclusion, Evidence, ModelUsage, Outcome, RunUsage, WebSearch
from agent.events.transcript import WEB_SEARCH
from agent.examples.types import TaskKind
from agent.state import FAILED, RunStatus
from agent.state.findings import VerdictWord
from framework.engine import Envelope, Live, Pending, Status

_MAY_CONCLUDE = ("queued", "running", "waiting")


@dataclass(slots=True)
class Report:
    """Collects events, in their order. At any moment it tells the outcome, with all its fields."""

    run_id: str
    last: int = -1
    """The number of the last stored event that was added, if the run is followed; -1 before the first."""
    started: float = 0.0
    ended: float = 0.0
    events: int = 0
    provider: str = ""
    model: str = ""
    scripted: bool = False
    isolation: Mapping[str, str] = field(default_factory=dict[str, str])
    conclusion: Conclusion | None = None
    """What the run concluded with; None while it has not."""
    error: str | None = None
    exit_code: int | None = None
    stopped: bool = False
    kind: TaskKind = "function"
    comes_from: ComesFrom | None = None
    best: str = ""
    """The id of the best candidate so far, as the judge says."""
    attempts: dict[str, Attempt] = field(default_factory=dict[str, Attempt])
    _outcomes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """The latest outcome of each check, by attempt and check."""
    calls: list[CallMade] = field(default_factory=list[CallMade])
    searches: list[WebSearch] = field(default_factory=list[WebSearch])
    sandbox_seconds: float = 0.0
    """Seconds that candidates and their checks took in the sandbox."""

    def take(self, told: Envelope[AgentEvent] | Live[AgentEvent]) -> None:
        """Adds what a run tells to those who follow it. Of live events only a failure that could not be stored is
        added, because the report must show it all the same."""
        if isinstance(told, Envelope):
            self.add(told.event, told.ts)
            self.last = told.seq
        elif isinstance(told.event, RunFailed):
            self.add(told.event, time.time())

    def add(self, event: AgentEvent, at: float) -> None:
        """Adds an event; `at` is its Unix time in seconds."""
        self.events += 1
        self.started = self.started or at
        self.ended = at
        self.stopped = isinstance(event, RunStopped)
        self.error, self.exit_code = (event.error, event.exit_code) if isinstance(event, RunFailed) else (None, None)
        match event:
            case RunStarted():
                self.provider, self.model, self.scripted = event.provider, event.model, event.scripted
                self.isolation, self.comes_from = event.isolation, event.comes_from
            case TaskClassified():
                self.kind = event.task_kind
            case RunFinished():
                self.conclusion = event.conclusion
            case CallMade():
                self.calls.append(event)
            case ToolUsed() if event.tool == WEB_SEARCH:
                self.searches.append(WebSearch(event.arguments["query"], tuple(event.observation.splitlines())))
            case Judged():
                self.best = event.best or self.best
            case CandidateWritten() | ChecksRan() | Diagnosed():
                self._follow(event)
            case _:
                pass

    def _follow(self, event: CandidateWritten | ChecksRan | Diagnosed) -> None:
        match event:
            case CandidateWritten():
                self.attempts[event.candidate] = _attempt(event)
                self._outcomes[event.candidate] = {}
            case ChecksRan():
                self.sandbox_seconds += event.duration_ms / 1000
                outcomes = self._outcomes[event.candidate]
                outcomes.update(event.outcomes)
                passed = sum(word == "pass" for word in outcomes.values())
                failed = sum(word in FAILED for word in outcomes.values())
                self.attempts[event.candidate] = replace(self.attempts[event.candidate], passed=passed, failed=failed)
            case Diagnosed():
                found = {"fault": event.fault, "category": event.category}
                self.attempts[event.candidate] = replace(self.attempts[event.candidate], **found)

    def outcome(self, pending: Pending | None = None, told: Status | None = None) -> Outcome:
        """Returns what the run hands back; of a run that has not concluded, what stands there until it has. `pending`
        is the open question, and `told` is what the manager of runs says: a process that died wrote no event about
        that. Without it the events alone tell how far the run is."""
        status = self._status(told or ("waiting" if pending else None))
        concluded = self.conclusion or self._unfinished(status)
        known: dict[str, Any] = {one.name: getattr(concluded, one.name) for one in fields(Conclusion)}
        known["evidence"] = replace(concluded.evidence, searches=tuple(self.searches))
        written = self.attempts.get(concluded.candidate or "")
        # After a fallback the author is not the model that the run was started with.
        by = written if written and written.provider else self
        return Outcome(
            **known,
            run_id=self.run_id,
            status=status,
            pending=pending,
            comes_from=self.comes_from,
            attempts=tuple(self.attempts.values()),
            usage=self.usage(),
            provider=by.provider,
            model=by.model,
            scripted="scripted demo model" if self.scripted else None,
            events=self.events,
            seconds=round(max(0.0, self.ended - self.started), 3),
            error=self.error,
        )

    def _status(self, told: Status | None) -> RunStatus:
        if self.conclusion:
            return "done"
        if told == "queued" or told == "running" or told == "waiting":
            return told
        if told or self.stopped:
            return "stopped"
        return "done" if self.error else "running" if self.events else "queued"

    def _unfinished(self, status: RunStatus) -> Conclusion:
        why = self.error or {"waiting": "waiting for an answer", "stopped": "stopped"}.get(status, "not finished")
        best = self.attempts.get(self.best) or next(reversed(self.attempts.values()), None)
        return Conclusion(
            verdict=verdict_unconcluded(status),
            verdict_reason=f"the run did not conclude: {why}",
            stop_reason=why,
            answer="",
            candidate=best.id if best else None,
            code=best.code if best else "",
            tests="",
            evidence=Evidence(checks=(), quarantined=(), clauses=(), isolation=self.isolation, confirmed=False),
        )

    def usage(self) -> RunUsage:
        return RunUsage(
            **asdict(usage_of(self.calls)),
            by_role=_grouped(self.calls, lambda call: call.role),
            by_model=_grouped(self.calls, lambda call: f"{call.provider}:{call.model}"),
        )


def verdict_unconcluded(status: Status) -> VerdictWord | None:
    """Returns the verdict on a run that has not concluded, for every door: None while it may still conclude, and
    `unverified` once it was stopped or broke off."""
    return None if status in _MAY_CONCLUDE else "unverified"


def report_of(run_id: str, envelopes: Iterable[Envelope[AgentEvent]]) -> Report:
    """Returns the report of the stored events of a run."""
    report = Report(run_id)
    for envelope in envelopes:
        report.take(envelope)
    return report


def _attempt(event: CandidateWritten) -> Attempt:
    return Attempt(
        id=event.candidate,
        kind=event.attempt,
        parent=event.parent,
        strategy=event.strategy,
        code=event.code,
        diff=event.diff,
        provider=event.provider,
        model=event.model,
        passed=0,
        failed=0,
        fault=None,
        category=None,
    )


def _grouped(calls: list[CallMade], name: Callable[[CallMade], str]) -> Mapping[str, ModelUsage]:
    names = dict.fromkeys(name(call) for call in calls)
    return {each: usage_of([call for call in calls if name(call) == each]) for each in names}


def usage_of(calls: Sequence[CallMade]) -> ModelUsage:
    """Returns what these calls took together."""
    costs = [call.cost_usd for call in calls]
    known = [cost for cost in costs if cost is not None]
    return ModelUsage(
        calls=sum(call.attempts for call in calls),
        input_tokens=sum(call.input_tokens or 0 for call in calls),
        output_tokens=sum(call.output_tokens or 0 for call in calls),
        cost_usd=round(sum(known), 6) if len(known) == len(costs) else None,
    )
