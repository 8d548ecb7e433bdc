"""Ollama's native chat protocol: messages, gathering, and how large a context to ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .chat_api import ChatCollector
from .shapes import count, items, mapping, text
from .types import Message, Request, Usage

SIZES = (8192, 16384, 32768, 65536, 131072, 262144)
"""Few sizes, because each change makes the server load the model again."""
LONGEST_TOKEN = 7
"""Characters: a prompt that was read with more per token was probably cut."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What `/api/show` says."""

    tools: bool = True
    thinking: bool = False
    context: int | None = None

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> ModelFacts:
        capabilities = items(body.get("capabilities"))
        info = mapping(body.get("model_info"))
        context = next((count(info[key]) for key in info if key.endswith(".context_length")), None)
        return cls(not capabilities or "tools" in capabilities, "thinking" in capabilities, context)


class OllamaCollector(ChatCollector):
    """Puts a reply of Ollama's protocol together from the lines of a stream."""

    def take(self, body: Mapping[str, Any]) -> str:
        self.model = text(body.get("model")) or self.model
        if body.get("done") is True:
            self.stop, self.counts = text(body.get("done_reason")) or "stop", body
        for call in items(mapping(body.get("message")).get("tool_calls")):
            self.take_call({**mapping(call), "index": len(self.pieces)}, 0)
        return self.take_text(body.get("message"))

    def usage(self) -> Usage:
        return Usage(count(self.counts.get("prompt_eval_count")), count(self.counts.get("eval_count")))


def context_for(needed: int, configured: int | None, most: int | None) -> int:
    """The context to ask for: as configured, else the smallest usual size that suffices, at most the model's own."""
    if configured:
        return int(configured)
    size = next((size for size in SIZES if size >= needed), SIZES[-1])
    return min(size, most) if most else size


def suspicion(request: Request, read: int | None) -> str:
    """A warning when the server read far fewer tokens than the prompt can have."""
    length = sum(len(message.content) for message in request.messages)
    if read is None or read * LONGEST_TOKEN >= length or length < 4000:
        return ""
    return f"the server read only {read} tokens of a prompt of {length} characters: it was probably cut"


def native_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation; a tool's outcome names its tool, because calls have no ids here."""
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    return [_message(message, names) for message in messages]


def _message(message: Message, names: Mapping[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        made["tool_name"] = names.get(message.tool_call_id, "")
    if message.tool_calls:
        made["tool_calls"] = [
            {"function": {"name": call.name, "arguments": dict(call.arguments)}} for call in message.tool_calls
        ]
    return made
