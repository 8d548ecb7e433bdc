"""Rough token counts, for limits and for calls whose service reports none."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .types import Request

CHARS_PER_TOKEN = 3
"""Characters that are counted as one token; code has 3 to 4."""


def estimate_tokens(text: str) -> int:
    return -(-len(text.encode(errors="replace")) // CHARS_PER_TOKEN)


def prompt_tokens(request: Request) -> int:
    """The whole prompt: messages, calls, tools."""
    return sum(estimate_tokens(part) + 4 for part in _parts(request))


def _parts(request: Request) -> Iterable[str]:
    for message in request.messages:
        yield message.content
        yield from (json.dumps(dict(call.arguments), default=str) for call in message.tool_calls)
    yield from (tool.description + json.dumps(tool.parameters) for tool in request.tools)
