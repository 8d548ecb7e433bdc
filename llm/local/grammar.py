"""Builds the grammar that binds the beginning of a reply.

The reply begins with a JSON header and then the opening of a code block, or with tool calls.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ..types import CodeBlock, JsonSchema, ToolSpec

WHITESPACE = r"[ \n]{0,2}"
"""The whitespace that is allowed between JSON tokens. Without a bound an unsure model writes blanks until its limit."""
BLANKS = 8
"""The most characters between two members: a comma, a colon, and three times two blanks."""
SPARE = 16
"""Tokens that are kept free when a header is closed early."""
OPENING = "<tool_call>"
"""How the most common family of chat templates (Qwen, Hermes, SmolLM) opens a tool call. A grammar binds native calls
only for this family."""
ALTERNATIVES = ("anyOf", "oneOf", "allOf")
FENCES: Mapping[CodeBlock, str] = {"required": "python", "edits": "(python|edits)"}


def reply_grammar(schema: JsonSchema, code: CodeBlock, tools: Sequence[ToolSpec] = (), marker: str = "") -> str:
    """Returns the Lark grammar of everything up to the free part of a reply.

    With `tools`, the reply is either a header or calls. `marker` is the Lark token with which the model opens a call;
    if it is "", a call is a bare object {"tool", "arguments"}.
    """
    lines = [f"header: %json {json.dumps(_guided(schema))}"]
    if code in FENCES:
        lines.append(f"fence: /`{{3,6}}{FENCES[code]}\\n/")
        start = "header /\\n{1,2}/ fence" if schema.get("required") else "(header /\\n{1,2}/)? fence"
    else:
        start = "header"
    if tools:
        calls = " | ".join(_call(tool, "name" if marker else "tool") for tool in tools)
        closing = marker.replace("<", "</", 1)
        start += " | call+" if marker else " | call"
        lines.append(f"call: {marker} /\\n?/ ({calls}) /\\n?/ {closing} /\\n?/" if marker else f"call: {calls}")
    return "\n".join([f"start: {start}", *lines]) + "\n"


def grammar_marker(tokenizer: Any) -> str:
    """Returns how a grammar names the opening of a tool call for this model; "" if the model writes calls in another
    way."""
    if OPENING not in str(getattr(tokenizer, "chat_template", "") or ""):
        return ""
    token = next((t for t in tokenizer.added_tokens_decoder.values() if str(t) == OPENING), None)
    return OPENING if token is not None and token.special else json.dumps(OPENING)


def closing_point(schema: JsonSchema, max_tokens: int, code: CodeBlock) -> int:
    """Returns the number of tokens after which an open header must be brought to its end, so that it still fits."""
    room = max_tokens // 2 if code != "none" else max_tokens
    return max(room // 4, room - _shortest(schema) - SPARE, 1)


def _shortest(schema: Any) -> int:
    """Returns the most characters, and so the most tokens, that the rest of a header can need once it is to end: every
    member, and one item of each list, because any of them may have been begun."""
    if not isinstance(schema, Mapping):
        return BLANKS
    parts = dict(_items(schema))
    options: list[Any] = parts.get("enum") or ([parts["const"]] if "const" in parts else [])
    if options:
        return max(len(json.dumps(option)) for option in options)
    if parts.get("type") == "string":
        return 2 + int(parts.get("minLength", 0))
    if parts.get("type") == "array":
        return BLANKS + max(1, int(parts.get("minItems", 0))) * _shortest(parts.get("items"))
    members: dict[str, Any] = parts.get("properties") or {}
    inner = sum(len(json.dumps(name)) + BLANKS + _shortest(part) for name, part in members.items())
    return BLANKS + inner + sum(_shortest(part) for word in ALTERNATIVES for part in parts.get(word, ()))


def _call(tool: ToolSpec, name: str) -> str:
    parameters = tool.parameters or {"type": "object", "properties": {}}
    shape: JsonSchema = {
        "type": "object",
        "properties": {name: {"const": tool.name}, "arguments": parameters},
        "required": [name, "arguments"],
        "additionalProperties": False,
    }
    return f"%json {json.dumps(_guided(shape))}"


def _guided(schema: JsonSchema) -> dict[str, Any]:
    return {**cast("dict[str, Any]", _tightened(schema)), "x-guidance": {"whitespace_pattern": WHITESPACE}}


def _tightened(schema: Any) -> Any:
    """Returns the schema made narrower, so that the model cannot invent keys or write endless digits."""
    if isinstance(schema, list):
        return [_tightened(part) for part in cast("list[Any]", schema)]
    if not isinstance(schema, Mapping):
        return schema
    own = {key: value if key in ("enum", "const") else _tightened(value) for key, value in _items(schema)}
    if isinstance(own.get("properties"), dict):
        own.setdefault("additionalProperties", False)
    if own.get("type") == "number" and {"minimum", "maximum"} <= own.keys():
        own.setdefault("multipleOf", 0.001)
    return own


def _items(schema: Any) -> list[tuple[str, Any]]:
    return list(cast("Mapping[str, Any]", schema).items())
