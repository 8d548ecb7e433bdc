"""Every service behind the chat-completions protocol; what one refuses is left out and remembered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing
from typing import TYPE_CHECKING, Any

from ..chat_api import BROKEN_OFF, ChatCollector, chat_messages, chat_tools
from ..complaint import read_complaint
from ..dialect import Dialect
from ..errors import LLMError, Overloaded, TruncatedStream
from ..faults import Whom, from_body
from ..remote import SAMPLING, RemoteProvider
from ..strict import strict_schema
from ..types import Caps, Completion, Delta, Request, SchemaMode
from ..wire import as_object, read_events

if TYPE_CHECKING:
    import httpx2

DONE = "[DONE]"
AFTER_FINISH_S = 5.0
"""How long the counts of tokens are waited for once the reply itself is complete."""


class OpenAICompatible(RemoteProvider):
    """`options`: `context`, `thoughts` (both tokens), `effort`, `schema` (where its ladder starts), `stall_s`,
    `total_s`."""

    def caps(self, model: str) -> Caps:
        dialect = self._dialect(model)
        return Caps(dialect.tools, dialect.schema, dialect.context, self._spec.free, self._thoughts)

    async def _send(self, request: Request, model: str) -> AbstractAsyncContextManager[httpx2.Response]:
        client = await self._connected()
        return client.stream("POST", "/chat/completions", json=self._body(request, model))

    def _body(self, request: Request, model: str) -> dict[str, Any]:
        dialect = self._dialect(model)
        told = self._told(request, model)
        body: dict[str, Any] = {"model": model, "messages": chat_messages(told.messages), "stream": True}
        body[dialect.limit] = self._limit(told, dialect)
        if told.tools:
            body["tools"] = chat_tools(told.tools)
        if "stream" not in dialect.without:
            body["stream_options"] = {"include_usage": True}
        body.update({name: value for name in SAMPLING if (value := getattr(request, name)) is not None})
        if effort := self._settings.options.get("effort"):
            body["reasoning_effort"] = effort
        body.update(self._spec.extra)
        if response_format := self._response_format(request, model):
            body["response_format"] = response_format
        return {key: value for key, value in body.items() if key not in dialect.without}

    def _response_format(self, request: Request, model: str) -> dict[str, Any] | None:
        mode = self._mode(request, model)
        if mode == "native":
            schema = strict_schema(request.schema or {}, bounds=self._spec.bounds)
            return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}
        if mode == "object":
            beside = {"schema": dict(request.schema or {})} if self._spec.object_schema else {}
            return {"type": "json_object", **beside}
        return None

    def _whole(self, body: dict[str, Any], request: Request, model: str) -> Completion:
        gathering = ChatCollector()
        gathering.take(body)
        if body.get("error") or not gathering.messages:
            raise from_body(body, self._service(model, request))
        return self._completion(gathering, request, model)

    async def _events(
        self, answer: httpx2.Response, request: Request, model: str, until: float
    ) -> AsyncGenerator[Delta | Completion]:
        gathering = ChatCollector()
        try:
            async with aclosing(read_events(answer, self._service(model, request), until)) as events:
                while (added := await self._next_piece(events, gathering, self._service(model, request))) is not None:
                    if added:
                        yield Delta(added)
            if not gathering.stop:
                raise self._service(model, request).error(TruncatedStream, "the stream ended before its end")
            yield self._completion(gathering, request, model)
        except LLMError as error:
            error.usage = gathering.usage()
            raise

    async def _next_piece(self, events: AsyncIterator[str], gathering: ChatCollector, whom: Whom) -> str | None:
        """The text that the next event adds, maybe ""; None at the end."""
        data = await self._next_event(events, finished=bool(gathering.stop))
        if data == DONE:
            return None
        body = as_object(data, whom)
        if body.get("error") or ("choices" not in body and read_complaint(data).words):
            raise from_body(body, whom)
        return gathering.take(body)

    async def _next_event(self, events: AsyncIterator[str], *, finished: bool) -> str:
        """The next event; a reply that is complete is not lost to a connection that breaks or stalls afterwards."""
        try:
            async with asyncio.timeout(AFTER_FINISH_S if finished else None):
                return (await anext(events, DONE)).strip()
        except (TimeoutError, LLMError):
            if finished:
                return DONE
            raise

    def _completion(self, gathering: ChatCollector, request: Request, model: str) -> Completion:
        if gathering.stop in BROKEN_OFF:
            raise self._service(model).error(Overloaded, f"it broke the reply off ({gathering.stop})")
        return self._done(
            request,
            model,
            gathering.finish,
            text="".join(gathering.texts),
            usage=gathering.usage(),
            model_reported=gathering.model,
            tool_calls=gathering.calls() if gathering.finish == "tool" else (),
        )

    def _first_dialect(self) -> Dialect:
        context = self._settings.options.get("context")
        start: SchemaMode = self._settings.options.get("schema", self._spec.schema)
        return Dialect(start, self._spec.limit, context=int(context) if context else None)
