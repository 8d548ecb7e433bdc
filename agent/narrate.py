"""One line of plain text per event, for terminals and logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .events import (
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
    Noted,
    PlanMade,
    QuestionAsked,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    SuiteWritten,
    TaskClassified,
    ToolUsed,
    TournamentHeld,
)  # fmt: skip


def line_of(event: AgentEvent) -> str | None:
    """What a person wants to read of the event; None for what only machines need."""
    match event:
        case RunStarted() | TaskClassified() | PlanMade() | Noted() | RunFinished() | RunFailed() | RunStopped():
            return _of_run(event)
        case SuiteWritten() | CandidateWritten() | ChecksRan() | CallMade():
            return _of_work(event)
        case Diagnosed() | ToolUsed() | CheckRuled() | Judged() | LessonsLearned() | MemoryRecalled() | CriticSpoke():
            return _of_thought(event)
        case TournamentHeld():
            return f"tournament: {' > '.join(event.ranking)} on {event.inputs} generated inputs"
        case MutationMeasured():
            return f"mutation check: {event.killed} of {event.total} wrong versions noticed"
        case QuestionAsked():
            return f"question for you: {event.payload.get('question') or event.question.replace('_', ' ')}"
        case _:
            return None


def _of_run(
    event: RunStarted | TaskClassified | PlanMade | Noted | RunFinished | RunFailed | RunStopped,
) -> str:
    match event:
        case RunStarted():
            label = "scripted demo model" if event.scripted else f"{event.provider}:{event.model}"
            return f"model: {label}; isolation: {event.isolation['level']}{_origin(event.comes_from)}"
        case TaskClassified():
            what = f", {event.signature}" if event.signature else ""
            return f"task: {event.task_kind}{what}; {len(event.examples)} example(s) read from the task"
        case PlanMade():
            return f"plan: {event.plan.splitlines()[0]}"
        case Noted():
            return f"note: {event.text}"
        case RunFinished():
            return f"verdict: {event.outcome['verdict']}: {event.outcome['verdict_reason']}"
        case RunFailed():
            return f"the run failed: {event.error}"
        case RunStopped():
            return "stopped; nothing after this point was run"


def _of_work(event: SuiteWritten | CandidateWritten | ChecksRan | CallMade) -> str:
    match event:
        case SuiteWritten():
            hidden = sum(check.held_out for check in event.checks)
            return f"suite {event.suite}: {len(event.checks)} checks" + (f", {hidden} held out" if hidden else "")
        case CandidateWritten():
            return f"attempt {event.candidate} ({event.attempt})" + (f": {event.note}" if event.note else "")
        case ChecksRan():
            passed = sum(word == "pass" for word in event.outcomes.values())
            ended = f" [{event.status}: {event.error}]" if event.error and not passed else ""
            return f"ran {event.candidate}: {passed} of {len(event.outcomes)} checks pass{ended}"
        case CallMade():
            cost = "cost unknown" if event.cost_usd is None else f"${event.cost_usd:.4f}"
            said = (
                f"call {event.role.replace('_', ' ')}: {event.input_tokens or '?'} in, {event.output_tokens or '?'} out"
            )
            return "; ".join([f"{said}, {cost}", *event.notes])


def _of_thought(
    event: Diagnosed | ToolUsed | CheckRuled | Judged | LessonsLearned | MemoryRecalled | CriticSpoke,
) -> str:
    match event:
        case Diagnosed():
            return f"diagnosis of {event.candidate}: {event.fault} ({event.category}): {event.explanation}"
        case ToolUsed():
            seen = event.observation.strip().splitlines()
            return f"tool {event.tool}: {seen[0] if seen else ''}"
        case CheckRuled():
            return f"ruling on {event.check}: {event.fault} at fault, by {event.by}: {event.reason}"
        case Judged():
            return f"judge: {event.decision.replace('_', ' ')}: {event.reason}"
        case MemoryRecalled():
            told = (f"{one.lessons} of run {one.run[:8]}, {one.similarity:.0%} alike" for one in event.recalled)
            return f"lessons of earlier runs came along as hints: {'; '.join(told)}"
        case LessonsLearned():
            return f"lessons: {'; '.join(event.lessons)}"
        case CriticSpoke():
            how = "upheld by execution" if event.upheld else "not borne out"
            return f"critic: {event.objection} ({how})"


def _origin(source: Mapping[str, Any] | None) -> str:
    if not source:
        return ""
    if "attempt" not in source:
        return f"; follows on from run {source['run']}"
    edited = f", with another {' and another '.join(source['edited'])}" if source["edited"] else ""
    return f"; forked from attempt {source['attempt']} of run {source['run']}{edited}"
