"""Claude's Messages protocol: how turns are written, and what is read from a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .replies.toolcalls import parse_arguments
from .shapes import count, mapping, text
from .tokens import CHARS_PER_TOKEN, estimate_tokens
from .types import Finish, ToolCall, Usage
from .types import Message as Turn

if TYPE_CHECKING:
    from anthropic.types import Message

STOPS: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "refusal",
}


THOUGHTS = ("thinking", "redacted_thinking")
CACHEABLE = 512
"""Tokens below which the service caches no prefix; some of its models want more, and ignore a mark on less."""
CACHED = {"cache_control": {"type": "ephemeral"}}


def text_of(message: Message) -> str:
    return "".join(text(block.text) for block in message.content if block.type == "text")


def calls_of(message: Message, written: Mapping[int, str]) -> tuple[ToolCall, ...]:
    """The tools that the turn calls; raises InvalidReply when arguments are cut.

    `written`: by number of their block the arguments as they were written, which the SDK completes where they are cut.
    """
    return tuple(
        ToolCall(text(use.id), text(use.name), parse_arguments(written[at]) if written.get(at) else mapping(use.input))
        for at, use in enumerate(message.content)
        if use.type == "tool_use"
    )


def turn_of(message: Message) -> list[dict[str, Any]]:
    """The whole turn to send back; empty where it holds no thoughts and can be written anew."""
    if not any(block.type in THOUGHTS for block in message.content):
        return []
    return [block.to_dict() for block in message.content if block.type != "text" or block.text]


def usage_of(message: Message | None) -> Usage:
    """`input` is the sum of fresh, cached and written tokens; the service counts them apart."""
    counts: Any = message.usage if message is not None else None
    fresh, output, cached, written = (
        count(getattr(counts, name, None))
        for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    cached, written = cached or 0, written or 0
    return Usage(None if fresh is None else fresh + cached + written, output, cached, written)


Said = Mapping[str, list[dict[str, Any]]]
"""Id of a turn's first tool call -> that turn as the service wrote it."""


def turns(messages: Sequence[Turn], said: Said) -> list[dict[str, Any]]:
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


def _blocks(message: Turn, said: Said) -> list[dict[str, Any]]:
    if message.tool_calls and message.tool_calls[0].id in said:
        return said[message.tool_calls[0].id]
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content or "(nothing)"}]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message.content}] if message.content.strip() else []
    return blocks + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
        for call in message.tool_calls
    ]


def mark_stable(sent: list[dict[str, Any]], messages: Sequence[Turn], before: int) -> None:
    """Part the first question where later ones to the same role differ from it, and mark the part that stays, when it
    is long enough with the `before` characters of system text in front of it."""
    first = next((message for message in messages if message.role == "user"), None)
    if first is None or not first.stable or not isinstance(sent[0]["content"], str):
        return
    kept, rest = first.content[: first.stable], first.content[first.stable :]
    if estimate_tokens(kept) + before // CHARS_PER_TOKEN >= CACHEABLE and rest.strip():
        sent[0]["content"] = [{"type": "text", "text": kept, **CACHED}, {"type": "text", "text": rest}]
