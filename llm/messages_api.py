"""Claude's Messages protocol: how turns are written, and how a reply is gathered from a body or from events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .shapes import count, items, mapping, text
from .toolcalls import parse_arguments
from .types import Finish, Message, ToolCall, Usage

STOPS: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "refusal",
}


@dataclass(slots=True)
class ToolUse:
    id: str
    name: str
    given: Mapping[str, Any]
    """Arguments that came in one piece."""
    pieces: list[str] = field(default_factory=list[str])
    """Arguments that came as pieces of JSON text."""

    def call(self) -> ToolCall:
        """Raises InvalidReply when the arguments are cut."""
        arguments = parse_arguments("".join(self.pieces)) if self.pieces else self.given
        return ToolCall(self.id, self.name, arguments)


@dataclass(slots=True)
class Gathering:
    """A reply while it arrives."""

    texts: list[str] = field(default_factory=list[str])
    uses: dict[Any, ToolUse] = field(default_factory=dict[Any, ToolUse])
    """By the index of their block."""
    counts: dict[str, Any] = field(default_factory=dict[str, Any])
    stop: str = ""
    model: str | None = None
    id: str | None = None

    def take_message(self, message: Mapping[str, Any]) -> None:
        """A whole message, or the head of one that follows in events."""
        self.model, self.id = text(message.get("model")) or None, text(message.get("id")) or None
        self.stop = text(message.get("stop_reason"))
        self._count(message.get("usage"))
        for index, block in enumerate(items(message.get("content"))):
            self.take_block(index, mapping(block))

    def take_event(self, event: Mapping[str, Any]) -> str:
        """One event of a stream; gives the text that it adds."""
        match event.get("type"):
            case "message_start":
                self.take_message(mapping(event.get("message")))
            case "content_block_start":
                return self.take_block(event.get("index"), mapping(event.get("content_block")))
            case "content_block_delta":
                return self._take_delta(event.get("index"), mapping(event.get("delta")))
            case "message_delta":
                self.stop = text(mapping(event.get("delta")).get("stop_reason")) or self.stop
                self._count(event.get("usage"))
            case _:
                pass
        return ""

    def take_block(self, index: object, block: Mapping[str, Any]) -> str:
        if block.get("type") == "tool_use":
            self.uses[index] = ToolUse(text(block.get("id")), text(block.get("name")), mapping(block.get("input")))
        if block.get("type") != "text":
            return ""
        self.texts.append(text(block.get("text")))
        return self.texts[-1]

    def calls(self) -> tuple[ToolCall, ...]:
        """Raises InvalidReply when arguments are cut."""
        return tuple(use.call() for use in self.uses.values())

    def usage(self) -> Usage:
        """`input` is the sum of fresh, cached and written tokens; the service counts them apart."""
        fresh, output = count(self.counts.get("input_tokens")), count(self.counts.get("output_tokens"))
        cached = count(self.counts.get("cache_read_input_tokens")) or 0
        written = count(self.counts.get("cache_creation_input_tokens")) or 0
        return Usage(None if fresh is None else fresh + cached + written, output, cached, written)

    def _take_delta(self, index: object, delta: Mapping[str, Any]) -> str:
        if delta.get("type") == "input_json_delta" and index in self.uses:
            self.uses[index].pieces.append(text(delta.get("partial_json")))
        if delta.get("type") != "text_delta":
            return ""
        self.texts.append(text(delta.get("text")))
        return self.texts[-1]

    def _count(self, usage: object) -> None:
        self.counts.update({key: value for key, value in mapping(usage).items() if value is not None})


def turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation without its system text; outcomes of tools called together share one message, as is required."""
    made: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if made and made[-1]["role"] == role:
            made[-1]["content"] += _blocks(message)
        else:
            made.append({"role": role, "content": _blocks(message)})
    return [{**turn, "content": _plain(turn["content"])} for turn in made]


def _plain(blocks: list[dict[str, Any]]) -> Any:
    """A lone text as a string: the form that every imitation of the service takes."""
    return blocks[0]["text"] if len(blocks) == 1 and blocks[0]["type"] == "text" else blocks


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content or "(nothing)"}]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message.content}] if message.content.strip() else []
    return blocks + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
        for call in message.tool_calls
    ]
