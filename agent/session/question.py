"""The options of one question to a model, besides its words."""

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
    """Runs the tool that the model called and returns the message with what the tool showed."""
    turns: int = 1
    """The most replies, those that call tools included."""
    turn_mark: str = ":"
    """Stands between the question's name (`question`) and the number of the turn."""
    search: bool = False
    """Whether the web may be searched, if the person switched that on."""
    code: CodeBlock | None = None
    """The code block that the reply needs; None for the one that the prompt file declares."""
    names: tuple[str, ...] = ()
    """Names that the program has to define, as far as the task gives them."""
    takes_edits: bool = False
    """Whether edits are accepted in place of the whole program."""
    temperature: float | None = None
    escalate: int = 0
    """Steps up the ladder of stronger models."""
    needed: bool = False
    """Whether a failing service ends the run: without this reply there is nothing to go on with."""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
