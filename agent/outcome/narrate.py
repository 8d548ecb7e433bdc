"""Puts each event into words: an entry of the timeline on the screen, and a line in terminals and logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agent.events import (
    AgentEvent,
    CallMade,
    CandidateWritten,
    CheckRuled,
    ChecksRan,
    CriticSpoke,
    Diagnosed,
    Judged,
    LessonsLearned,
    MemoryRecalled,
    MutationMeasured,
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
    ToolUsed,
    TournamentHeld,
)
from agent.events.conclusion import ComesFrom
from agent.outcome.boxes import box_named

from .words import ATTEMPT_WORDS, ORIGIN_WORDS, money, plural, role_words, verdict_words, who_answers

Tone = Literal["plain", "busy", "done", "good", "bad", "warn"]
Shape = Literal["node", "start", "text", "call", "code", "tests", "run", "tool", "ruling", "judge", "pause", "end"]


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One line of the timeline."""

    shape: Shape
    title: str
    note: str = ""
    body: str = ""
    """Longer text, which is folded away on the screen and shown unformatted."""
    tone: Tone = "plain"
    at: float = 0.0
    seconds: float | None = None
    node: str = ""
    """The box of the diagram, for headings."""
    within: str = ""
    """The box at work that the line belongs to; "" for headings and lines about the run as a whole."""


def line_of(event: AgentEvent) -> str | None:
    """Returns the event as a line for a person; None for events that only machines need."""
    entry = timeline_entry_of(event)
    if entry is None or entry.shape == "node":
        return None
    told = entry.body.partition("\n\n")[2] if entry.shape == "tool" else entry.body
    more = "" if entry.shape in ("code", "tests") else next(iter(told.strip().splitlines()), "")
    return ": ".join(filter(None, (entry.title, entry.note, more)))


def timeline_entry_of(event: AgentEvent) -> TimelineEntry | None:
    """Returns the event as a line of the timeline; None for events that only change other lines."""
    told = LINES.get(type(event))
    return told(event) if told else None


def _run_started(event: RunStarted) -> TimelineEntry:
    who = "scripted demo model" if event.scripted else who_answers(event.provider, event.model)
    level = event.isolation.get("level", "not known")
    return TimelineEntry("start", "Run started", f"{who}, isolation: {level}", _origin(event.comes_from))


def _run_finished(event: RunFinished) -> TimelineEntry:
    verdict = event.conclusion.verdict or ""
    tones: Mapping[str, Tone] = {"verified": "good", "partly_verified": "good", "failed": "bad"}
    title = f"Verdict: {verdict_words(verdict)}"
    return TimelineEntry("end", title, event.conclusion.verdict_reason, tone=tones.get(verdict, "warn"))


def _task_classified(event: TaskClassified) -> TimelineEntry:
    kind = f"{event.task_kind}, {'hard' if event.hard else 'simple'}"
    promised = plural(len(event.examples), "example") + " read from the task"
    body = "\n".join(filter(None, (event.signature, *event.examples)))
    return TimelineEntry("text", f"Task understood as: {kind}", promised, body)


def _suite_written(event: SuiteWritten) -> TimelineEntry:
    held = sum(check.held_out for check in event.checks)
    note = ORIGIN_WORDS[event.origin] + (f", {held} held out" if held else "")
    body = "\n\n".join(filter(None, (event.header, *(check.source for check in event.checks))))
    return TimelineEntry("tests", plural(len(event.checks), "check") + " written", note, body)


def _candidate_written(event: CandidateWritten) -> TimelineEntry:
    words = ATTEMPT_WORDS[event.attempt] + (f", strategy {event.strategy}" if event.strategy else "")
    note = f"{words}: {event.note}" if event.note else words
    return TimelineEntry("code", f"Program {event.candidate}", note, event.diff or event.code)


def _memory_recalled(event: MemoryRecalled) -> TimelineEntry:
    told = [f"{plural(one.lessons, 'lesson')} of run {one.run[:8]}" for one in event.recalled]
    note = "hints for whoever changes a program; they count for no verdict"
    return TimelineEntry("text", "Lessons of earlier runs came along", note, "\n".join(told))


def _checks_ran(event: ChecksRan) -> TimelineEntry:
    passed, total = sum(status == "pass" for status in event.outcomes.values()), len(event.outcomes)
    good = total > 0 and passed == total and event.status in ("pass", "ok")
    counted = f"{passed} of {plural(total, 'check')} passed" if total else "no check was executed"
    confirmed = ", confirmed in the split runner" if event.confirmed else ""
    note = event.error or f"{event.duration_ms:.0f} ms{confirmed}"
    body = "\n".join(f"{check}: {message}" for check, message in event.messages.items())
    return TimelineEntry("run", f"Program {event.candidate}: {counted}", note, body, tone="good" if good else "bad")


