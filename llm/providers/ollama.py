"""Ollama through its native API, which, unlike its imitation of others, lets the context size be set."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..chat_api import ChatCollector, chat_tools
from ..dialect import WORDS_NEXT, Dialect
from ..errors import ContextTooLong
from ..faults import Whom, from_status
from ..gathering import GatheringProvider
from ..ollama_api import ModelFacts, OllamaCollector, context_for, native_messages, suspicion
from ..remote import SAMPLING
from ..tokens import prompt_tokens
from ..types import Caps, Completion, ProviderSettings, Request
from ..wire import read_fault, read_lines, read_object

if TYPE_CHECKING:
    import httpx2

SHOW_S = 30.0
LEVELS = {"minimal": "low", "low": "low", "medium": "medium"}
"""Effort -> how the server calls it; whatever is more is "high"."""


class OllamaProvider(GatheringProvider):
    """`options`: `context` (tokens; otherwise grown with the prompt), `thoughts` (tokens, for models that think),
    `effort`, `keep_alive`, `stall_s`, `total_s`."""

    path = "/api/chat"
    holds = "message"
    collector = OllamaCollector

    def __init__(self, name: str, settings: ProviderSettings) -> None:
        super().__init__(name, settings)
        self._base_url = self._base_url.removesuffix("/v1")
        self._facts: dict[str, ModelFacts] = {}

    def caps(self, model: str) -> Caps:
        facts = self._facts.get(model, ModelFacts())
        context = self._settings.options.get("context") or facts.context
        dialect, thoughts = self._dialect(model), self._thoughts if facts.thinking else 0
        tools = facts.tools and dialect.tools
        return Caps(tools, dialect.schema, int(context) if context else None, local=True, thoughts=thoughts)

    def _first_dialect(self) -> Dialect:
        return Dialect("native", "num_predict", next=WORDS_NEXT)

    async def _send(self, request: Request, model: str) -> AbstractAsyncContextManager[httpx2.Response]:
        await self._learn(await self._connected(), model)
        return await super()._send(request, model)

    async def _learn(self, client: Any, model: str) -> None:
        """What the server says about a model, asked once."""
        if model in self._facts:
            return
        async with client.stream("POST", "/api/show", json={"model": model}) as response:
            until = self._now() + SHOW_S
            if response.status_code == 404:
                raise from_status(await read_fault(response, self._service(model), until), self._service(model))
            body = await read_object(response, self._service(model), until) if response.is_success else {}
        self._facts[model] = ModelFacts.read(body)

    def _body(self, request: Request, model: str) -> dict[str, Any]:
        told = self._told(request, model)
        context, written = self._room(told, model)
        options: dict[str, Any] = {"num_ctx": context, "num_predict": written}
        without = self._dialect(model).without
        sampling = {name: getattr(request, name) for name in SAMPLING if name not in without}
        options.update({name: value for name, value in sampling.items() if value is not None})
        body: dict[str, Any] = {"model": model, "messages": native_messages(told.messages), "stream": True}
        body["options"] = options
        if told.tools:
            body["tools"] = chat_tools(told.tools)
        if self._mode(request, model) == "native":
            body["format"] = dict(request.schema or {})
        if (keep_alive := self._settings.options.get("keep_alive")) is not None:
            body["keep_alive"] = keep_alive
        thinks = self._facts[model].thinking and "think" not in self._dialect(model).without
        if thinks and (effort := self._settings.options.get("effort")):
            body["think"] = LEVELS.get(effort, "high")
        return body

    def _room(self, request: Request, model: str) -> tuple[int, int]:
        """The context to ask for, and how much may be written in it: the reply, and thoughts as far as they fit."""
        needed = prompt_tokens(request) + request.max_tokens
        thoughts = self.caps(model).thoughts
        chosen = context_for(needed + thoughts, self._settings.options.get("context"), self._facts[model].context)
        if chosen < needed:
            words = f"the prompt and its reply need about {needed} tokens, the context holds {chosen}"
            raise self._service(model, request).error(ContextTooLong, words)
        return chosen, self._dialect(model).allowed(request.max_tokens + min(thoughts, chosen - needed))

    def _frames(self, answer: httpx2.Response, whom: Whom, until: float) -> AsyncGenerator[str]:
        return read_lines(answer, whom, until)

    def _completion(self, gathering: ChatCollector, request: Request, model: str) -> Completion:
        done = super()._completion(gathering, request, model)
        doubt = suspicion(request, done.usage.input)
        return replace(done, notes=(*done.notes, doubt)) if doubt else done

    def _get_model(self, model: str) -> str:
        return f"run `ollama pull {model}`"
