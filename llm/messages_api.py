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


THOUGHTS = ("thinking", "redacted_thinking")
DELTAS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


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
    blocks: dict[Any, dict[str, Any]] = field(default_factory=dict[Any, dict[str, Any]])
    """Everything said, as it came: with a tool's outcome the service wants it back, its thoughts included."""
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
        self.blocks[index] = dict(block)
        if block.get("type") == "tool_use":
            self.uses[index] = ToolUse(text(block.get("id")), text(block.get("name")), mapping(block.get("input")))
        if block.get("type") != "text":
            return ""
        self.texts.append(text(block.get("text")))
        return self.texts[-1]

    def calls(self) -> tuple[ToolCall, ...]:
        """Raises InvalidReply when arguments are cut."""
        return tuple(use.call() for use in self.uses.values())

    def turn(self) -> list[dict[str, Any]]:
        """The whole turn to send back; empty where it holds no thoughts and can be written anew."""
        if not any(block.get("type") in THOUGHTS for block in self.blocks.values()):
            return []
        said = ((index, block) for index, block in self.blocks.items() if block.get("type") != "text" or block["text"])
        return [
            {**block, "input": dict(self.uses[index].call().arguments)} if index in self.uses else block
            for index, block in said
        ]

    def usage(self) -> Usage:
        """`input` is the sum of fresh, cached and written tokens; the service counts them apart."""
        fresh, output = count(self.counts.get("input_tokens")), count(self.counts.get("output_tokens"))
        cached = count(self.counts.get("cache_read_input_tokens")) or 0
        written = count(self.counts.get("cache_creation_input_tokens")) or 0
        return Usage(None if fresh is None else fresh + cached + written, output, cached, written)

    def _take_delta(self, index: object, delta: Mapping[str, Any]) -> str:
        if delta.get("type") == "input_json_delta" and index in self.uses:
            self.uses[index].pieces.append(text(delta.get("partial_json")))
        kind = text(delta.get("type"))
        if kind in DELTAS and index in self.blocks:
            key = DELTAS[kind]
            self.blocks[index][key] = text(self.blocks[index].get(key)) + text(delta.get(key))
        if kind != "text_delta":
            return ""
        self.texts.append(text(delta.get("text")))
        return self.texts[-1]

    def _count(self, usage: object) -> None:
        self.counts.update({key: value for key, value in mapping(usage).items() if value is not None})


Said = Mapping[str, list[dict[str, Any]]]
"""Id of a turn's first tool call -> that turn as the service wrote it."""


def turns(messages: Sequence[Message], said: Said) -> list[dict[str, Any]]:
    """The conversation without its system text; outcomes of tools called together share one message, as is required."""
    made: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if made and made[-1]["role"] == role:
            made[-1]["content"] += _blocks(message, said)
        else:
            made.append({"role": role, "content": _blocks(message, said)})
    return [{**turn, "content": _plain(turn["content"])} for turn in made]


def _plain(blocks: list[dict[str, Any]]) -> Any:
    """A lone text as a string: the form that every imitation of the service takes."""
    return blocks[0]["text"] if len(blocks) == 1 and blocks[0]["type"] == "text" else blocks


def _blocks(message: Message, said: Said) -> list[dict[str, Any]]:
    if message.tool_calls and message.tool_calls[0].id in said:
        return said[message.tool_calls[0].id]
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content or "(nothing)"}]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message.content}] if message.content.strip() else []
    return blocks + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
        for call in message.tool_calls
    ]
