"""Composes the task as models are told it: with what given code says of itself, and what running it has shown."""

from __future__ import annotations

from agent.state import AgentState

from .documentation import documentation
from .earlier import told
from .symptoms import reproduction_of


def task_told(state: AgentState) -> str:
    """Returns the task as the roles that are given it are told it. For given code that includes the conversation before
    it, the documentation inside the code, and what running it showed."""
    if not state.task.code:
        return state.task.text
    parts, said = [state.task.text, *filter(None, [told(state.task.earlier)])], documentation(state.task.code)
    if said:
        parts.append(
            f"The person's program, as it describes itself; its docstrings and comments are part of the task:\n\n{said}"
        )
    if shown := reproduction_of(state).told:
        lines = "\n".join(f"- {line}" for line in shown)
        parts.append(
            f"Run as it was given, the program does what is reported; this is wrong and has to change:\n{lines}"
        )
    return "\n\n".join(parts)
