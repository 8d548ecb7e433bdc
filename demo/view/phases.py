"""Finds the five phases of a run, as the stepper and the timeline show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agent.outcome.boxes import PHASES, Phase, box_named

from .fold import RunView

State = Literal["todo", "now", "done", "unneeded"]


@dataclass(frozen=True, slots=True)
class PhaseProgress:
    """One phase of a run, and how far it is."""

    name: Phase
    state: State
    seconds: float
    """The seconds spent in the nodes of the phase so far."""


def current_phase(view: RunView) -> Phase:
    """Returns the phase in which the run is, or was last."""
    last = view.active[-1] if view.active else next((entry.node for entry in reversed(view.timeline) if entry.node), "")
    return box_named(last).phase if last else PHASES[0]


def phase_progress(view: RunView) -> tuple[PhaseProgress, ...]:
    spent = dict.fromkeys(PHASES, 0.0)
    visited: set[Phase] = set()
    for entry in view.timeline:
        if entry.node:
            visited.add(box_named(entry.node).phase)
            spent[box_named(entry.node).phase] += entry.seconds or 0.0
    where = current_phase(view)
    going, over = view.lifecycle in ("running", "waiting", "new"), view.lifecycle == "finished"
    found: list[PhaseProgress] = []
    for name in PHASES:
        # If a run broke off, its last phase was not finished.
        done = name in visited and (over or name != where)
        state: State = "now" if going and name == where else "done" if done else "unneeded" if over else "todo"
        found.append(PhaseProgress(name, state, spent[name]))
    return tuple(found)
