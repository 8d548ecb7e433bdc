"""Defines what a tool is, what it may reach, and how a model uses tools before it replies."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agent.context import Context
from agent.events import ToolUsed
from agent.session.question import Ask
from agent.state import AgentState, Candidate
from llm.types import Message, ToolCall, ToolSpec

OBSERVATION_CHARS = 2000
MAX_TURNS = 5
"""The most turns of one question with tools; the last one must conclude."""


class ToolError(Exception):
    """The call made no sense; the message tells the model what would."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """What a tool may reach: the run so far, and the candidate in question, whose code is empty before it is
    written."""

    state: AgentState
    context: Context
    candidate: Candidate

    def find(self, candidate_id: str) -> Candidate:
        for candidate in self.state.candidates:
            if candidate.id == candidate_id:
                return candidate
        known = ", ".join(candidate.id for candidate in self.state.candidates)
        raise ToolError(f"there is no attempt {candidate_id!r}; there are: {known}")


@dataclass(frozen=True, slots=True)
class Tool:
    spec: ToolSpec
    use: Callable[[Workbench, Mapping[str, Any]], Awaitable[str]]
    """Takes (bench, validated arguments) and returns the observation for the model; raises ToolError."""


def with_tools(bench: Workbench, tools: Mapping[str, Tool], *, turn_mark: str = ":") -> Ask:
    """Returns the options of a question whose reader may use these tools before it replies."""

    async def use(call: ToolCall) -> Message:
        began = time.perf_counter()
        try:
            if (chosen := tools.get(call.name)) is None:
                raise ToolError(f"there is no tool {call.name!r}; there are: {', '.join(tools)}")
            observation = await chosen.use(bench, call.arguments)
        except ToolError as error:
            observation = f"not done: {error}"
        bench.context.emit(ToolUsed(call.name, dict(call.arguments), observation, time.perf_counter() - began))
        return Message("tool", observation, tool_call_id=call.id)

    specs = tuple(one.spec for one in tools.values())
    return Ask(tools=specs, use=use, turns=MAX_TURNS, turn_mark=turn_mark)


def tool(name: str, description: str, /, **properties: Mapping[str, Any]) -> ToolSpec:
    """Returns a tool's spec; all its parameters are required."""
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema)


def shorten(text: str, limit: int = OBSERVATION_CHARS) -> str:
    """Returns a long text with its middle left out."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[... {len(text) - limit} characters left out ...]\n{text[-half:]}"