def _mutation_measured(event: MutationMeasured) -> TimelineEntry:
    title = f"{event.killed} of {plural(event.total, 'mutant')} killed by the checks"
    return TimelineEntry("run", title, body="\n".join(event.survivors))


def _tournament_held(event: TournamentHeld) -> TimelineEntry:
    groups = " | ".join(" = ".join(cluster) for cluster in event.clusters)
    note = f"same outputs on {plural(event.inputs, 'input')}: {groups}" if groups else ""
    return TimelineEntry("judge", "Ranked: " + ", ".join(event.ranking), note)


def _call_made(event: CallMade) -> TimelineEntry:
    tokens = "tokens not reported"
    if event.input_tokens is not None or event.output_tokens is not None:
        tokens = f"{event.input_tokens or 0} + {event.output_tokens or 0} tokens"
    who = who_answers(event.provider, event.model)
    cost = "" if event.cost_usd == 0 else money(event.cost_usd)
    note = ", ".join(filter(None, (who, event.prompt, tokens, cost, *event.notes)))
    return TimelineEntry("call", f"{role_words(event.role)} answered", note, seconds=event.seconds)


def _tool_used(event: ToolUsed) -> TimelineEntry:
    given = [f"{name}: {value}" for name, value in event.arguments.items()]
    note = ", ".join(" ".join(one.split()) for one in given)
    return TimelineEntry("tool", f"Tool {event.tool}", note[:160], "\n\n".join([*given, event.observation]))


def _diagnosed(event: Diagnosed) -> TimelineEntry:
    title = f"Diagnosis of {event.candidate}: at fault is the {event.fault}"
    note = f"{event.category}, confidence {event.confidence:.0%}"
    body = "\n\n".join(filter(None, (event.explanation, event.repair_hint and f"Repair: {event.repair_hint}")))
    return TimelineEntry("ruling", title, note, body, tone="warn")


def _critic_spoke(event: CriticSpoke) -> TimelineEntry:
    title, tone = ("Objection upheld", "bad") if event.upheld else ("Objection not upheld", "plain")
    return TimelineEntry("ruling", title, event.witness, event.objection, tone=tone)


def _check_ruled(event: CheckRuled) -> TimelineEntry:
    title, note = f"Check {event.check}: at fault is the {event.fault}", f"{event.reason} (by {event.by})"
    return TimelineEntry("ruling", title, note, tone="warn" if event.fault == "test" else "plain")


def _question_asked(event: QuestionAsked) -> TimelineEntry:
    asked = event.payload.get("question", "")
    return TimelineEntry("pause", "Waiting for you", event.question.replace("_", " "), asked, tone="warn")


def _origin(source: ComesFrom | None) -> str:
    if source is None:
        return ""
    if source.attempt is None:
        return f"follows on from run {source.run}"
    edited = f", with another {' and another '.join(source.edited)}" if source.edited else ""
    return f"forked from attempt {source.attempt} of run {source.run}{edited}"


LINES: Mapping[type[Any], Callable[[Any], TimelineEntry]] = {
    RunStarted: _run_started,
    NodeStarted: lambda event: TimelineEntry("node", box_named(event.node).words, tone="busy", node=event.node),
    TaskClassified: _task_classified,
    PlanMade: lambda event: TimelineEntry("text", "Plan written", body=event.plan),
    SuiteWritten: _suite_written,
    CandidateWritten: _candidate_written,
    ChecksRan: _checks_ran,
    ToolUsed: _tool_used,
    Diagnosed: _diagnosed,
    CheckRuled: _check_ruled,
    Judged: lambda event: TimelineEntry("judge", f"Next: {box_named(event.decision).words}", event.reason),
    LessonsLearned: lambda event: TimelineEntry(
        "text", f"Lessons kept: {len(event.lessons)}", body="\n".join(event.lessons)
    ),
    MemoryRecalled: _memory_recalled,
    QuestionAsked: _question_asked,
    QuestionAnswered: lambda event: TimelineEntry("pause", f"You answered: {event.action}", event.text),
    TournamentHeld: _tournament_held,
    MutationMeasured: _mutation_measured,
    CriticSpoke: _critic_spoke,
    CallMade: _call_made,
    Noted: lambda event: TimelineEntry("text", event.text, tone="warn"),
    RunStopped: lambda _: TimelineEntry("end", "Stopped", "nothing after this line was run", tone="warn"),
    RunFinished: _run_finished,
    RunFailed: lambda event: TimelineEntry("end", "The run could not go on", event.error, tone="bad"),
}
"""The words of each kind of event. An event that is absent only changes other lines."""
