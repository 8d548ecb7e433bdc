"""Claude through the Messages API: cached prefix, native schema and tools, every stop reason told apart."""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, cast

from ..errors import LLMError, TruncatedStream
from ..faults import StatusFault, from_stream
from ..messages_api import STOPS, Gathering, turns
from ..remote import RemoteProvider
from ..tokens import estimate_tokens
from ..types import Caps, Completion, Delta, ProviderSettings, Request
from ..wire import as_object, open_client, read_events

if TYPE_CHECKING:
    import httpx2

CONTEXT = 200_000
CACHEABLE = 512
"""Tokens below which the service caches no prefix."""
CACHED = {"cache_control": {"type": "ephemeral"}}
REMEMBERED = 200
REFUSED = {
    "cache_control": (re.compile(r"cache_control|\bsystem\b"), "the service caches no prompts"),
    "output_config": (
        re.compile(r"output_config|json_schema|effort"),
        "the service takes no reply schema; the model is told it in words",
    ),
}
"""Part of a request that an imitation of the service may not take -> how its refusal names it, and what is told."""


class AnthropicProvider(RemoteProvider):
    """`options`: `context`, `thoughts` (both tokens), `effort` (low, medium, high, ...), `stall_s`, `total_s`."""

    def __init__(self, name: str, settings: ProviderSettings) -> None:
        super().__init__(name, settings)
        self._base_url = self._base_url.removesuffix("/v1")
        self._said: dict[str, dict[str, list[dict[str, Any]]]] = {}
        """Model -> its turns that hold thoughts, which are good for that model only."""
        self._without: dict[str, list[str]] = {}
        """Model -> parts of a request that were refused."""
        self._key_header = "authorization"

    def caps(self, model: str) -> Caps:
        schema = "prompt" if "output_config" in self._without.get(model, ()) else "native"
        context = int(self._settings.options.get("context", CONTEXT))
        return Caps(tools=True, schema=schema, context=context, thoughts=self._thoughts)

    async def _open_client(self, stall_s: float) -> Any:
        sdk = await asyncio.to_thread(importlib.import_module, "anthropic")
        http = open_client(self._base_url, self._settings.key, stall_s, key_header=self._key_header)
        return sdk.AsyncAnthropic(
            api_key=self._settings.key or "none",
            base_url=self._base_url,
            http_client=http,
            max_retries=0,
            timeout=http.timeout,
            open_telemetry=False,
        )

    async def _close_client(self, client: Any) -> None:
        await client.close()

    async def _send(
        self, request: Request, model: str, *, streaming: bool
    ) -> AbstractAsyncContextManager[httpx2.Response]:
        client = await self._connected()
        return client.messages.with_streaming_response.create(**self._body(request, model), stream=streaming)

    def _body(self, request: Request, model: str) -> dict[str, Any]:
        system = "\n\n".join(message.content for message in request.messages if message.role == "system")
        said = self._said.get(model, {})
        body: dict[str, Any] = {"model": model, "messages": turns(request.messages, said)}
        body["max_tokens"] = request.max_tokens + self._thoughts
        cached = "cache_control" not in self._without.get(model, ())
        if system:
            long = cached and estimate_tokens(system) >= CACHEABLE
            body["system"] = [{"type": "text", "text": system, **CACHED}] if long else system
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
                for tool in request.tools
            ]
            body.update(CACHED if cached else {})
        if (schema := self._native_schema(request, model)) is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        effort = self._settings.options.get("effort")
        if effort and "output_config" not in self._without.get(model, ()):
            body.setdefault("output_config", {})["effort"] = effort
        return body

    def _native_schema(self, request: Request, model: str) -> dict[str, Any] | None:
        """The schema that the service enforces: only where the reply is nothing but the JSON object."""
        if request.schema is None or request.code != "none" or request.tools:
            return None
        if "output_config" in self._without.get(model, ()):
            return None
        transform = importlib.import_module("anthropic").transform_schema
        try:
            return cast(dict[str, Any], transform(dict(request.schema)))
        except ValueError:
            return None

    def _lower(self, request: Request, model: str, fault: StatusFault) -> bool:
        if fault.status == 400 and "thinking" in fault.text and self._said.pop(model, None):
            return True
        if fault.status == 401 and "x-api-key" in fault.text and self._key_header == "authorization":
            self._key_header = "x-api-key"
            self._clients.clear()
            return True
        if fault.status not in (400, 422, 500):
            return False
        sent, without = str(self._body(request, model)), self._without.setdefault(model, [])
        refused = next(
            (part for part, (words, _) in REFUSED.items() if part in sent and words.search(fault.text)), None
        )
        if refused is None or refused in without:
            return False
        without.append(refused)
        return True

    def _whole(self, body: dict[str, Any], request: Request, model: str) -> Completion:
        if body.get("type") == "error":
            raise from_stream(body.get("error"), self._service(model, request))
        if not isinstance(body.get("content"), list):
            raise self._alien(model, "without content")
        gathering = Gathering()
        gathering.take_message(body)
        return self._completion(gathering, request, model)

    async def _events(
        self, response: httpx2.Response, request: Request, model: str, until: float
    ) -> AsyncGenerator[Delta | Completion]:
        gathering = Gathering()
        try:
            async for data in read_events(response, self._service(model), until):
                event = as_object(data, self._service(model))
                if event.get("type") == "message_stop":
                    yield self._completion(gathering, request, model)
                    return
                if event.get("type") == "error":
                    raise from_stream(event.get("error"), self._service(model, request))
                if added := gathering.take_event(event):
                    yield Delta(added)
            raise self._service(model, request).error(TruncatedStream, "the stream ended before its end")
        except LLMError as error:
            error.usage = gathering.usage()
            raise

    def _completion(self, gathering: Gathering, request: Request, model: str) -> Completion:
        finish = STOPS.get(gathering.stop)
        if finish is None:
            raise self._alien(model, "without a known reason to stop")
        calls = gathering.calls() if finish == "tool" else ()
        if calls and (turn := gathering.turn()):
            self._remember(model, calls[0].id, turn)
        return Completion(
            text="".join(gathering.texts),
            finish=finish,
            usage=gathering.usage(),
            provider=self._name,
            model=model,
            model_reported=gathering.model,
            tool_calls=calls,
            request_id=gathering.id,
            schema_mode=self._schema_mode(request, model),
            ignored=ignored(request),
            notes=tuple(REFUSED[part][1] for part in self._without.get(model, ())),
        )

    def _remember(self, model: str, call_id: str, turn: list[dict[str, Any]]) -> None:
        said = self._said.setdefault(model, {})
        said[call_id] = turn
        for oldest in list(said)[:-REMEMBERED]:
            del said[oldest]

    def _schema_mode(self, request: Request, model: str) -> Any:
        if request.schema is None:
            return "none"
        return "native" if self._native_schema(request, model) is not None else "prompt"


def ignored(request: Request) -> tuple[str, ...]:
    """This service takes no sampling parameters any more."""
    return tuple(name for name in ("temperature", "seed") if getattr(request, name) is not None)
