"""Decides which line of the timeline an event changes, and to whose work the event belongs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.events import AgentEvent, CallMade, CandidateWritten, NodeFinished, SuiteWritten
from agent.outcome.narrate import TimelineStep, step_of


def close_node(steps: tuple[TimelineStep, ...], event: NodeFinished) -> tuple[TimelineStep, ...]:
    """Returns the lines with the oldest open heading of the node marked as done."""
    for index, step in enumerate(steps):
        if step.node == event.node and step.seconds is None and step.tone in ("busy", "done"):
            return (*steps[:index], replace(step, tone="done", seconds=event.seconds), *steps[index + 1 :])
    return steps


def close_all(steps: tuple[TimelineStep, ...]) -> tuple[TimelineStep, ...]:
    """Returns the lines of a run that ended, without any heading in progress. A box that was cut off says so; the box
    that ends a run is done."""
    return tuple(_closed(step) if step.tone == "busy" else step for step in steps)


def _closed(step: TimelineStep) -> TimelineStep:
    return replace(step, tone="done") if step.node == "conclude" else replace(step, tone="plain", note="not finished")


def describe(event: AgentEvent, at: float, active: Sequence[str] = ()) -> TimelineStep | None:
    """Returns the line of an event that is told while the boxes `active` work; None for an event that only changes
    other lines."""
    step = step_of(event)
    if step is None:
        return None
    inner = step.shape not in ("node", "start", "end")
    return replace(step, at=at, within=_owner(event, active) if inner else "")


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
