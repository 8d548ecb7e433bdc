"""Talks to Ollama through its native API.

This lets the context size be set, which Ollama's imitation of OpenAI's API does not.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import ContextTooLong
from ..http.chat_api import ChatCollector, GatheringProvider, chat_tools
from ..http.dialect import WORDS_NEXT, Dialect
from ..http.faults import Whom, from_status
from ..http.remote import SAMPLING
from ..http.wire import read_fault, read_lines, read_object
from ..shapes import count, items, mapping, text
from ..tokens import prompt_tokens
from ..types import Caps, Completion, Message, ProviderSettings, Request, Usage

if TYPE_CHECKING:
    import httpx2

SIZES = (8192, 16384, 32768, 65536, 131072, 262144)
"""The context sizes that are asked for. They are few, because each change makes the server load the model again."""
LONGEST_TOKEN = 7
"""The characters of the longest usual token. A prompt that was read with more characters per token was probably cut."""
SHOW_S = 30.0
"""The seconds that the server gets to describe a model."""
LEVELS = {"minimal": "low", "low": "low", "medium": "medium"}
"""The server's word for each effort; any higher effort is "high"."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What `/api/show` says about a model."""

    tools: bool = True
    thinking: bool = False
    context: int | None = None

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> ModelFacts:
        capabilities = items(body.get("capabilities"))
        info = mapping(body.get("model_info"))
        context = next((count(info[key]) for key in info if key.endswith(".context_length")), None)
        return cls(not capabilities or "tools" in capabilities, "thinking" in capabilities, context)


class OllamaCollector(ChatCollector):
    """Puts a reply of Ollama's protocol together from the lines of a stream."""

    def take(self, body: Mapping[str, Any]) -> str:
        self.model = text(body.get("model")) or self.model
        if body.get("done") is True:
            self.stop, self.counts = text(body.get("done_reason")) or "stop", body
        for call in items(mapping(body.get("message")).get("tool_calls")):
            self.take_call({**mapping(call), "index": len(self.pieces)}, 0)
        return self.take_text(body.get("message"))

    def usage(self) -> Usage:
        return Usage(count(self.counts.get("prompt_eval_count")), count(self.counts.get("eval_count")))


def context_for(needed: int, configured: int | None, most: int | None) -> int:
    """Returns the context to ask for: the configured one, else the smallest usual size that suffices, but at most the
    model's own."""
    if configured:
        return int(configured)
    size = next((size for size in SIZES if size >= needed), SIZES[-1])
    return min(size, most) if most else size


def suspicion(request: Request, read: int | None) -> str:
    """Returns a warning if the server read far fewer tokens than the prompt can have; "" if not."""
    length = sum(len(message.content) for message in request.messages)
    if read is None or read * LONGEST_TOKEN >= length or length < 4000:
        return ""
    return f"the server read only {read} tokens of a prompt of {length} characters: it was probably cut"


def native_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Returns the conversation for the server. A tool's outcome names its tool, because calls have no ids in this
    protocol."""
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    return [_message(message, names) for message in messages]


def _message(message: Message, names: Mapping[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        made["tool_name"] = names.get(message.tool_call_id, "")
    if message.tool_calls:
        made["tool_calls"] = [
            {"function": {"name": call.name, "arguments": dict(call.arguments)}} for call in message.tool_calls
        ]
    return made


class OllamaProvider(GatheringProvider):
    """A model on an Ollama server. The options are `context` (tokens; otherwise it grows with the prompt), `thoughts`
    (tokens, for models that think), `effort`, `stall_s` and `total_s`."""

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
        """Asks the server once about a model."""
        if model in self._facts:
            return
        async with client.stream("POST", "/api/show", json={"model": model}) as response:
            until = self._now() + SHOW_S
            if response.status_code == 404:
                raise from_status(await read_fault(response, self._whom(model), until), self._whom(model))
            body = await read_object(response, self._whom(model), until) if response.is_success else {}
        self._facts[model] = ModelFacts.read(body)

    def _body(self, request: Request, model: str) -> dict[str, Any]:
        told = self._adapted(request, model)
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
        thinks = self._facts[model].thinking and "think" not in self._dialect(model).without
        if thinks and (effort := self._settings.options.get("effort")):
            body["think"] = LEVELS.get(effort, "high")
        return body

    def _room(self, request: Request, model: str) -> tuple[int, int]:
        """Returns the context to ask for, and how many tokens may be written in it: the reply, and thoughts as far as
        they fit. Raises ContextTooLong."""
        needed = prompt_tokens(request) + request.max_tokens
        thoughts = self.caps(model).thoughts
        chosen = context_for(needed + thoughts, self._settings.options.get("context"), self._facts[model].context)
        if chosen < needed:
            words = f"the prompt and its reply need about {needed} tokens, the context holds {chosen}"
            raise self._whom(model, request).error(ContextTooLong, words)
        return chosen, self._dialect(model).allowed(request.max_tokens + min(thoughts, chosen - needed))

    def _frames(self, answer: httpx2.Response, whom: Whom, until: float) -> AsyncGenerator[str]:
        return read_lines(answer, whom, until)

    def _completion(self, gathering: ChatCollector, request: Request, model: str) -> Completion:
        done = super()._completion(gathering, request, model)
        doubt = suspicion(request, done.usage.input)
        return replace(done, notes=(*done.notes, doubt)) if doubt else done

    def _model_help(self, model: str) -> str:
        return f"run `ollama pull {model}`"
