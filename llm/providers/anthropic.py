"""Talks to Claude through the Messages API.

It uses cached prefixes, native schemas and native tools, and tells every stop reason apart.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ..errors import LLMError, TruncatedStream
from ..http.dialect import WORDS_NEXT, Dialect
from ..http.faults import StatusFault, from_body, from_stream
from ..http.remote import SAMPLING, RemoteProvider
from ..http.searches import BLOCKS, PAUSE, Paused, call_of, counted, said_between, searches_in, to_the_end
from ..http.wire import open_client, sendable, timely
from ..replies.toolcalls import parse_arguments
from ..shapes import count, mapping, text
from ..tokens import CHARS_PER_TOKEN, estimate_tokens, prompt_tokens
from ..types import Caps, Completion, Delta, Finish, ProviderSettings, Request, SchemaMode, ToolCall, Usage
from ..types import Message as Turn

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.lib.streaming import AsyncMessageStream, AsyncMessageStreamManager
    from anthropic.types import Message

CONTEXT = 200_000
"""The tokens of the context, unless the settings say otherwise."""
COUNTED = ("model", "messages", "system", "tools")
"""The parts of a question that the service counts."""
REMEMBERED = 200
"""How many turns with thoughts are kept for each model."""
STOPS: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "refusal",
}
THOUGHTS = ("thinking", "redacted_thinking")
CACHEABLE = 512
"""The tokens below which the service caches no prefix. Some of its models want more, and ignore a mark on less."""
CACHED = {"cache_control": {"type": "ephemeral"}}
KeptTurns = Mapping[str, list[dict[str, Any]]]
"""By the id of a turn's first tool call, that turn as the service wrote it."""


