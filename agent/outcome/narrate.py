"""Puts each event into words: an entry of the timeline on the screen, and a line in terminals and logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

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
    match event:
        case TextStreamed() | NodeFinished():
            return None
        case RunStarted() | NodeStarted() | RunFinished() | RunFailed() | RunStopped() | Noted():
            return _life(event)
        case TaskClassified() | PlanMade() | SuiteWritten() | CandidateWritten() | LessonsLearned() | MemoryRecalled():
            return _written(event)
        case ChecksRan() | MutationMeasured() | TournamentHeld():
            return _measured(event)
        case CallMade() | ToolUsed() | Diagnosed() | CriticSpoke():
            return _thought(event)
        case CheckRuled() | Judged() | QuestionAsked() | QuestionAnswered():
            return _decided(event)
        case _:
            assert_never(event)


def _life(event: RunStarted | NodeStarted | RunFinished | RunFailed | RunStopped | Noted) -> TimelineEntry:
    match event:
        case RunStarted():
            who = "scripted demo model" if event.scripted else who_answers(event.provider, event.model)
            level = event.isolation.get("level", "not known")
            return TimelineEntry("start", "Run started", f"{who}, isolation: {level}", _origin(event.comes_from))
        case NodeStarted():
            return TimelineEntry("node", box_named(event.node).words, tone="busy", node=event.node)
        case RunFinished():
            verdict = event.outcome.verdict or ""
            tone: Tone = {"verified": "good", "partly_verified": "good", "failed": "bad"}.get(verdict, "warn")  # type: ignore[assignment]
            return TimelineEntry("end", f"Verdict: {verdict_words(verdict)}", event.outcome.verdict_reason, tone=tone)
        case RunFailed():
            return TimelineEntry("end", "The run could not go on", event.error, tone="bad")
        case RunStopped():
            return TimelineEntry("end", "Stopped", "nothing after this line was run", tone="warn")
        case Noted():
            return TimelineEntry("text", event.text, tone="warn")
        case _:
            assert_never(event)


def _written(
    event: TaskClassified | PlanMade | SuiteWritten | CandidateWritten | LessonsLearned | MemoryRecalled,
) -> TimelineEntry:
    match event:
        case TaskClassified():
            kind = f"{event.task_kind}, {'hard' if event.hard else 'simple'}"
            promised = plural(len(event.examples), "example") + " read from the task"
            body = "\n".join(filter(None, (event.signature, *event.examples)))
            return TimelineEntry("text", f"Task understood as: {kind}", promised, body)
        case PlanMade():
            return TimelineEntry("text", "Plan written", body=event.plan)
        case SuiteWritten():
            held = sum(check.held_out for check in event.checks)
            note = ORIGIN_WORDS[event.origin] + (f", {held} held out" if held else "")
            body = "\n\n".join(filter(None, (event.header, *(check.source for check in event.checks))))
            return TimelineEntry("tests", plural(len(event.checks), "check") + " written", note, body)
        case CandidateWritten():
            words = ATTEMPT_WORDS[event.attempt] + (f", strategy {event.strategy}" if event.strategy else "")
            note = f"{words}: {event.note}" if event.note else words
            return TimelineEntry("code", f"Program {event.candidate}", note, event.diff or event.code)
        case MemoryRecalled():
            told = [f"{plural(one.lessons, 'lesson')} of run {one.run[:8]}" for one in event.recalled]
            note = "hints for whoever changes a program; they count for no verdict"
            return TimelineEntry("text", "Lessons of earlier runs came along", note, "\n".join(told))
        case LessonsLearned():
            return TimelineEntry("text", "Lessons kept: " + str(len(event.lessons)), body="\n".join(event.lessons))
        case _:
            assert_never(event)


def _measured(event: ChecksRan | MutationMeasured | TournamentHeld) -> TimelineEntry:
    match event:
        case ChecksRan():
            passed = sum(status == "pass" for status in event.outcomes.values())
            total = len(event.outcomes)
            good = total > 0 and passed == total and event.status in ("pass", "ok")
            title = f"Program {event.candidate}: {passed} of {plural(total, 'check')} passed"
            if not total:
                title = f"Program {event.candidate}: no check was executed"
            note = event.error or f"{event.duration_ms:.0f} ms" + (
                ", confirmed in the split runner" if event.confirmed else ""
            )
            body = "\n".join(f"{check}: {message}" for check, message in event.messages.items())
            return TimelineEntry("run", title, note, body, tone="good" if good else "bad")
        case MutationMeasured():
            title = f"{event.killed} of {plural(event.total, 'mutant')} killed by the checks"
            return TimelineEntry("run", title, body="\n".join(event.survivors))
        case TournamentHeld():
            groups = " | ".join(" = ".join(cluster) for cluster in event.clusters)
            order = "Ranked: " + ", ".join(event.ranking)
            return TimelineEntry(
                "judge", order, f"same outputs on {plural(event.inputs, 'input')}: {groups}" if groups else ""
            )
        case _:
            assert_never(event)


def _thought(event: CallMade | ToolUsed | Diagnosed | CriticSpoke) -> TimelineEntry:
    match event:
        case CallMade():
            tokens = "tokens not reported"
            if event.input_tokens is not None or event.output_tokens is not None:
                tokens = f"{event.input_tokens or 0} + {event.output_tokens or 0} tokens"
            who = who_answers(event.provider, event.model)
            cost = "" if event.cost_usd == 0 else money(event.cost_usd)
            note = ", ".join(filter(None, (who, event.prompt, tokens, cost, *event.notes)))
            return TimelineEntry("call", f"{role_words(event.role)} answered", note, seconds=event.seconds)
        case ToolUsed():
            given = [f"{name}: {value}" for name, value in event.arguments.items()]
            note = ", ".join(" ".join(one.split()) for one in given)
            return TimelineEntry("tool", f"Tool {event.tool}", note[:160], "\n\n".join([*given, event.observation]))
        case Diagnosed():
            note = f"{event.category}, confidence {event.confidence:.0%}"
            body = "\n\n".join(filter(None, (event.explanation, event.repair_hint and f"Repair: {event.repair_hint}")))
            return TimelineEntry(
                "ruling", f"Diagnosis of {event.candidate}: at fault is the {event.fault}", note, body, tone="warn"
            )
        case CriticSpoke():
            title = "Objection upheld" if event.upheld else "Objection not upheld"
            return TimelineEntry(
                "ruling", title, event.witness, event.objection, tone="bad" if event.upheld else "plain"
            )
        case _:
            assert_never(event)


def _decided(event: CheckRuled | Judged | QuestionAsked | QuestionAnswered) -> TimelineEntry:
    match event:
        case CheckRuled():
            tone: Tone = "warn" if event.fault == "test" else "plain"
            title = f"Check {event.check}: at fault is the {event.fault}"
            return TimelineEntry("ruling", title, f"{event.reason} (by {event.by})", tone=tone)
        case Judged():
            return TimelineEntry("judge", f"Next: {box_named(event.decision).words}", event.reason)
        case QuestionAsked():
            asked = str(event.payload.get("question") or "")
            return TimelineEntry("pause", "Waiting for you", event.question.replace("_", " "), asked, tone="warn")
        case QuestionAnswered():
            return TimelineEntry("pause", f"You answered: {event.action}", event.text)
        case _:
            assert_never(event)


def _origin(source: ComesFrom | None) -> str:
    if source is None:
        return ""
    if source.attempt is None:
        return f"follows on from run {source.run}"
    edited = f", with another {' and another '.join(source.edited)}" if source.edited else ""
    return f"forked from attempt {source.attempt} of run {source.run}{edited}"
