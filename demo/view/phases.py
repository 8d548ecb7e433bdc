"""The five phases of a run, as the stepper and the timeline show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from .fold import RunView

PHASES: tuple[str, ...] = ("Understand", "Write", "Run", "Repair", "Prove")
_OF: Mapping[str, str] = {
    **dict.fromkeys(("intake", "classify", "reproduce", "plan", "review_plan", "look_again"), "Understand"),
    **dict.fromkeys(("next_step", "write_spec_tests", "write_code", "second_attempt", "explain"), "Write"),
    **dict.fromkeys(("run_tests", "judge", "quarantine", "arbitrate"), "Run"),
    **dict.fromkeys(("diagnose", "learn", "review_repair", "repair"), "Repair"),
    **dict.fromkeys(("write_inputs", "write_adversarial_tests", "critic", "ask_person", "conclude"), "Prove"),
}
State = Literal["todo", "now", "done", "unneeded"]


@dataclass(frozen=True, slots=True)
class PhaseProgress:
    name: str
    state: State
    seconds: float
    """Spent in its boxes so far."""


def phase_of(node: str) -> str:
    """The phase that a box of the diagram belongs to; what is new to us runs something."""
    return _OF.get(node, "Run")


def current_phase(view: RunView) -> str:
    """Where the run is, or where it was last."""
    if view.active:
        return phase_of(view.active[-1])
    return next((phase_of(step.node) for step in reversed(view.steps) if step.node), PHASES[0])


def stages(view: RunView) -> tuple[PhaseProgress, ...]:
    spent = dict.fromkeys(PHASES, 0.0)
    visited: set[str] = set()
    for step in view.steps:
        if step.node:
            visited.add(phase_of(step.node))
            spent[phase_of(step.node)] += step.seconds or 0.0
    where = current_phase(view)
    going, over = view.phase in ("running", "waiting", "new"), view.phase == "finished"
    found: list[PhaseProgress] = []
    for name in PHASES:
        # Where a run broke off, nothing was done to its end.
        done = name in visited and (over or name != where)
        state: State = "now" if going and name == where else "done" if done else "unneeded" if over else "todo"
        found.append(PhaseProgress(name, state, spent[name]))
    return tuple(found)
