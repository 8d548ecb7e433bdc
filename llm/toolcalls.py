"""Tools for models that have none of their own: described in words, called by one JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from .blocks import read_page
from .errors import InvalidReply
from .header import find_objects
from .schema import check_schema
from .types import Message, Request, ToolCall, ToolSpec

RULES = """
# Tools
You can have a tool run for you. To call one, reply with nothing but this JSON object, in one piece:
{"tool": "<name>", "arguments": {...}}
You are then shown its outcome. When you need no tool any more, reply in the way described elsewhere, without "tool".
The tools:
"""


def emulate(request: Request) -> Request:
    """The same question for a model without native tools: they move into the system text, calls into messages."""
    if not request.tools and not any(m.role == "tool" or m.tool_calls for m in request.messages):
        return request
    told = _told(request.tools) if request.tools else ""
    messages = [_in_words(message) for message in request.messages]
    if messages and messages[0].role == "system":
        messages[0] = replace(messages[0], content=messages[0].content.rstrip() + "\n" + told)
    else:
        messages.insert(0, Message("system", told.strip()))
    # A grammar that binds the reply must let a call through: it finds the tools in the request's data.
    return replace(request, messages=tuple(messages), tools=(), data={**request.data, "spoken_tools": request.tools})


def find_call(text: str, tools: Sequence[ToolSpec]) -> ToolCall | None:
    """The tool call that a reply consists of, or None when it is an ordinary reply."""
    known = {tool.name for tool in tools}
    page = read_page(text)
    parts = [*page.prose, *(block.text for block in page.blocks if block.info in ("", "json", "tool_call"))]
    calls = [call for part in parts for found in find_objects(part) if (call := _as_call(found.value, known))]
    if len({json.dumps([c.name, c.arguments], sort_keys=True) for c in calls}) > 1:
        raise InvalidReply("There are several tool calls; call one tool at a time.")
    return calls[0] if calls else None


def check_calls(calls: Sequence[ToolCall], tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...]:
    """The calls, after their names and arguments were checked; raises InvalidReply."""
    known = {tool.name: tool for tool in tools}
    for call in calls:
        if call.name not in known:
            raise InvalidReply(f"There is no tool {call.name[:60]!r}; there are: {', '.join(sorted(known)) or 'none'}.")
        check_schema(dict(call.arguments), known[call.name].parameters, what=f"The arguments of {call.name}")
    return tuple(calls)


def parse_arguments(text: str) -> Mapping[str, Any]:
    """The arguments that a service sends as JSON text; raises InvalidReply for text that is cut or is no object."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidReply("The arguments of the tool call are not complete JSON.") from None
    if not isinstance(value, dict):
        raise InvalidReply("The arguments of a tool call must be one JSON object.")
    return cast(dict[str, Any], value)


def _as_call(value: dict[str, Any] | None, known: set[str]) -> ToolCall | None:
    """Also in the form that chat templates train, which reaches us where a server does not know it."""
    if value is not None and value.keys() == {"name", "arguments"} and value["name"] in known:
        value = {"tool": value["name"], "arguments": value["arguments"]}
    if value is None or not value.keys() <= {"tool", "arguments"} or not isinstance(value.get("tool"), str):
        return None
    arguments = value.get("arguments", {})
    if not isinstance(arguments, dict):
        raise InvalidReply('"arguments" must be one JSON object.')
    return ToolCall(id=f"call_{value['tool']}", name=value["tool"], arguments=cast(dict[str, Any], arguments))


def _told(tools: Sequence[ToolSpec]) -> str:
    lines = (f"- {tool.name}: {tool.description} Arguments: {json.dumps(tool.parameters)}" for tool in tools)
    return RULES + "\n".join(lines)


def _in_words(message: Message) -> Message:
    if message.tool_calls:
        calls = (json.dumps({"tool": call.name, "arguments": dict(call.arguments)}) for call in message.tool_calls)
        return Message("assistant", "\n".join(filter(None, (message.content, *calls))))
    if message.role == "tool":
        return Message("user", f"Outcome of the tool:\n{message.content}")
    return message
