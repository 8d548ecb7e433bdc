"""Holds what the screen knows about a run: a frozen record, and the pure fold that grows it from events.

An event changes facts of the run, the timeline, or both. A line of the timeline belongs to the box at whose work it was
told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from agent.events import (
    AgentEvent,
    CallMade,
    CandidateWritten,
    CheckListed,
    CheckRuled,
    ChecksRan,
    Diagnosed,
    Judged,
    LessonsLearned,
    MemoryRecalled,
    MutationMeasured,
    NodeFinished,
    NodeStarted,
    QuestionAnswered,
    QuestionAsked,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    SuiteWritten,
    TaskClassified,
    TextStreamed,
)
from agent.events.conclusion import Brought, Conclusion
from agent.outcome.narrate import TimelineEntry, timeline_entry_of
from agent.state import Tier
from framework.engine import Envelope


def close_node(entries: tuple[TimelineEntry, ...], event: NodeFinished) -> tuple[TimelineEntry, ...]:
    """Returns the lines of the timeline after the node finished: its oldest heading that is still open is marked as
    done."""
    for index, entry in enumerate(entries):
        if entry.node == event.node and entry.seconds is None and entry.tone in ("busy", "done"):
            return (*entries[:index], replace(entry, tone="done", seconds=event.seconds), *entries[index + 1 :])
    return entries


def close_all(entries: tuple[TimelineEntry, ...]) -> tuple[TimelineEntry, ...]:
    """Returns the lines of a run that ended, without any heading in progress. A box that was cut off says so; the box
    that ends a run is done."""
    return tuple(_closed(entry) if entry.tone == "busy" else entry for entry in entries)


def _closed(entry: TimelineEntry) -> TimelineEntry:
    if entry.node == "conclude":
        return replace(entry, tone="done")
    return replace(entry, tone="plain", note="not finished")


def describe(event: AgentEvent, at: float, active: Sequence[str] = ()) -> TimelineEntry | None:
    """Returns the line of an event that is told while the boxes `active` work; None for an event that only changes
    other lines."""
    entry = timeline_entry_of(event)
    if entry is None:
        return None
    inner = entry.shape not in ("node", "start", "end")
    return replace(entry, at=at, within=_owner(event, active) if inner else "")


def _owner(event: AgentEvent, active: Sequence[str]) -> str:
    """Returns the box to whose work an event belongs. If several are at work, the author of the event tells which."""
    author = _author(event)
    own = [node for node in active if node in _WORK_OF.get(author, ())]
    return next(iter(own or reversed(active)), "")


def _author(event: AgentEvent) -> str:
    match event:
        case CallMade():
            return event.role
        case SuiteWritten():
            return {"spec": "spec_tester", "adversary": "adversarial_tester"}.get(event.origin, "")
        case CandidateWritten():
            return "generator"
        case _:
            return ""


_WORK_OF = {
    "spec_tester": ("write_spec_tests",),
    "generator": ("write_code", "repair", "second_attempt"),
    "adversarial_tester": ("write_adversarial_tests",),
}


Lifecycle = Literal["new", "running", "waiting", "finished", "failed", "stopped"]
STREAM_KEPT = 6000
"""The last characters of a reply in the making that stay on the screen."""


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything that the panels show. Its facts are the events themselves, and nothing is guessed."""

    started: RunStarted | None = None
    brief: TaskClassified | None = None
    suites: tuple[SuiteWritten, ...] = ()
    candidates: tuple[CandidateWritten, ...] = ()
    executions: tuple[ChecksRan, ...] = ()
    rulings: tuple[CheckRuled, ...] = ()
    diagnoses: tuple[Diagnosed, ...] = ()
    lessons: tuple[str, ...] = ()
    recalled: tuple[Brought, ...] = ()
    """What earlier runs learned."""
    calls: tuple[CallMade, ...] = ()
    tiers: Mapping[str, Tier] = field(default_factory=dict[str, Tier])
    best: str | None = None
    mutation: MutationMeasured | None = None
    question: QuestionAsked | None = None
    """The question of the pause that waits for the person; None without one."""
    streaming: Mapping[str, str] = field(default_factory=dict[str, str])
    """The end of the reply that each role is writing now, by role."""
    active: tuple[str, ...] = ()
    """The nodes at work."""
    timeline: tuple[TimelineEntry, ...] = ()
    conclusion: Conclusion | None = None
    error: str = ""
    halted: bool = False
    """Whether the engine no longer works on the run although the run has not ended: it was stopped, or its process
    died."""

    @property
    def lifecycle(self) -> Lifecycle:
        """How far the run is by its events alone."""
        if self.error:
            return "failed"
        if self.conclusion is not None:
            return "finished"
        if self.halted:
            return "stopped"
        if self.question is not None:
            return "waiting"
        return "new" if self.started is None and not self.timeline else "running"

    @property
    def scripted(self) -> bool:
        return self.started is not None and self.started.scripted

    @property
    def checks(self) -> tuple[tuple[SuiteWritten, CheckListed], ...]:
        return tuple((suite, check) for suite in self.suites for check in suite.checks)

    @property
    def quarantined(self) -> Mapping[str, str]:
        """Why each check was set aside, by check id: it was found wrong, or undecidable. The latest ruling counts."""
        latest = {ruling.check: ruling for ruling in self.rulings}
        return {check: ruling.reason for check, ruling in latest.items() if ruling.fault in ("test", "task")}

    def candidate(self, name: str | None) -> CandidateWritten | None:
        return next((one for one in reversed(self.candidates) if one.candidate == name), None)