class AnthropicProvider(RemoteProvider):
    """Claude, or an imitation of its service. The options are `context` and `thoughts` (tokens), `effort` (low, medium,
    high, ...), `stall_s` and `total_s` (seconds)."""

    def __init__(self, name: str, settings: ProviderSettings) -> None:
        super().__init__(name, settings)
        self._base_url = self._base_url.removesuffix("/v1")
        self._kept_turns: dict[str, dict[str, list[dict[str, Any]]]] = {}
        """By model, the turns that hold thoughts; these are valid for that model only."""
        self._key_header = "authorization"

    def caps(self, model: str) -> Caps:
        dialect = self._dialect(model)
        context = dialect.context or int(self._settings.options.get("context", CONTEXT))
        return Caps(dialect.tools, dialect.schema, context, thoughts=self._thoughts, search=self._searches(model))

    async def stream(self, request: Request, *, model: str) -> AsyncGenerator[Delta | Completion]:
        exchange = super().stream
        async with aclosing(to_the_end(lambda asked: exchange(asked, model=model), request)) as items:
            async for item in items:
                yield item

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

    async def _send(self, request: Request, model: str) -> AsyncMessageStreamManager[None]:
        client, body = await self._connected(), sendable(self._body(request, model))
        if self._dialect(model).context is not None:
            body["max_tokens"] = await self._room(client, body, self._dialect(model))
        return client.messages.stream(**body)

    async def _room(self, client: AsyncAnthropic, body: dict[str, Any], dialect: Dialect) -> int:
        """Returns the tokens that a known context leaves for the reply. The service counts the prompt; the estimate
        counts if it cannot."""
        limit, told = int(body["max_tokens"]), {key: body[key] for key in COUNTED if key in body}
        if dialect.context is None or "count_tokens" in dialect.without:
            return limit
        try:
            counted = count((await client.messages.count_tokens(**told)).input_tokens)
        except importlib.import_module("anthropic").APIError:
            dialect.leave_out("count_tokens")
            return limit
        return limit if counted is None else max(1, min(limit, dialect.context - counted))

    def _body(self, request: Request, model: str) -> dict[str, Any]:
        dialect = self._dialect(model)
        told = self._adapted(request, model)
        system = "\n\n".join(message.content for message in told.messages if message.role == "system")
        kept = self._kept_turns.get(model, {})
        body: dict[str, Any] = {"model": model, "messages": turns(told.messages, kept)}
        body["max_tokens"] = self._limit(told, dialect)
        cached = "cache_control" not in dialect.without
        if cached:
            mark_stable(body["messages"], told.messages, len(system))
        if system:
            long = cached and estimate_tokens(system) >= CACHEABLE
            body["system"] = [{"type": "text", "text": system, **CACHED}] if long else system
        if told.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
                for tool in told.tools
            ]
            body.update(CACHED if cached else {})
        if search := self._search(request, model):
            body["tools"] = [*body.get("tools", ()), *search["tools"]]
        if self._mode(request, model) == "native":
            body["output_config"] = {"format": {"type": "json_schema", "schema": self._native_schema(request)}}
        effort = self._settings.options.get("effort")
        if effort and "effort" not in dialect.without:
            body.setdefault("output_config", {})["effort"] = effort
        return body

    def _mode(self, request: Request, model: str) -> SchemaMode:
        mode = super()._mode(request, model)
        return "prompt" if mode == "native" and self._native_schema(request) is None else mode

    def _native_schema(self, request: Request) -> dict[str, Any] | None:
        """Returns the schema as the service enforces it; None if the service cannot enforce it."""
        transform = importlib.import_module("anthropic").transform_schema
        try:
            return cast(dict[str, Any], transform(dict(request.schema or {})))
        except ValueError:
            return None

    def _simplified(self, request: Request, model: str, fault: StatusFault) -> bool:
        if fault.status == 400 and "thinking" in fault.text and self._kept_turns.pop(model, None):
            return True
        if fault.status == 401 and "x-api-key" in fault.text and self._key_header == "authorization":
            self._key_header = "x-api-key"
            self._clients.clear()
            return True
        sent, dialect = self._body(request, model), self._dialect(model)
        asked, words = set(sent.get("output_config", ())), fault.complaint.words
        if "effort" in asked and ("effort" in words or ("output_config" in words and asked == {"effort"})):
            return dialect.leave_out("effort")
        if "system" in words and isinstance(sent.get("system"), list):
            return dialect.leave_out("cache_control")  # an imitation that takes system text only as a string
        if "cache_control" in str(sent):
            sent["cache_control"] = CACHED  # the mark stands within the system text and beside the tools
        return dialect.learn(fault, sent, prompt_tokens(request))

    def _first_dialect(self) -> Dialect:
        return Dialect("native", next=WORDS_NEXT)

    def _read_whole(self, body: dict[str, Any], request: Request, model: str) -> Completion:
        if not isinstance(body.get("content"), list):
            raise from_body(body, self._whom(model, request))
        message = importlib.import_module("anthropic.types").Message.construct(**body)
        return self._completion(message, {}, request, model)

    async def _events(
        self, answer: AsyncMessageStream[None], request: Request, model: str, until: float
    ) -> AsyncGenerator[Delta | Completion]:
        sdk = importlib.import_module("anthropic")
        service, written = self._whom(model, request), dict[int, str]()
        try:
            async with aclosing(timely(aiter(answer), answer.response, service, until)) as events:
                async for event in events:
                    if event.type == "text":
                        yield Delta(text(event.text))
                    elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                        written[event.index] = written.get(event.index, "") + event.delta.partial_json
                    elif event.type == "message_stop":
                        yield self._completion(event.message, written, request, model)
                        return
            nothing = "no event of a message came; is it the right address?"
            raise service.error(TruncatedStream, "the stream ended before its end" if begun(answer) else nothing)
        except LLMError as error:
            error.usage = usage_of(begun(answer))
            raise
        except AttributeError:  # the SDK fails after a whole reply from an imitation that counts no tokens
            yield self._uncounted(begun(answer), written, request, model)
        except sdk.APIStatusError as error:
            told = from_stream(mapping(error.body).get("error"), service)
            told.usage = usage_of(begun(answer))
            raise told from None

    def _uncounted(self, message: Message | None, written: dict[int, str], request: Request, model: str) -> Completion:
        """Returns the completion of a whole reply whose tokens were not counted. Raises AlienReply if the reply is not
        whole."""
        if message is None or message.stop_reason is None:
            raise self._alien(model, "that cannot be read")
        done = self._completion(message, written, request, model)
        return replace(done, usage=replace(done.usage, output=None))

    def _completion(self, message: Message, written: dict[int, str], request: Request, model: str) -> Completion:
        own = call_of(message) if message.stop_reason == PAUSE else None
        finish = "tool" if own else STOPS.get(message.stop_reason or "")
        calls = (own,) if own else calls_of(message, written) if finish == "tool" else ()
        if calls and (turn := turn_of(message)):
            self._remember(model, calls[0].id, turn)
        done = self._completed(
            request,
            model,
            finish,
            text=said_between(message),
            usage=usage_of(message),
            model_reported=text(message.model),
            tool_calls=calls,
            ignored=tuple(
                name for name in SAMPLING if getattr(request, name) is not None
            ),  # the service does not take these any more
            searches=searches_in(message),
        )
        if own:
            raise Paused(done, own)
        return done

    def _remember(self, model: str, call_id: str, turn: list[dict[str, Any]]) -> None:
        """Keeps a turn that holds thoughts, to send it back as it was written."""
        kept = self._kept_turns.setdefault(model, {})
        kept[call_id] = turn
        for oldest in list(kept)[:-REMEMBERED]:
            del kept[oldest]


