"""Finds the five phases of a run, as the stepper and the timeline show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agent.boxes import PHASES, Phase, box_named

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
    last = view.active[-1] if view.active else next((step.node for step in reversed(view.steps) if step.node), "")
    return box_named(last).phase if last else PHASES[0]


def stages(view: RunView) -> tuple[PhaseProgress, ...]:
    spent = dict.fromkeys(PHASES, 0.0)
    visited: set[Phase] = set()
    for step in view.steps:
        if step.node:
            visited.add(box_named(step.node).phase)
            spent[box_named(step.node).phase] += step.seconds or 0.0
    where = current_phase(view)
    going, over = view.phase in ("running", "waiting", "new"), view.phase == "finished"
    found: list[PhaseProgress] = []
    for name in PHASES:
        # If a run broke off, its last phase was not finished.
        done = name in visited and (over or name != where)
        state: State = "now" if going and name == where else "done" if done else "unneeded" if over else "todo"
        found.append(PhaseProgress(name, state, spent[name]))
    return tuple(found)
