"""Reads the tool calls that local models write into their text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ..types import ToolCall, ToolSpec

OPENING = "<tool_call>"
"""How the most common family of templates (Qwen, Hermes, SmolLM) opens a call; only there grammar binds calls."""
_TAGGED = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_LISTED = re.compile(r"\[TOOL_CALLS\]\s*(\[.*\])", re.DOTALL)
_BARE = re.compile(r"\A\s*(?:<\|python_tag\|>)?\s*(\{.*\})\s*\Z", re.DOTALL)


def read_tool_calls(text: str, tools: Sequence[ToolSpec]) -> tuple[str, tuple[ToolCall, ...]]:
    """The text before the calls, and the calls. Anything that is not exactly a call of an offered tool leaves the
    text as it was: a half-understood call is never run."""
    if not tools:
        return text, ()
    for pattern in (_TAGGED, _LISTED, _BARE):
        found = list(pattern.finditer(text))
        if not found:
            continue
        calls = list(_calls((match.group(1) for match in found), {tool.name for tool in tools}))
        if calls and None not in calls:
            return text[: found[0].start()].strip(), tuple(call for call in calls if call)
    return text, ()


def grammar_marker(tokenizer: Any) -> str:
    """How a grammar names the opening of a tool call for this model; "" when it writes calls another way."""
    if OPENING not in str(getattr(tokenizer, "chat_template", "") or ""):
        return ""
    token = next((t for t in tokenizer.added_tokens_decoder.values() if str(t) == OPENING), None)
    return OPENING if token is not None and token.special else json.dumps(OPENING)


def _calls(texts: Iterator[str], names: set[str]) -> Iterator[ToolCall | None]:
    number = 0
    for text in texts:
        try:
            data: Any = json.loads(text)
        except ValueError:
            yield None
            continue
        for item in cast("list[Any]", data) if isinstance(data, list) else [data]:
            number += 1
            yield _call(item, names, number)


def _call(item: Any, names: set[str], number: int) -> ToolCall | None:
    if not isinstance(item, Mapping):
        return None
    fields = cast("Mapping[str, Any]", item)
    arguments: Any = fields.get("arguments", fields.get("parameters", {}))
    if fields.get("name") not in names or not isinstance(arguments, Mapping):
        return None
    return ToolCall(
        id=str(fields.get("id") or f"call_{number}"),
        name=str(fields["name"]),
        arguments=dict(cast("Mapping[str, Any]", arguments)),
    )