def begun(answer: AsyncMessageStream[None]) -> Message | None:
    """Returns the message as far as it has been read; None before its first event."""
    try:
        return answer.current_message_snapshot
    except AssertionError:
        return None


def calls_of(message: Message, written: Mapping[int, str]) -> tuple[ToolCall, ...]:
    """Returns the tools that the turn calls. `written` holds, by the number of its block, each call's arguments as they
    were written, because the SDK completes arguments that are cut.

    Raises InvalidReply if arguments are cut.
    """
    return tuple(
        ToolCall(text(use.id), text(use.name), parse_arguments(written[at]) if written.get(at) else mapping(use.input))
        for at, use in enumerate(message.content)
        if use.type == "tool_use"
    )


def turn_of(message: Message) -> list[dict[str, Any]]:
    """Returns the whole turn to send back; empty if it holds neither thoughts nor searches and can be written anew."""
    if not any(block.type in (*THOUGHTS, *BLOCKS) for block in message.content):
        return []
    return [block.to_dict() for block in message.content if block.type != "text" or block.text]


def usage_of(message: Message | None) -> Usage:
    """Returns the usage of a message. `input` is the sum of fresh, cached and written tokens, which the service counts
    apart."""
    counts: Any = message.usage if message is not None else None
    fresh, output, cached, written = (
        count(getattr(counts, name, None))
        for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    cached, written = cached or 0, written or 0
    given = None if fresh is None else fresh + cached + written
    return Usage(given, output, cached, written, searches=counted(counts))


def turns(messages: Sequence[Turn], kept: KeptTurns) -> list[dict[str, Any]]:
    """Returns the conversation without its system text. Outcomes of tools that were called together share one message,
    as the service requires."""
    made: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if made and made[-1]["role"] == role:
            made[-1]["content"] += _blocks(message, kept)
        else:
            made.append({"role": role, "content": _blocks(message, kept)})
    return [{**turn, "content": _plain(turn["content"])} for turn in made]


def _plain(blocks: list[dict[str, Any]]) -> Any:
    """Returns a lone text as a string, the form that every imitation of the service takes."""
    return blocks[0]["text"] if len(blocks) == 1 and blocks[0]["type"] == "text" else blocks


def _blocks(message: Turn, kept: KeptTurns) -> list[dict[str, Any]]:
    if message.tool_calls and message.tool_calls[0].id in kept:
        return kept[message.tool_calls[0].id]
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content or "(nothing)"}]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message.content}] if message.content.strip() else []
    return blocks + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
        for call in message.tool_calls
    ]


def mark_stable(sent: list[dict[str, Any]], messages: Sequence[Turn], before: int) -> None:
    """Splits the first question where later questions to the same role differ from it, and marks the stable part for
    the cache. It does so only if that part, with the `before` characters of system text, is long enough."""
    first = next((message for message in messages if message.role == "user"), None)
    if first is None or not first.stable or not isinstance(sent[0]["content"], str):
        return
    kept, rest = first.content[: first.stable], first.content[first.stable :]
    if estimate_tokens(kept) + before // CHARS_PER_TOKEN >= CACHEABLE and rest.strip():
        sent[0]["content"] = [{"type": "text", "text": kept, **CACHED}, {"type": "text", "text": rest}]
