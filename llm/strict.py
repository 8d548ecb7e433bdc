"""Rewrites a JSON Schema into the narrow form that strict services accept; the full schema is still checked here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

BOUNDS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})
DROPPED = frozenset(
    {"pattern", "format", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "default"}
    | {"minProperties", "maxProperties", "patternProperties", "$schema", "title", "examples"}
)
TYPES: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def strict_schema(schema: Mapping[str, Any], *, bounds: bool) -> dict[str, Any]:
    """Objects closed, every property required (optional ones may be null), keywords left out that are refused."""
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
