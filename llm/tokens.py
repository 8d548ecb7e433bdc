"""Estimates token counts, for limits and for calls whose service reports none."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .types import Request

CHARS_PER_TOKEN = 3
"""The UTF-8 bytes that count as one token. Code has 3 to 4 for each token."""


def estimate_tokens(text: str) -> int:
    """Returns the estimated tokens of a text, rounded up."""
    return -(-len(text.encode(errors="replace")) // CHARS_PER_TOKEN)


def prompt_tokens(request: Request) -> int:
    """Returns the estimated tokens of the whole prompt: messages, calls and tools."""
    return sum(estimate_tokens(part) + 4 for part in _parts(request))


def _parts(request: Request) -> Iterable[str]:
    for message in request.messages:
        yield message.content
        yield from (json.dumps(dict(call.arguments), default=str) for call in message.tool_calls)
    yield from (tool.description + json.dumps(tool.parameters) for tool in request.tools)
