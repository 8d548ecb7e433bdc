"""Gives tools to models that have none of their own: they are described in words and called by one JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from llm.errors import InvalidReply
from llm.replies.coerce import check_schema
from llm.types import Message, Request, ToolCall, ToolSpec

from .spoken import spoken_calls

RULES = """
# Tools
You can have a tool run for you. To call one, reply with nothing but this JSON object, in one piece:
{"tool": "<name>", "arguments": {...}}
You are then shown its outcome. When you need no tool any more, reply in the way described elsewhere, without "tool".
The tools:
"""


def emulate(request: Request) -> Request:
    """Returns the request for a model without native tools: tools move into the system text, calls and outcomes into
    messages."""
    if not request.tools and not any(m.role == "tool" or m.tool_calls for m in request.messages):
        return request
    told = _tools_in_words(request.tools) if request.tools else ""
    messages = [_message_in_words(message) for message in request.messages]
    if messages and messages[0].role == "system":
        messages[0] = replace(messages[0], content=messages[0].content.rstrip() + "\n" + told)
    else:
        messages.insert(0, Message("system", told.strip()))
    # A grammar that binds the reply must let a call through; it finds the tools in the request's data.
    return replace(request, messages=tuple(messages), tools=(), data={**request.data, "spoken_tools": request.tools})


def find_calls(text: str, tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...]:
    """Returns the tool calls of a reply, in their order and each once; none for an ordinary reply. What follows an
    outcome that the model made up does not count."""
    known = {tool.name: tool for tool in tools}
    return tuple(replace(call, id=f"call_{place}_{call.name}") for place, call in enumerate(spoken_calls(text, known)))


def check_calls(calls: Sequence[ToolCall], tools: Sequence[ToolSpec]) -> tuple[ToolCall, ...]:
    """Checks the names and arguments of the calls and returns them. Raises InvalidReply."""
    known = {tool.name: tool for tool in tools}
    for call in calls:
        if call.name not in known:
            raise InvalidReply(f"There is no tool {call.name[:60]!r}; there are: {', '.join(sorted(known)) or 'none'}.")
        check_schema(dict(call.arguments), known[call.name].parameters, what=f"The arguments of {call.name}")
    return tuple(calls)


def parse_arguments(text: str) -> Mapping[str, Any]:
    """Returns the arguments that a service sends as JSON text. Raises InvalidReply if the text is cut or is not an
    object."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidReply("The arguments of the tool call are not complete JSON.") from None
    if not isinstance(value, dict):
        raise InvalidReply("The arguments of a tool call must be one JSON object.")
    return cast(dict[str, Any], value)


def _tools_in_words(tools: Sequence[ToolSpec]) -> str:
    lines = (f"- {tool.name}: {tool.description} Arguments: {json.dumps(tool.parameters)}" for tool in tools)
    return RULES + "\n".join(lines)


def _message_in_words(message: Message) -> Message:
    if message.tool_calls:
        calls = (json.dumps({"tool": call.name, "arguments": dict(call.arguments)}) for call in message.tool_calls)
        return Message("assistant", "\n".join(filter(None, (message.content, *calls))))
    if message.role == "tool":
        return Message("user", f"Outcome of the tool:\n{message.content}")
    return message
