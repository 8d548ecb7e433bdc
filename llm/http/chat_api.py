"""Holds what the wires without a client library share.

It writes messages, and gathers a reply from a body or from chunks.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import AlienReply, LLMError, Overloaded, TruncatedStream
from ..replies.toolcalls import parse_arguments
from ..shapes import count, items, mapping, piece, text
from ..types import Completion, Delta, Finish, Message, Request, Search, ToolCall, ToolSpec, Usage
from .complaint import read_complaint
from .faults import Whom, from_body
from .remote import RemoteProvider
from .wire import as_object, sendable

if TYPE_CHECKING:
    import httpx2

STOPS: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool",
    "function_call": "tool",
    "content_filter": "refusal",
    "sensitive": "refusal",
}
"""How each reason to stop that a service may name ends a reply."""
BROKEN_OFF = ("error", "network_error", "insufficient_system_resource", "abort")
"""The reasons to stop that mean a failure of the service."""
DONE = "[DONE]"
"""The frame that ends a stream."""


@dataclass(slots=True)
class CallPieces:
    """A tool call while its pieces arrive."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class ChatCollector:
    """Puts a chat-completions reply together, from one body or from the chunks of a stream."""

    texts: list[str] = field(default_factory=list[str])
    refusals: list[str] = field(default_factory=list[str])
    pieces: dict[int, CallPieces] = field(default_factory=dict[int, CallPieces])
    counts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    stop: str = ""
    model: str | None = None
    messages: int = 0
    cited: dict[str, str] = field(default_factory=dict[str, str])
    """The title of each web page that the reply cites, by its address."""

    def take(self, body: Mapping[str, Any]) -> str:
        """Reads a whole body or one chunk of a stream. Returns the text that it adds."""
        self.model = text(body.get("model")) or self.model
        self.counts = mapping(body.get("usage")) or mapping(mapping(body.get("x_groq")).get("usage")) or self.counts
        added = ""
        for choice in map(mapping, items(body.get("choices"))):
            if not count(choice.get("index")):  # one choice was asked for; others do not count
                self.stop = text(choice.get("finish_reason")) or self.stop
                added += self._take_message(choice.get("message") or choice.get("delta"))
        return added

    @property
    def finish(self) -> Finish | None:
        """Why the reply ended; None if it has not ended, or ended for an unknown reason."""
        finish = STOPS.get(self.stop)
        if self.refusals and finish:
            return "refusal"
        return "tool" if self.pieces and finish == "stop" else finish

    def calls(self) -> tuple[ToolCall, ...]:
        """Returns the tool calls of the reply. Raises InvalidReply if their arguments are cut."""
        return tuple(
            ToolCall(call.id or f"call_{index}", call.name, parse_arguments("".join(call.arguments)))
            for index, call in sorted(self.pieces.items())
        )

    def usage(self) -> Usage:
        """Returns the tokens and searches that the service counted."""
        cached = count(mapping(self.counts.get("prompt_tokens_details")).get("cached_tokens"))
        hits = count(self.counts.get("prompt_cache_hit_tokens"))
        given, output = count(self.counts.get("prompt_tokens")), count(self.counts.get("completion_tokens"))
        return Usage(given, output, cached or hits or 0, searches=self._searched())

    def searches(self) -> tuple[Search, ...]:
        """Returns the web search of the reply, if there was one. The protocol names the pages that are cited, but not
        what was looked for."""
        return (Search("", tuple((title, url) for url, title in self.cited.items())),) if self.cited else ()

    def _searched(self) -> int:
        told = mapping(self.counts.get("server_tool_use")) or mapping(self.counts.get("server_tool_use_details"))
        return count(told.get("web_search_requests")) or int(bool(self.cited))

    def _take_message(self, told: object) -> str:
        message = mapping(told)
        if refusal := text(message.get("refusal")):
            self.refusals.append(refusal)
        for position, call in enumerate(map(mapping, items(message.get("tool_calls")))):
            self.take_call(call, position)
        for page in (mapping(mapping(each).get("url_citation")) for each in items(message.get("annotations"))):
            if url := text(page.get("url")):
                self.cited.setdefault(url, text(page.get("title")))
        return self.take_text(told)

    def take_text(self, message: object) -> str:
        """Takes the text of a message. Returns the part of it that can be shown."""
        self.messages += isinstance(message, dict)
        content = mapping(message).get("content")
        self.texts.append(piece(content) or "".join(piece(mapping(part).get("text")) for part in items(content)))
        return text(self.texts[-1])

    def take_call(self, call: Mapping[str, Any], position: int) -> None:
        """Takes a piece of a tool call, which is number `position` in its message."""
        index = count(call.get("index"))
        if index is None:
            index = self._index_of(text(call.get("id")), position)
        pieces = self.pieces.setdefault(index, CallPieces())
        function = mapping(call.get("function"))
        pieces.id = pieces.id or text(call.get("id"))
        pieces.name = pieces.name or text(function.get("name"))
        arguments = function.get("arguments")
        pieces.arguments.append(json.dumps(arguments) if isinstance(arguments, dict) else text(arguments))

    def _index_of(self, id: str, position: int) -> int:
        """Returns the number of the call that a piece belongs to, if the service numbers none: a new id begins a new
        call."""
        known = next((index for index, call in self.pieces.items() if call.id == id), None)
        return known if known is not None else len(self.pieces) if id else position


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Returns the conversation for the service. All system texts are joined into one message at its head, where every
    chat template takes them."""
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    head: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    return head + [_message(message) for message in messages if message.role != "system"]


def chat_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def _message(message: Message) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        made["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for call in message.tool_calls
        ]
    return made


class GatheringProvider(RemoteProvider):
    """The base of the wires without a client library. A subclass writes a request (`_body`) and splits an answer into
    frames (`_frames`)."""

    path: ClassVar[str]
    holds: ClassVar[str]
    """The name of the part of a body that holds the reply."""
    after_finish_s: ClassVar[float] = 0.0
    """The seconds that token counts are waited for once the reply is complete."""
    collector: ClassVar[type[ChatCollector]] = ChatCollector

    async def _send(self, request: Request, model: str) -> AbstractAsyncContextManager[httpx2.Response]:
        client = await self._connected()
        return client.stream("POST", self.path, json=sendable(self._body(request, model)))

    def _frames(self, answer: httpx2.Response, whom: Whom, until: float) -> AsyncGenerator[str]:
        raise NotImplementedError

    def _read_whole(self, body: dict[str, Any], request: Request, model: str) -> Completion:
        gathering = self.collector()
        gathering.take(body)
        if body.get("error") or not gathering.messages:
            raise from_body(body, self._whom(model, request))
        return self._completion(gathering, request, model)

    async def _events(
        self, answer: httpx2.Response, request: Request, model: str, until: float
    ) -> AsyncGenerator[Delta | Completion]:
        gathering, whom = self.collector(), self._whom(model, request)
        try:
            async with aclosing(self._frames(answer, whom, until)) as frames:
                while (data := await self._next_frame(frames, finished=bool(gathering.stop))) != DONE:
                    if added := gathering.take(self._frame(data, whom, begun=gathering.messages > 0)):
                        yield Delta(added)
            if not gathering.stop:
                raise whom.error(TruncatedStream, "the stream ended before its end")
            yield self._completion(gathering, request, model)
        except LLMError as error:
            error.usage = gathering.usage()
            raise

    async def _next_frame(self, frames: AsyncIterator[str], *, finished: bool) -> str:
        """Returns the next frame that is not empty, or DONE. A complete reply is not lost to a connection that breaks
        or stalls afterwards."""
        if finished and not self.after_finish_s:
            return DONE
        try:
            async with asyncio.timeout(self.after_finish_s if finished else None):
                while not (data := (await anext(frames, DONE)).strip()):
                    pass
                return data
        except (TimeoutError, LLMError):
            if finished:
                return DONE
            raise

    def _frame(self, data: str, whom: Whom, *, begun: bool) -> dict[str, Any]:
        """Returns the JSON object of one frame. A frame that is cut means that the stream broke, not that the address
        is wrong."""
        try:
            body = as_object(data, whom)
        except AlienReply:
            if begun or data.startswith("{"):
                raise whom.error(TruncatedStream, "the stream broke in the middle") from None
            raise
        if body.get("error") or (self.holds not in body and read_complaint(data).words):
            raise from_body(body, whom)
        return body

    def _usage(self, gathering: ChatCollector, request: Request, model: str) -> Usage:
        """Returns the usage of a reply. A service that is told to search does so before it replies, even if the reply
        cites no page, so one search counts at least."""
        usage = gathering.usage()
        told = "web_search_options" in self._search(request, model)
        return replace(usage, searches=max(usage.searches, int(told)))

    def _completion(self, gathering: ChatCollector, request: Request, model: str) -> Completion:
        if gathering.stop in BROKEN_OFF:
            raise self._whom(model).error(Overloaded, f"it broke the reply off ({gathering.stop})")
        return self._completed(
            request,
            model,
            gathering.finish,
            text=text("".join(gathering.texts)),
            usage=self._usage(gathering, request, model),
            model_reported=gathering.model,
            tool_calls=gathering.calls() if gathering.finish == "tool" else (),
            searches=gathering.searches(),
        )
