"""Explains the given program in words for the person. Nothing of an explanation can be verified."""

from __future__ import annotations

from agent.by_output.data import files_told
from agent.context import Context, node
from agent.given.words import task_told
from agent.session.roles import EXPLAINER
from agent.source.focus import focused
from agent.state import AgentState, Update


@node
async def explain(state: AgentState, context: Context) -> Update:
    """Asks once for the explanation. The program and its checks are run afterwards as they are."""
    code = focused(state.task.code or "", [state.task.text], context.room_for_code(EXPLAINER))
    reply = await context.ask_or_none(
        EXPLAINER, "explain", question="explain", task=task_told(state), code=code, files=await files_told(context)
    )
    return Update(explanation=reply.explanation) if reply is not None else {}
