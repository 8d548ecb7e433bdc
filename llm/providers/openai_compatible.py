"""Every service behind the chat-completions protocol; what one refuses is left out and remembered."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from ..chat_api import chat_messages, chat_tools
from ..dialect import Dialect
from ..faults import Whom
from ..gathering import GatheringProvider
from ..remote import SAMPLING
from ..strict import strict_schema
from ..types import Caps, Request, SchemaMode
from ..wire import read_events

if TYPE_CHECKING:
    import httpx2


class OpenAICompatible(GatheringProvider):
    """`options`: `context`, `thoughts` (both tokens), `effort`, `schema` (where its ladder starts), `stall_s`,
    `total_s`."""

    path = "/chat/completions"
    holds = "choices"
    after_finish_s = 5.0

    def caps(self, model: str) -> Caps:
        dialect = self._dialect(model)
        return Caps(dialect.tools, dialect.schema, dialect.context, self._spec.free, self._thoughts)

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

    def _frames(self, answer: httpx2.Response, whom: Whom, until: float) -> AsyncGenerator[str]:
        return read_events(answer, whom, until)

    def _first_dialect(self) -> Dialect:
        context = self._settings.options.get("context")
        start: SchemaMode = self._settings.options.get("schema", self._spec.schema)
        return Dialect(start, self._spec.limit, context=int(context) if context else None)
