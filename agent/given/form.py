"""Handles a request to rewrite given code (refactor, simplify, shorten) without changing what it does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.state import AgentState
from agent.trust import CandidateFacts
from agent.trust.given import behaviour_lost

_BY_CHANCE = re.compile(r"\b(?:import|from)\s[^\n#]*\b(?:numpy|random|secrets|uuid|time|datetime)\b")


def asks_for_form(state: AgentState) -> bool:
    """Returns whether given code is only to be written in another form."""
    return state.brief is not None and any(clause.kind == "form" for clause in state.brief.clauses)


def held_to_the_given(
    state: AgentState, candidates: list[CandidateFacts], valid: Sequence[str]
) -> list[CandidateFacts]:
    """Marks repairs that answer a valid input differently as having lost behaviour. Not done for programs that use
    chance or time."""
    given = next((one for one in candidates if one.kind == "given"), None)
    if given is None or not asks_for_form(state) or _BY_CHANCE.search(state.task.code or ""):
        return candidates
    lost = {one.id: one.lost or behaviour_lost(given, one, valid) for one in candidates if one.root == given.root}
    return [replace(one, lost=lost.get(one.id, one.lost)) for one in candidates]
