"""What honest model services say, one speaker per protocol; each refuses requests that the real service refuses."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .servers import Seen, Sent, json_reply

KEY = "sk-canary-0123456789abcdef"
SSE = {"content-type": "text/event-stream; charset=utf-8"}


def unknown(body: Mapping[str, Any], known: set[str]) -> str:
    extra = set(body) - known
    return f"{sorted(extra)[0]}: Extra inputs are not permitted" if extra else ""


@dataclass(frozen=True)
class Speaker:
    """Base: how a service frames replies. `provider` is the name in the registry."""

    provider: str
    model: str
    path: str = ""

    def check(self, seen: Seen) -> str:
        raise NotImplementedError

    def events(self, text: str, *, stop: str = "stop", calls: Sequence[tuple[str, str]] = ()) -> list[bytes]:
        """A whole stream, one chunk per event; the last chunk is the terminal marker."""
        raise NotImplementedError

    def body(self, text: str, *, stop: str = "stop", calls: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
        raise NotImplementedError

    def error_event(self) -> bytes:
        raise NotImplementedError

    def error_body(self, kind: str, message: str) -> dict[str, Any]:
        return {"error": {"type": kind, "message": message}}

    def stream_type(self) -> dict[str, str]:
        return SSE

    def says(self, text: str, **more: Any) -> Any:
        """Answers as the client asks: streamed or in one piece."""

        def answer(seen: Seen) -> Sent:
            if seen.body.get("stream"):
                return Sent(200, self.stream_type(), self.events(text, **more))
            return json_reply(self.body(text, **more))

        return answer

    def breaks(self, text: str, *, keep: int, clean: bool) -> Sent:
        """A stream that stops `keep` events before its end, by a clean close or a broken connection."""
        return Sent(200, self.stream_type(), self.events(text)[:-keep], cut=not clean)


def sse(event: Mapping[str, Any]) -> bytes:
    head = f"event: {event['type']}\n" if "type" in event else ""
    return f"{head}data: {json.dumps(event)}\n\n".encode()


class Claude(Speaker):
    STOP: ClassVar = {"stop": "end_turn", "length": "max_tokens", "tool": "tool_use", "refusal": "refusal"}
    KNOWN: ClassVar = {"max_tokens", "messages", "model", "stream", "system", "tools", "output_config", "cache_control"}

    def check(self, seen: Seen) -> str:
        if seen.path != "/v1/messages":
            return f"no such path {seen.path}"
        if seen.headers.get("authorization") != f"Bearer {KEY}" or "x-api-key" in seen.headers:
            return "invalid bearer token"
        if seen.headers.get("anthropic-version") != "2026-10-21":
            return "anthropic-version: header is required"
        roles = [message["role"] for message in seen.body["messages"]]
        if any(a == b for a, b in itertools.pairwise(roles)) or roles[0] != "user":
            return "messages: roles must alternate"
        schema = seen.body.get("output_config", {}).get("format", {}).get("schema")
        if schema is not None and schema.get("additionalProperties") is not False:
            return "output_config: additionalProperties must be false"
        return unknown(seen.body, self.KNOWN)

    def events(self, text: str, *, stop: str = "stop", calls: Sequence[tuple[str, str]] = ()) -> list[bytes]:
        usage = {"input_tokens": 10, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2, "output_tokens": 1}
        head = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "usage": usage,
        }
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**head, "stop_reason": None}},
            {"type": "ping"},
        ]
        blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
        if text:
            halves = (text[: len(text) // 2], text[len(text) // 2 :])
            blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": half} for half in halves]))
        for number, (name, arguments) in enumerate(calls):
            pieces = (arguments[: len(arguments) // 2], arguments[len(arguments) // 2 :])
            start = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
            blocks.append((start, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]))
        for index, (start, deltas) in enumerate(blocks):
            events.append({"type": "content_block_start", "index": index, "content_block": start})
            events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
            events.append({"type": "content_block_stop", "index": index})
        events.append(
            {"type": "message_delta", "delta": {"stop_reason": self.STOP[stop]}, "usage": {"output_tokens": 7}}
        )
        events.append({"type": "message_stop"})
        return [sse(event) for event in events]

    def body(self, text: str, *, stop: str = "stop", calls: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        content += [
            {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": _object(arguments)}
            for number, (name, arguments) in enumerate(calls)
        ]
        usage = {"input_tokens": 10, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2, "output_tokens": 7}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": self.model}
        return {**head, "content": content, "stop_reason": self.STOP[stop], "usage": usage}

    def error_event(self) -> bytes:
        return sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded " + KEY}})

    def error_body(self, kind: str, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": kind, "message": message}}


class Chat(Speaker):
    STOP: ClassVar = {"stop": "stop", "length": "length", "tool": "tool_calls", "refusal": "content_filter"}
    KNOWN: ClassVar = {
        *(
            "model",
            "messages",
            "stream",
            "stream_options",
            "max_tokens",
            "max_completion_tokens",
            "temperature",
            "seed",
        ),
        *("tools", "response_format", "provider"),
    }

    def check(self, seen: Seen) -> str:
        if seen.path != f"{self.path}/chat/completions":
            return f"no such path {seen.path}"
        if seen.headers.get("authorization") != f"Bearer {KEY}":
            return "invalid bearer token"
        if "openai-organization" in seen.headers:
            return "mismatched organization"
        limit = "max_completion_tokens" if self.provider == "openai" else "max_tokens"
        if limit not in seen.body or ("provider" in seen.body) != (self.provider == "openrouter"):
            return f"{limit} is required"
        return unknown(seen.body, self.KNOWN)

    def _chunk(self, delta: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": more.pop("stop", None)}]
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": self.model, "choices": choices, **more}

    def events(self, text: str, *, stop: str = "stop", calls: Sequence[tuple[str, str]] = ()) -> list[bytes]:
        halves = (text[: len(text) // 2], text[len(text) // 2 :]) if text else ()
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": half} for half in halves)]
        for index, (name, arguments) in enumerate(calls):
            start = {
                "index": index,
                "id": f"call_{index}",
                "type": "function",
                "function": {"name": name, "arguments": ""},
            }
            deltas.append({"tool_calls": [start]})
            for piece in (arguments[: len(arguments) // 2], arguments[len(arguments) // 2 :]):
                deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        chunks = [self._chunk(delta) for delta in deltas]
        chunks.append(self._chunk({}, stop=self.STOP[stop]))
        chunks.append(self._chunk(usage=self._usage()))
        return [*(b": keep-alive\n\n" + sse(chunk) for chunk in chunks), b"data: [DONE]\n\n"]

    def _usage(self) -> dict[str, Any]:
        return {"prompt_tokens": 16, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 4}}

    def body(self, text: str, *, stop: str = "stop", calls: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [
                {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
                for number, (name, arguments) in enumerate(calls)
            ]
        choice = {"index": 0, "message": message, "finish_reason": self.STOP[stop]}
        return {"id": "chatcmpl-1", "model": self.model, "choices": [choice], "usage": self._usage()}

    def error_event(self) -> bytes:
        return sse({"error": {"type": "server_error", "message": "boom " + KEY}})

    def breaks(self, text: str, *, keep: int, clean: bool) -> Sent:
        return Sent(200, SSE, self.events(text)[: -keep - 2], cut=not clean)


class Llama(Speaker):
    STOP: ClassVar = {"stop": "stop", "length": "length", "tool": "stop"}
    KNOWN: ClassVar = {"model", "messages", "stream", "options", "format", "tools", "think"}

    def check(self, seen: Seen) -> str:
        if seen.path == "/api/show":
            return "" if seen.body == {"model": self.model} else "bad show"
        if seen.path != "/api/chat":
            return f"no such path {seen.path}"
        if not seen.body.get("options", {}).get("num_ctx"):
            return "num_ctx is not sent"
        return unknown(seen.body, self.KNOWN)

    def says(self, text: str, **more: Any) -> Any:
        chat = super().says(text, **more)

        def answer(seen: Seen) -> Sent:
            return self.shown() if seen.path == "/api/show" else chat(seen)

        return answer

    def shown(self) -> Sent:
        info = {"general.architecture": "qwen2", "qwen2.context_length": 32768}
        return json_reply({"capabilities": ["completion", "tools"], "model_info": info})

    def stream_type(self) -> dict[str, str]:
        return {"content-type": "application/x-ndjson"}

    def events(self, text: str, *, stop: str = "stop", calls: Sequence[tuple[str, str]] = ()) -> list[bytes]:
        halves = (text[: len(text) // 2], text[len(text) // 2 :]) if text else ()
        messages: list[dict[str, Any]] = [{"role": "assistant", "content": half} for half in halves]
        if calls:
            messages.append({"role": "assistant", "content": "", "tool_calls": self._calls(calls)})
        lines: list[dict[str, Any]] = [{"model": self.model, "message": message, "done": False} for message in messages]
        lines.append({**self.body("", stop=stop), "message": {"role": "assistant", "content": ""}})
        return [json.dumps(line).encode() + b"\n" for line in lines]

    def _calls(self, calls: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        return [{"function": {"name": name, "arguments": _object(arguments)}} for name, arguments in calls]

    def body(self, text: str, *, stop: str = "stop", calls: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = self._calls(calls)
        counts = {"prompt_eval_count": 16, "eval_count": 7, "total_duration": 5}
        return {"model": self.model, "message": message, "done": True, "done_reason": self.STOP[stop], **counts}

    def error_event(self) -> bytes:
        return json.dumps({"error": "boom " + KEY}).encode() + b"\n"

    def error_body(self, kind: str, message: str) -> dict[str, Any]:
        return {"error": f"{kind}: {message}"}


def _object(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return {}


SPEAKERS: tuple[Speaker, ...] = (
    Claude("anthropic", "claude-haiku-5-5"),
    *(Chat(name, "some-model", "/v1") for name in ("openai", "groq", "gemini", "deepseek", "openrouter", "together")),
    *(Chat(name, "some-model", "/v1") for name in ("vllm", "llamacpp", "hf_router")),
    Llama("ollama", "qwen2.5-coder:7b"),
)
CORE = tuple(speaker for speaker in SPEAKERS if speaker.provider in ("anthropic", "openai", "llamacpp", "ollama"))
"""One of each protocol, and the two that differ most within one: enough for the many ways to misbehave."""
