"""The chat-completions protocol: how messages are written, and how a reply is gathered from a body or from chunks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .replies.toolcalls import parse_arguments
from .shapes import count, items, mapping, piece, text
from .types import Finish, Message, ToolCall, ToolSpec, Usage

STOPS: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool",
    "function_call": "tool",
    "content_filter": "refusal",
    "sensitive": "refusal",
}
BROKEN_OFF = ("error", "network_error", "insufficient_system_resource", "abort")
"""Reasons to stop that are a failure of the service."""


@dataclass(slots=True)
class CallPieces:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class ChatCollector:
    """Puts a chat-completions reply together from one body or from the chunks of a stream."""

    texts: list[str] = field(default_factory=list[str])
    refusals: list[str] = field(default_factory=list[str])
    pieces: dict[int, CallPieces] = field(default_factory=dict[int, CallPieces])
    counts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    stop: str = ""
    model: str | None = None
    messages: int = 0

    def take(self, body: Mapping[str, Any]) -> str:
        """Reads a whole body or one chunk of a stream; returns the text that it adds."""
        self.model = text(body.get("model")) or self.model
        self.counts = mapping(body.get("usage")) or mapping(mapping(body.get("x_groq")).get("usage")) or self.counts
        added = ""
        for choice in map(mapping, items(body.get("choices"))):
            if not count(choice.get("index")):  # others were not asked for
                self.stop = text(choice.get("finish_reason")) or self.stop
                added += self._take_message(choice.get("message") or choice.get("delta"))
        return added

    @property
    def finish(self) -> Finish | None:
        """Returns why the reply ended; None where it has not, or for a reason that nobody knows."""
        finish = STOPS.get(self.stop)
        if self.refusals and finish:
            return "refusal"
        return "tool" if self.pieces and finish == "stop" else finish

    def calls(self) -> tuple[ToolCall, ...]:
        """Returns the tool calls of the reply. Raises InvalidReply where their arguments are cut."""
        return tuple(
            ToolCall(call.id or f"call_{index}", call.name, parse_arguments("".join(call.arguments)))
            for index, call in sorted(self.pieces.items())
        )

    def usage(self) -> Usage:
        cached = count(mapping(self.counts.get("prompt_tokens_details")).get("cached_tokens"))
        hits = count(self.counts.get("prompt_cache_hit_tokens"))
        given, output = count(self.counts.get("prompt_tokens")), count(self.counts.get("completion_tokens"))
        return Usage(given, output, cached or hits or 0)

    def _take_message(self, told: object) -> str:
        message = mapping(told)
        if refusal := text(message.get("refusal")):
            self.refusals.append(refusal)
        for position, call in enumerate(map(mapping, items(message.get("tool_calls")))):
            self.take_call(call, position)
        return self.take_text(told)

    def take_text(self, message: object) -> str:
        """Takes what a message says; returns what can be shown of it."""
        self.messages += isinstance(message, dict)
        content = mapping(message).get("content")
        self.texts.append(piece(content) or "".join(piece(mapping(part).get("text")) for part in items(content)))
        return text(self.texts[-1])

    def take_call(self, call: Mapping[str, Any], position: int) -> None:
        """Takes a piece of a tool call, the `position`th of its message."""
        index = count(call.get("index"))
        if index is None:
            index = self._index_of(text(call.get("id")), position)
        pieces = self.pieces.setdefault(index, CallPieces())
        function = mapping(call.get("function"))
        pieces.id = pieces.id or text(call.get("id"))
        pieces.name = pieces.name or text(function.get("name"))
        arguments = function.get("arguments")
        pieces.arguments.append(json.dumps(arguments) if isinstance(arguments, dict) else text(arguments))

    def _index_of(self, id: str, position: int) -> int:
        """Returns which call a piece belongs to where the service numbers none: a new id begins a new call."""
        known = next((index for index, call in self.pieces.items() if call.id == id), None)
        return known if known is not None else len(self.pieces) if id else position


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation; system texts are joined at its head, where every chat template takes them."""
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    head: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    return head + [_message(message) for message in messages if message.role != "system"]


def chat_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def _message(message: Message) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        made["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for call in message.tool_calls
        ]
    return made
