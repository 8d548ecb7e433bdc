"""Finds the one JSON object of a reply and reads it, taking only liberties that lose nothing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from llm.errors import InvalidReply
from llm.types import JsonSchema

from .blocks import Block, VisibleReply

TOKEN = re.compile(
    r"""(?P<double>"(?:[^"\\]|\\.)*") | (?P<single>'(?:[^'\\]|\\.)*') | (?P<comment>//[^\n]*|\#[^\n]*|/\*.*?\*/)
    | (?P<word>[A-Za-z_]\w*) | (?P<space>\s+) | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
WORDS = {"True": "true", "False": "false", "None": "null"}
MAX_BRACES = 64
"""The opening braces that are tried as the start of an object, so that hostile text costs linear time."""
MAX_JSON_CHARS = 20_000
"""The most characters of an object that is read with liberties."""
STARTS = re.compile(r"\{|\[(?=\s*\{)")


class UnreadableReply(ValueError):
    """The text is no JSON, even with the liberties that are allowed. The message is worded for the model."""


@dataclass(frozen=True, slots=True)
class Found:
    """One object that stands in a reply."""

    value: dict[str, Any] | None
    """None for something that begins like an object but is none."""
    start: int
    end: int
    own_line: bool
    notes: tuple[str, ...] = ()
    reason: str = ""


def choose_header(page: VisibleReply, schema: JsonSchema) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Returns the reply's only object and the liberties taken; None for no object. Raises InvalidReply if it is not
    clear which object counts."""
    found = [thing for block in page.blocks if holds_json(block) for thing in _in_block(block)]
    prose = [thing for part in page.prose for thing in find_objects(part)]
    own = [thing for thing in (*found, *prose) if thing.own_line]
    candidates = [c for c in own or [thing for thing in prose if thing.value is not None] if not _foreign(c, schema)]
    if broken := next((thing for thing in candidates if thing.value is None), None):
        raise InvalidReply(f"The JSON object cannot be read: {broken.reason}.")
    if not candidates:
        return None, ()
    first = candidates[0]
    if any(thing.value != first.value for thing in candidates):
        raise InvalidReply("There are several different JSON objects; give exactly one.")
    return first.value, (*first.notes, *(("the JSON object stood in a block",) if first in found else ()))


def _foreign(found: Found, schema: JsonSchema) -> bool:
    """Returns whether an object is not the header: it repeats the schema, or shares no field with an optional
    header."""
    if not found.value or schema.get("required") or "properties" not in schema:
        return found.value == schema
    return found.value == schema or not found.value.keys() & schema["properties"].keys()


def holds_json(block: Block) -> bool:
    return block.info in ("json", "json5", "jsonc") or (
        block.info in ("", "text") and bool(STARTS.match(block.text.lstrip()))
    )


def _in_block(block: Block) -> Sequence[Found]:
    found = list(find_objects(block.text))
    if not found or block.text[: found[0].start].strip() or block.text[found[-1].end :].strip():
        return [Found(None, 0, len(block.text), True, reason="the json block holds something else than one object")]
    return found


def find_objects(text: str) -> Iterator[Found]:
    """Yields the outermost objects of a text, in order."""
    at = 0
    for _ in range(MAX_BRACES):
        match = STARTS.search(text, at)
        if match is None:
            return
        found = _read_at(text, match.start())
        yield found
        at = max(found.end, match.end())


def _read_at(text: str, start: int) -> Found:
    own_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    try:
        value, end, notes = read_value(text, start)
    except UnreadableReply as error:
        return Found(None, start, start + 1 if not own_line else len(text), own_line, reason=str(error))
    if isinstance(value, list):
        items = cast(list[Any], value)
        if len(items) != 1 or not isinstance(items[0], dict):
            return Found(None, start, end, own_line, reason="it is a list, not one object")
        return Found(cast(dict[str, Any], items[0]), start, end, own_line, (*notes, "the JSON object stood in a list"))
    return Found(cast(dict[str, Any], value), start, end, own_line, notes)


def read_value(text: str, start: int = 0) -> tuple[Any, int, tuple[str, ...]]:
    """Returns the JSON value at `start`, where it ends, and the liberties taken. Raises UnreadableReply."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError):
        end = _balanced_end(text, start)
        value, notes = _read_relaxed(text[start:end])
    except ValueError as error:
        raise UnreadableReply(str(error)) from None
    else:
        notes = ()
    _check_text(value)
    return value, end, notes


def _read_relaxed(text: str) -> tuple[Any, tuple[str, ...]]:
    strict, notes = _strict_json(text)
    try:
        return _LENIENT.decode(strict), (*notes, *(() if notes else ("line breaks inside JSON strings",)))
    except json.JSONDecodeError as error:
        raise UnreadableReply(f"{error.msg} near {strict[max(0, error.pos - 20) : error.pos + 20]!r}") from None
    except RecursionError:
        raise UnreadableReply("it is nested too deeply") from None
    except ValueError as error:
        raise UnreadableReply(str(error)) from None


def _strict_json(text: str) -> tuple[str, tuple[str, ...]]:
    """Rewrites quotes, Python's words, comments and trailing commas as JSON, token by token. Returns the text and the
    liberties taken."""
    out: list[str] = []
    notes: dict[str, None] = {}
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "comment":
            notes["comments in the JSON"] = None
            continue
        if kind == "single":
            notes["single quotes in the JSON"] = None
            token = _double_quoted(token[1:-1])
        elif kind == "word" and token in WORDS:
            notes["Python words in the JSON"] = None
            token = WORDS[token]
        elif token in "}]" and (comma := _last_comma(out)) is not None:
            notes["a trailing comma in the JSON"] = None
            del out[comma]
        out.append(token)
    return "".join(out), tuple(notes)


def _last_comma(out: list[str]) -> int | None:
    at = next((n for n in range(len(out) - 1, -1, -1) if out[n].strip()), None)
    return at if at is not None and out[at] == "," else None


def _double_quoted(body: str) -> str:
    plain = re.sub(r"\\.|\"", lambda match: {"\\'": "'", '"': '\\"'}.get(match[0], match[0]), body, flags=re.DOTALL)
    return f'"{plain}"'


def _balanced_end(text: str, start: int) -> int:
    depth = 0
    for match in TOKEN.finditer(text, start, start + MAX_JSON_CHARS):
        if match.lastgroup == "other":
            if match[0] in "\"'":  # not closed, and each quote behind it would be looked at to the end in vain
                break
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match[0], 0)
            if depth == 0:
                return match.end()
    raise UnreadableReply("it is not complete")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise UnreadableReply("a key occurs twice")
    return made


def _no_constant(name: str) -> Any:
    raise UnreadableReply(f"{name} is not a JSON value")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise UnreadableReply("a number is too large")
    return number


def _check_text(value: object) -> None:
    try:
        shown = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise UnreadableReply("it is nested too deeply") from None
    if "\ufffd" in shown:
        raise UnreadableReply("it contains characters that are not valid UTF-8")
    try:
        shown.encode()
    except UnicodeEncodeError:
        raise UnreadableReply("it contains half of a surrogate pair") from None


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
_LENIENT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite, strict=False)
