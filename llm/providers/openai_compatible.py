"""Talks to every service behind the chat-completions protocol. What a service refuses is left out and remembered."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any, cast

from ..http.chat_api import GatheringProvider, chat_messages, chat_tools
from ..http.dialect import Dialect
from ..http.faults import Whom
from ..http.remote import SAMPLING
from ..http.wire import read_events
from ..types import Caps, Request

if TYPE_CHECKING:
    import httpx2
BOUNDS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})
DROPPED = frozenset(
    {"pattern", "format", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "default"}
    | {"minProperties", "maxProperties", "patternProperties", "$schema", "title", "examples"}
)
TYPES: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


class OpenAICompatible(GatheringProvider):
    """A service of this protocol. The options are `context` and `thoughts` (tokens), `effort`, `stall_s` and
    `total_s` (seconds)."""

    path = "/chat/completions"
    holds = "choices"
    after_finish_s = 5.0

    def caps(self, model: str) -> Caps:
        dialect = self._dialect(model)
        searches = self._searches(model)
        return Caps(dialect.tools, dialect.schema, dialect.context, self._spec.free, self._thoughts, searches)

    def _body(self, request: Request, model: str) -> dict[str, Any]:
        dialect = self._dialect(model)
        told = self._adapted(request, model)
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
        for name, value in self._search(request, model).items():
            body[name] = [*body.get(name, ()), *value] if isinstance(value, list) else value
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
        return Dialect(self._spec.schema, self._spec.limit, context=int(context) if context else None)


def strict_schema(schema: Mapping[str, Any], *, bounds: bool) -> dict[str, Any]:
    """Returns the schema as strict services want it: objects closed, every property required (optional ones may be
    null), refused keywords left out."""
    dropped = DROPPED if bounds else DROPPED | BOUNDS
    made = {key: _rewritten(key, value, bounds) for key, value in schema.items() if key not in dropped}
    if "enum" in made and "type" not in made and (kind := _common_type(made["enum"])):
        made["type"] = kind
    if made.get("type") == "object" or "properties" in made:
        properties: dict[str, Any] = made.get("properties", {})
        required = schema.get("required", ())
        made["properties"] = {
            name: inner if name in required else {"anyOf": [inner, {"type": "null"}]}
            for name, inner in properties.items()
        }
        made["required"] = list(properties)
        made["additionalProperties"] = False
    return made


def _rewritten(key: str, value: Any, bounds: bool) -> Any:
    if key in ("properties", "$defs"):
        return {name: strict_schema(inner, bounds=bounds) for name, inner in value.items()}
    if key == "items" and isinstance(value, dict):
        return strict_schema(cast(dict[str, Any], value), bounds=bounds)
    if key in ("anyOf", "oneOf", "allOf"):
        return [strict_schema(inner, bounds=bounds) for inner in value]
    return value


def _common_type(values: Any) -> str | None:
    kinds = {TYPES.get(type(value)) for value in cast(list[object], values)}
    return kinds.pop() if len(kinds) == 1 else None
