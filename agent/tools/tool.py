"""What a debugger's tool is, and what it may reach."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agent.context import Context
from agent.state import AgentState, Candidate
from llm.types import ToolSpec

OBSERVATION_CHARS = 2000


class ToolError(Exception):
    """The call was not sensible; the message tells the model what would be."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What lies on the debugger's bench: the run so far and the candidate under suspicion."""

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
    use: Callable[[Bench, Mapping[str, Any]], Awaitable[str]]
    """(bench, validated arguments) -> observation for the model; raises ToolError."""


def tool(name: str, description: str, /, **properties: Mapping[str, Any]) -> ToolSpec:
    """A spec whose parameters are all required."""
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema)


def shorten(text: str, limit: int = OBSERVATION_CHARS) -> str:
    """Head and tail of a long text."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[... {len(text) - limit} characters left out ...]\n{text[-half:]}"
