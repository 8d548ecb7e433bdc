"""How every provider behind HTTP is asked, and what is asked of it, in the tests of its contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from llm import errors
from llm.types import Completion, Delta, Provider, ToolSpec

from .conftest import ask
from .protocols import Llama, Speaker
from .servers import Seen, Sent

Connect = Callable[..., Provider]
SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "maxLength": 9}, "why": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
TOOL = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]})
OK_USAGE = (16, 7)


def chat_only(speaker: Speaker, answer: Any) -> Any:
    """The answer to the chat request; what comes before it is answered honestly."""

    def reply(seen: Seen) -> Sent:
        if isinstance(speaker, Llama) and seen.path == "/api/show":
            return speaker.shown()
        return answer if isinstance(answer, Sent) else answer(seen)

    return reply


async def answer_of(provider: Provider, speaker: Speaker, **request: Any) -> Completion:
    """The completion, after checking that a stream's pieces make its text."""
    *pieces, last = [item async for item in provider.stream(ask(**request), model=speaker.model)]
    assert isinstance(last, Completion)
    assert all(isinstance(item, Delta) for item in pieces)
    assert "".join(item.text for item in pieces if isinstance(item, Delta)) == last.text
    return last


async def fault_of(provider: Provider, speaker: Speaker, **request: Any) -> errors.LLMError:
    """The error of a question that must go wrong."""
    with pytest.raises(errors.LLMError) as raised:
        await drain(provider, speaker, **request)
    return raised.value


async def drain(provider: Provider, speaker: Speaker, **request: Any) -> None:
    """Listen to a stream that must end badly: pieces only, no completion."""
    async for item in provider.stream(ask(**request), model=speaker.model):
        assert isinstance(item, Delta)