def fold(view: RunView, event: AgentEvent, at: float = 0.0) -> RunView:
    """Returns the view after `event`, which happened `at` seconds after the run began."""
    change = FACTS.get(type(event))
    grown = change(view, event) if change else view
    if isinstance(event, NodeFinished):
        return replace(grown, timeline=close_node(grown.timeline, event))
    entry = describe(event, at, view.active)
    kept = close_all(grown.timeline) if isinstance(event, RunFinished | RunFailed | RunStopped) else grown.timeline
    return replace(grown, timeline=kept if entry is None else (*kept, entry))


def view_of(envelopes: Sequence[Envelope[AgentEvent]]) -> RunView:
    """Returns the view after the stored events, each at its time since the first."""
    view = RunView()
    for envelope in envelopes:
        view = fold(view, envelope.event, envelope.ts - envelopes[0].ts)
    return view


def _node_started(view: RunView, event: NodeStarted) -> RunView:
    """Adds the node to those at work. A run that was stopped or failed goes on here, so how it had ended no longer
    holds."""
    return replace(view, active=(*view.active, event.node), conclusion=None, error="", halted=False)


def _node_finished(view: RunView, event: NodeFinished) -> RunView:
    rest = list(view.active)
    if event.node in rest:
        rest.remove(event.node)
    return replace(view, active=tuple(rest))


def _text_streamed(view: RunView, event: TextStreamed) -> RunView:
    tail = (view.streaming.get(event.role, "") + event.text)[-STREAM_KEPT:]
    return replace(view, streaming={**view.streaming, event.role: tail})


def _call_made(view: RunView, event: CallMade) -> RunView:
    others = {role: text for role, text in view.streaming.items() if role != event.role}
    return replace(view, calls=(*view.calls, event), streaming=others)


_OVER: Mapping[str, Any] = {"active": (), "streaming": {}}
"""The fields of a view once nobody is at work any more."""
FACTS: Mapping[type, Callable[[RunView, Any], RunView]] = {
    RunStarted: lambda view, event: replace(view, started=event, halted=False),
    RunFinished: lambda view, event: replace(view, conclusion=event.conclusion, question=None, **_OVER),
    RunFailed: lambda view, event: replace(view, error=event.error, question=None, **_OVER),
    RunStopped: lambda view, _: replace(view, halted=True, **_OVER),
    NodeStarted: _node_started,
    NodeFinished: _node_finished,
    TextStreamed: _text_streamed,
    CallMade: _call_made,
    TaskClassified: lambda view, event: replace(view, brief=event),
    SuiteWritten: lambda view, event: replace(view, suites=(*view.suites, event)),
    CandidateWritten: lambda view, event: replace(view, candidates=(*view.candidates, event)),
    LessonsLearned: lambda view, event: replace(view, lessons=event.lessons),
    MemoryRecalled: lambda view, event: replace(view, recalled=event.recalled),
    ChecksRan: lambda view, event: replace(view, executions=(*view.executions, event)),
    CheckRuled: lambda view, event: replace(view, rulings=(*view.rulings, event)),
    Judged: lambda view, event: replace(view, best=event.best, tiers={**view.tiers, **event.tiers}),
    Diagnosed: lambda view, event: replace(view, diagnoses=(*view.diagnoses, event)),
    MutationMeasured: lambda view, event: replace(view, mutation=event),
    QuestionAsked: lambda view, event: replace(view, question=event),
    QuestionAnswered: lambda view, _: replace(view, question=None, halted=False),
}
"""How each kind of event changes the facts. Other kinds only add lines to the timeline."""
