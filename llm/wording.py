"""Tells the model the form of its reply, in the same words for every provider."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from .types import JsonSchema, Message, Request

FENCES = re.compile(r"^\s*(`{3,})\w*\s*$", re.MULTILINE)
"""Lines that would close a block too early. Fences inside a sentence do not count."""


def with_format(request: Request) -> Request:
    """Returns the request with the form of the reply at the end of its system text."""
    told = format_words(request)
    if not told:
        return request
    messages = list(request.messages)
    if messages and messages[0].role == "system":
        messages[0] = replace(messages[0], content=f"{messages[0].content.rstrip()}\n\n{told}")
    else:
        messages.insert(0, Message("system", told))
    return replace(request, messages=tuple(messages))


def format_words(request: Request) -> str:
    """Returns the form of the reply in words; empty if any form will do. A header that may be left out is described by
    the prompt itself."""
    parts: list[str] = []
    schema = request.schema
    if schema is not None and (request.code == "none" or schema.get("required")):
        lead = "First" if request.code != "none" else "Exactly"
        parts.append(f"{lead} one JSON object with these fields (? may be left out):\n{shape_of(schema)}")
    if request.code != "none":
        parts.append(_block_words(request, first=not parts))
    return "# Form of the reply\n" + "\n".join(parts) if parts else ""


def shape_of(schema: JsonSchema) -> str:
    """Returns a schema of one object in a short form: {"fault": "code" | "test", ...}."""
    required = schema.get("required", ())
    fields: Mapping[str, JsonSchema] = schema.get("properties", {})
    told = (f'"{name}"{"" if name in required else "?"}: {_kind_of(field)}' for name, field in fields.items())
    return "{" + ", ".join(told) + "}"


def _kind_of(schema: JsonSchema) -> str:
    if "enum" in schema:
        return " | ".join(json.dumps(word) for word in schema["enum"])
    match schema.get("type"):
        case "array":
            most = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
            return f"[{_kind_of(schema.get('items', {}))}{most}]"
        case "number" | "integer" if "minimum" in schema and "maximum" in schema:
            return f"number from {schema['minimum']} to {schema['maximum']}"
        case "string":
            return "text"
        case "object":
            return shape_of(schema)
        case kind:
            return str(kind or "any value")


def with_complaint(request: Request, reply: str, complaint: str) -> Request:
    """Returns the request with the broken reply and what is wrong with it, to be asked once more."""
    words = (
        f"Your reply could not be used. {complaint}\nAnswer the same question again, in full and in the form asked for."
    )
    said = (Message("assistant", reply), Message("user", words)) if reply.strip() else (Message("user", words),)
    return replace(request, messages=(*request.messages, *said))


def with_question(request: Request, reply: str) -> Request:
    """Returns the request with the words that came in place of a program, to be asked once more. The model may still
    decline."""
    words = (
        "Your reply holds no program. If you meant to write one, give it now in the form asked for. "
        "If you decline the task, say so in one sentence."
    )
    return replace(request, messages=(*request.messages, Message("assistant", reply), Message("user", words)))


def _block_words(request: Request, *, first: bool) -> str:
    fence = fence_for(*(message.content for message in request.messages))
    what, info = "the whole program", "python"
    if request.code == "edits":
        what, info = "the edits (or the whole program)", f"edits (or {fence}python)"
    if request.code == "optional":
        what = "the module"
    lead = "T" if first else "Then t"
    return f"{lead}{what[1:]} in one block that opens with {fence}{info} and closes with {fence}, nothing behind it."


def fence_for(*texts: str) -> str:
    """Returns a fence that is longer than any run of backticks in the texts."""
    longest = max((len(run) for text in texts for run in FENCES.findall(text)), default=2)
    return "`" * (longest + 1)
