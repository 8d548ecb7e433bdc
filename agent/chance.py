"""Tells which calls chance decides, so that no value that is stated of them is right."""

from __future__ import annotations

from .checks.execution import BY_CHANCE
from .fingerprints import fingerprint
from .state import AgentState, Check


def speaks_of_chance(state: AgentState) -> bool:
    return state.brief is not None and state.brief.demand.by_chance


def is_drawn(state: AgentState, check: Check) -> bool:
    """Returns whether chance decides what the check's call gives: some program gave another value each time, and the
    task speaks of chance, or different programs of two families did."""
    if check.call is None or state.task.code:
        return False
    drawing = {run.candidate for run in state.runs if run.outputs.get(check.call) == BY_CHANCE}
    told = [candidate for candidate in state.candidates if candidate.id in drawing]
    programs = {fingerprint(one.code) for one in told}
    several = min(len({one.root for one in told}), len(programs)) > 1
    return bool(told) and (several or speaks_of_chance(state))
