"""Reviews a program before it is run, by ruff and by one reviewer. The findings are hints for whoever changes the
program and count for no verdict."""

from __future__ import annotations

from agent.context import Context
from agent.events import Noted
from agent.given.words import task_told
from agent.outcome.style import lint
from agent.session.roles import REVIEWER
from agent.source.focus import focused
from agent.state import AgentState, Candidate

HINTED = ("a linter on", "a reviewer of")
"""The beginnings of a hint, by which it is recognized."""


async def hints_on(state: AgentState, context: Context, candidate: Candidate) -> list[str]:
    """Returns the findings, each with its author; [] if `config.review` asks for no review."""
    hard = state.brief is not None and state.brief.hard
    if state.config.review == "never" or (state.config.review == "auto" and not hard):
        return []
    found = await lint(candidate.code)
    task = task_told(state)
    code = focused(candidate.code, [task], context.room_for_code(REVIEWER))
    reply = await context.ask_or_none(REVIEWER, "review", question="review", task=task, code=code, lint=found)
    linter, reviewer = HINTED
    said = [f"{reviewer} {candidate.id}, who may be mistaken: {each}" for each in (reply.findings if reply else ())]
    hints = [*(f"{linter} {candidate.id}: {each}" for each in found), *said]
    if hints:
        context.emit(Noted(f"before it was run: {'; '.join(hints)}"))
    return hints
