"""The JSON schema of a prompt file, and the rule that a reply schema must bound everything a model may send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

_TEXT = {"type": "string", "minLength": 1}
_TRIM_RULE = {
    "type": "object",
    "properties": {
        "variable": _TEXT,
        "cut": {"enum": ["head", "middle", "tail", "oldest"]},
        "at_least": {"type": "integer", "minimum": 0},
    },
    "required": ["variable", "cut"],
    "additionalProperties": False,
}
_TEMPLATE = {
    "type": "object",
    "properties": {
        "variables": {"type": "array", "items": _TEXT, "uniqueItems": True},
        "text": _TEXT,
        "trim": {"type": "array", "items": _TRIM_RULE},
    },
    "required": ["variables", "text"],
    "additionalProperties": False,
}
PROMPT_FILE: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "version": {"type": "integer", "minimum": 1},
        "system": _TEXT,
        "templates": {"type": "object", "minProperties": 1, "additionalProperties": _TEMPLATE},
        "schema": {"type": "object"},
        "code": {"enum": ["none", "optional", "required"]},
        "max_tokens": {"type": "integer", "minimum": 1, "maximum": 64_000},
    },
    "required": ["version", "system", "templates", "code", "max_tokens"],
    "additionalProperties": False,
}

_LIMITS = {
    "string": ("maxLength",),
    "array": ("maxItems", "items"),
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
    "object": ("properties", "additionalProperties"),
}
_FREE = ("boolean", "null")


def unbounded(schema: Mapping[str, Any], path: str = "reply") -> Iterator[str]:
    """Yields one line for each place of a reply schema where a model could send text or numbers without end."""
    if "enum" in schema or "const" in schema:
        return
    kind = schema.get("type")
    if kind not in _LIMITS and kind not in _FREE:
        yield f"{path} needs one type of {', '.join((*_LIMITS, *_FREE))}, or an enum"
        return
    for word in _LIMITS.get(kind, ()):
        if word not in schema:
            yield f"{path} needs {word}"
    if kind == "object" and schema.get("additionalProperties") is not False:
        yield f"{path} needs additionalProperties: false"
    for name, part in _parts(schema):
        yield from unbounded(part, f"{path}{name}")


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, part in cast("Mapping[str, Any]", schema.get("properties", {})).items():
        yield f".{name}", part
    if isinstance(items := schema.get("items"), dict):
        yield "[]", cast("Mapping[str, Any]", items)
