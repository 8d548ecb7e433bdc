"""Reads the web searches that Claude's service makes while it replies, and continues a turn that the service paused."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..asking import sum_of
from ..errors import LLMError
from ..shapes import items, mapping, text
from ..types import Completion, Delta, Message, Request, Search, ToolCall

if TYPE_CHECKING:
    from anthropic.types import Message as Reply

BLOCKS = ("server_tool_use", "web_search_tool_result")
PAUSE = "pause_turn"
MAX_PAUSES = 5
"""The most pauses of one reply that are answered."""


class Paused(LLMError):
    """The service paused its turn, and goes on once the unfinished turn is sent back."""

    def __init__(self, so_far: Completion, call: ToolCall) -> None:
        super().__init__("the service paused its turn", usage=so_far.usage)
        self.so_far = so_far
        self.call = call
        """The first tool call of the service's own. The turn is remembered under its id, as it was written."""


async def to_the_end(
    exchange: Callable[[Request], AsyncGenerator[Delta | Completion]], request: Request
) -> AsyncGenerator[Delta | Completion]:
    """Yields one reply. A pause is answered by sending back what was written. The usage of all parts is added up, even
    if the reply ends in an error."""
    parts: list[Completion] = []
    while True:
        try:
            async with aclosing(exchange(request)) as items:
                async for item in items:
                    yield _joined(parts, item) if isinstance(item, Completion) else item
            return
        except LLMError as error:
            if not isinstance(error, Paused) or len(parts) == MAX_PAUSES:
                error.usage = sum_of([part.usage for part in parts] + [error.usage])
                raise
            parts.append(error.so_far)
            turn = Message("assistant", error.so_far.text, tool_calls=(error.call,))
            request = replace(request, messages=(*request.messages, turn))


def _joined(parts: list[Completion], last: Completion) -> Completion:
    if not parts:
        return last
    every = [*parts, last]
    return replace(
        last,
        text="\n\n".join(part.text for part in every if part.text),
        usage=sum_of([part.usage for part in every]),
        searches=tuple(search for part in every for search in part.searches),
    )


def call_of(message: Reply) -> ToolCall | None:
    """Returns the first call of a tool that the service runs itself; None if there is none."""
    return next((ToolCall(text(b.id), text(b.name), {}) for b in message.content if b.type == BLOCKS[0]), None)


def searches_in(message: Reply) -> tuple[Search, ...]:
    """Returns what was looked for and found, in order. A search without an outcome is left out."""
    asked = {text(block.id): block.input for block in message.content if block.type == BLOCKS[0]}
    found = [block.to_dict() for block in message.content if block.type == BLOCKS[1]]
    return tuple(_search(asked.get(text(each.get("tool_use_id"))) or {}, each.get("content")) for each in found)


def _search(asked: Mapping[str, Any], content: Any) -> Search:
    query = text(asked.get("query"))
    if failed := mapping(content):
        return Search(query, error=text(failed.get("error_code")) or "no outcome")
    pages = [(text(page.get("title")), text(page.get("url"))) for page in map(mapping, items(content))]
    return Search(query, tuple(page for page in pages if page[1]))


def said_between(message: Reply) -> str:
    """Returns what the turn says. The texts before and after a search become paragraphs of their own."""
    pieces = ["\n\n" if b.type in BLOCKS else text(b.text) if b.type == "text" else "" for b in message.content]
    return "".join(pieces).strip("\n") if "\n\n" in pieces else "".join(pieces)


def counted(usage: Any) -> int:
    """Returns how often the web was searched, by the service's own count."""
    told = getattr(getattr(usage, "server_tool_use", None), "web_search_requests", 0)
    return told if isinstance(told, int) else 0
