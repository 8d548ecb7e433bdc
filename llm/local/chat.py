"""Turns a request into the prompt that a model's own chat template wants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import jinja2

from ..errors import BadRequest
from ..http.chat_api import chat_tools
from ..types import Message, Request

BREAK = "\u200b"
"""The zero-width space that breaks up a chat marker inside a message, so that the tokenizer takes the marker for
text."""


def supports_tools(template: object) -> bool:
    """Returns whether a chat template, or one of several named ones, has a place for tools."""
    if isinstance(template, Mapping):
        return any(map(supports_tools, cast("Mapping[str, object]", template).values()))
    return isinstance(template, str) and re.search(r"\btools\b", template) is not None


def prompt_ids(tokenizer: Any, request: Request, *, tools: bool) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Returns the token ids of the whole conversation up to where the model goes on, and notes on what had to be
    changed.

    Raises BadRequest if the template refuses the conversation.
    """
    markers = _markers(tokenizer)
    messages = [replace(message, content=_harmless(message.content, markers)) for message in request.messages]
    changed = any(new.content != old.content for new, old in zip(messages, request.messages, strict=True))
    text = _rendered(tokenizer, messages, request, tools=tools)
    notes = ("chat markers inside a message were broken up",) if changed else ()
    return tuple(tokenizer(text, add_special_tokens=False)["input_ids"]), notes


def _rendered(tokenizer: Any, messages: Sequence[Message], request: Request, *, tools: bool) -> str:
    specs = chat_tools(request.tools) if tools and request.tools else None
    wishes = {"enable_thinking": False} if request.schema is not None else {}
    problem = ""
    for attempt in (messages, _without_system(messages)):
        try:
            return tokenizer.apply_chat_template(
                [_plain(message) for message in attempt],
                tools=specs,
                add_generation_prompt=True,
                tokenize=False,
                **wishes,
            )
        except (jinja2.TemplateError, ValueError, TypeError) as error:
            problem = problem or str(error)
    raise BadRequest(f"The model's chat template refuses this conversation: {problem}")


def _without_system(messages: Sequence[Message]) -> list[Message]:
    """Returns the messages with the system texts moved into the first user message, for templates without a system
    role."""
    words = "\n\n".join(message.content for message in messages if message.role == "system")
    rest = [message for message in messages if message.role != "system"]
    if not words or not rest:
        return rest
    return [replace(rest[0], content=f"{words}\n\n{rest[0].content}"), *rest[1:]]


def _plain(message: Message) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        plain["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": dict(call.arguments)}}
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        plain["tool_call_id"] = message.tool_call_id
    return plain


def _markers(tokenizer: Any) -> list[str]:
    """Returns the texts that the tokenizer turns into control tokens wherever they stand."""
    added = getattr(tokenizer, "added_tokens_decoder", {})
    return sorted({str(token) for token in added.values() if token.special and len(str(token)) > 1}, key=len)


def _harmless(text: str, markers: Iterable[str]) -> str:
    """Returns the text with each marker broken up, so that the tokenizer takes it for words."""
    for marker in markers:
        if marker in text:
            text = text.replace(marker, marker[0] + BREAK + marker[1:])
    return text
