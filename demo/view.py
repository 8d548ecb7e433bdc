"""What the screen knows about a run: a frozen record, and the pure fold that grows it from events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, assert_never

from agent.events import (
    AgentEvent,
    CallMade,
    CandidateWritten,
    CheckListed,
    CheckRuled,
    ChecksRan,
    CriticSpoke,
    Diagnosed,
    Judged,
    LessonsLearned,
    MemoryRecalled,
    MutationMeasured,
    NodeFinished,
    NodeStarted,
    Noted,
    PlanMade,
    QuestionAnswered,
    QuestionAsked,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    SuiteWritten,
    TaskClassified,
    TextStreamed,
    ToolUsed,
    TournamentHeld,
)
from agent.narrate import Step
from agent.parts import Brought
from agent.state import Tier

from .timeline_steps import close_all, close_node, describe

Phase = Literal["new", "running", "waiting", "finished", "failed", "stopped"]
STREAM_KEPT = 6000
"""Characters of a reply in the making that stay on the screen."""


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything the panels show. Facts are the events themselves; nothing here is guessed."""

    started: RunStarted | None = None
    brief: TaskClassified | None = None
    plan: str = ""
    suites: tuple[SuiteWritten, ...] = ()
    candidates: tuple[CandidateWritten, ...] = ()
    executions: tuple[ChecksRan, ...] = ()
    rulings: tuple[CheckRuled, ...] = ()
    diagnoses: tuple[Diagnosed, ...] = ()
    lessons: tuple[str, ...] = ()
    recalled: tuple[Brought, ...] = ()
    """What earlier runs learned."""
    tools: tuple[ToolUsed, ...] = ()
    calls: tuple[CallMade, ...] = ()
    tiers: Mapping[str, Tier] = field(default_factory=dict[str, Tier])
    best: str | None = None
    mutation: MutationMeasured | None = None
    question: QuestionAsked | None = None
    """The pause that waits for the person, if any."""
    streaming: Mapping[str, str] = field(default_factory=dict[str, str])
    """Role -> the tail of the reply it is writing now."""
    active: tuple[str, ...] = ()
    """Nodes at work."""
    steps: tuple[Step, ...] = ()
    outcome: Mapping[str, Any] | None = None
    error: str = ""
    exit_code: int | None = None
    halted: bool = False
    """The engine no longer works on it although it did not end (stopped, or the process died)."""

    @property
    def phase(self) -> Phase:
        if self.error:
            return "failed"
        if self.outcome is not None:
            return "finished"
        if self.halted:
            return "stopped"
        if self.question is not None:
            return "waiting"
        return "new" if self.started is None and not self.steps else "running"

    @property
    def scripted(self) -> bool:
        return self.started is not None and self.started.scripted

    @property
    def checks(self) -> tuple[tuple[SuiteWritten, CheckListed], ...]:
        return tuple((suite, check) for suite in self.suites for check in suite.checks)

    @property
    def quarantined(self) -> Mapping[str, str]:
        """Check id -> why it was set aside: found wrong, or undecidable. The latest ruling counts."""
        latest = {ruling.check: ruling for ruling in self.rulings if ruling.by != "debugger"}
        return {check: ruling.reason for check, ruling in latest.items() if ruling.fault in ("test", "task")}

    def candidate(self, name: str | None) -> CandidateWritten | None:
        return next((one for one in reversed(self.candidates) if one.candidate == name), None)


def fold(view: RunView, event: AgentEvent, at: float = 0.0) -> RunView:
    """The view after `event`, which happened `at` seconds after the run began."""
    grown = _facts(view, event)
    if isinstance(event, NodeFinished):
        return replace(grown, steps=close_node(grown.steps, event))
    step = describe(event, at, view.active)
    kept = close_all(grown.steps) if isinstance(event, RunFinished | RunFailed | RunStopped) else grown.steps
    return replace(grown, steps=kept if step is None else (*kept, step))


def fold_all(events: Iterable[AgentEvent], view: RunView | None = None) -> RunView:
    view = view or RunView()
    for event in events:
        view = fold(view, event)
    return view


def _facts(view: RunView, event: AgentEvent) -> RunView:
    match event:
        case RunStarted() | RunFinished() | RunFailed() | RunStopped():
            return _life(view, event)
        case NodeStarted() | NodeFinished() | TextStreamed() | CallMade():
            return _flow(view, event)
        case TaskClassified() | PlanMade() | SuiteWritten() | CandidateWritten() | LessonsLearned() | MemoryRecalled():
            return _written(view, event)
        case ChecksRan() | CheckRuled() | Judged() | Diagnosed() | ToolUsed() | MutationMeasured():
            return _found(view, event)
        case QuestionAsked():
            return replace(view, question=event)
        case QuestionAnswered():
            return replace(view, question=None, halted=False)
        case TournamentHeld() | CriticSpoke() | Noted():
            return view
        case _:
            assert_never(event)


def _life(view: RunView, event: RunStarted | RunFinished | RunFailed | RunStopped) -> RunView:
    match event:
        case RunStarted():
            return replace(view, started=event, halted=False)
        case RunFinished():
            return replace(view, outcome=event.outcome, active=(), streaming={}, question=None)
        case RunFailed():
            return replace(view, error=event.error, exit_code=event.exit_code, active=(), streaming={}, question=None)
        case RunStopped():
            return replace(view, halted=True, active=(), streaming={})
        case _:
            assert_never(event)


def _flow(view: RunView, event: NodeStarted | NodeFinished | TextStreamed | CallMade) -> RunView:
    match event:
        case NodeStarted():
            # A run that was stopped or failed goes on from here: what it ended with no longer holds.
            return replace(
                view, active=(*view.active, event.node), outcome=None, error="", exit_code=None, halted=False
            )
        case NodeFinished():
            rest = list(view.active)
            if event.node in rest:
                rest.remove(event.node)
            return replace(view, active=tuple(rest))
        case TextStreamed():
            tail = (view.streaming.get(event.role, "") + event.text)[-STREAM_KEPT:]
            return replace(view, streaming={**view.streaming, event.role: tail})
        case CallMade():
            others = {role: text for role, text in view.streaming.items() if role != event.role}
            return replace(view, calls=(*view.calls, event), streaming=others)
        case _:
            assert_never(event)


def _written(
    view: RunView, event: TaskClassified | PlanMade | SuiteWritten | CandidateWritten | LessonsLearned | MemoryRecalled
) -> RunView:
    match event:
        case TaskClassified():
            return replace(view, brief=event)
        case PlanMade():
            return replace(view, plan=event.plan)
        case SuiteWritten():
            return replace(view, suites=(*view.suites, event))
        case CandidateWritten():
            return replace(view, candidates=(*view.candidates, event))
        case LessonsLearned():
            return replace(view, lessons=event.lessons)
        case MemoryRecalled():
            return replace(view, recalled=event.recalled)
        case _:
            assert_never(event)


def _found(view: RunView, event: ChecksRan | CheckRuled | Judged | Diagnosed | ToolUsed | MutationMeasured) -> RunView:
    match event:
        case ChecksRan():
            return replace(view, executions=(*view.executions, event))
        case CheckRuled():
            return replace(view, rulings=(*view.rulings, event))
        case Judged():
            return replace(view, best=event.best, tiers={**view.tiers, **event.tiers})
        case Diagnosed():
            return replace(view, diagnoses=(*view.diagnoses, event))
        case ToolUsed():
            return replace(view, tools=(*view.tools, event))
        case MutationMeasured():
            return replace(view, mutation=event)
        case _:
            assert_never(event)
