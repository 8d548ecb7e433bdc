"""What may be said about one question to a model besides its words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from llm.types import CodeBlock, Message, ToolCall, ToolSpec


@dataclass(frozen=True, slots=True)
class Ask:
    """Optional parts of one question to a model."""

    history: tuple[Message, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    use: Callable[[ToolCall], Awaitable[Message]] | None = None
    """Runs a tool and tells what it showed."""
    turns: int = 1
    """Replies at most, those that want tools run included."""
    turn_mark: str = ":"
    """Between the step's name and the number of the turn."""
    search: bool = False
    """The web may be searched where the person switched it on."""
    code: CodeBlock | None = None
    """Instead of the prompt file's."""
    names: tuple[str, ...] = ()
    """What the program has to define, where the task names it."""
    takes_edits: bool = False
    """Edits are as good as the whole program that is asked for."""
    temperature: float | None = None
    escalate: int = 0
    """Steps up the ladder of stronger models."""
    needed: bool = False
    """Without this reply there is no run: a failing service ends it."""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
