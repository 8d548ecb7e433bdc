"""Reads what a service says when it refuses.

This is its own codes, the parts of the request that it names, its words, and the wait that it asks for.

Every service wraps these differently: in a list, in strings of JSON, below `error`, `detail` or `metadata`. This module
therefore walks the whole body and knows each field by its name, wherever it stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

CODES = ("code", "type", "status", "reason", "object")
PARTS = ("param", "field", "loc", "path")
WORDS = ("message", "msg", "error", "detail", "raw", "description", "status_msg", "title", "failed_generation")
MAX_DEPTH, MAX_FIELDS, MAX_TEXT_CHARS = 8, 300, 20_000
"""Limits on what is read of a body: nesting, fields and characters. They keep a hostile body cheap."""
SHOWN_CHARS = 200
"""The most characters of a service's own words that a person is shown."""
IDENTIFIER = re.compile(r"[A-Za-z_][\w.\[\]-]{0,59}")
WAIT = re.compile(
    r"(?:try again|retry|available|reset)\D{0,20}?\b(?:in|after)\s+"
    r"(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?![a-z]))?\s*(?:([\d.]+)\s*(ms|s))?",
    re.IGNORECASE,
)

PAGE = re.compile("<html|<!doctype", re.IGNORECASE)
SIGNS = {0x2019: "'", 0x2011: "-"}
NOT = re.compile(r"n't\b")
Field = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a service said: `codes` and `parts` in lower case, the innermost last; `words` as they came."""

    codes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    words: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict[str, int])
    """Counts that came in fields of their own, such as `n_ctx` and `n_prompt_tokens`."""
    wait_s: float | None = None
    """The seconds that the service asks to wait; None if it names none."""
    page: bool = False
    """Whether the body is an HTML page for people, which no model service writes."""

    @property
    def code(self) -> str:
        """The service's own code; "" if it names only the number of the status."""
        return next((code for code in self.codes if IDENTIFIER.fullmatch(code) and code not in ("error", "object")), "")

    @property
    def plain(self) -> str:
        """The service's words in the spelling that is searched for: "is not" for "isn't", and plain signs."""
        return NOT.sub(" not", self.words.translate(SIGNS))

    @property
    def shown(self) -> str:
        """The service's words in one line, not yet cut or scrubbed."""
        return " ".join("".join(letter if letter.isprintable() else " " for letter in self.words).split())


def read_complaint(text: str) -> Complaint:
    """Reads the body of an error: JSON of any nesting, JSON within strings, plain text, or an HTML page."""
    text = text[:MAX_TEXT_CHARS]
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        body = None if PAGE.search(text) else _inner(text)
    if body is None:
        return _of_text(text)
    fields = [field for field, _ in zip(_walk(body, "message", 0), range(MAX_FIELDS), strict=False)]
    codes = dict.fromkeys(value.strip().lower() for name, value in fields if name in CODES and value.strip())
    parts = dict.fromkeys(value.strip().lower() for name, value in fields if name in PARTS and value.strip())
    words = dict.fromkeys(value.strip() for name, value in fields if name in WORDS and value.strip())
    joined = ". ".join(_without_repeats(tuple(words)))
    numbers = {name: int(value) for name, value in fields if name.startswith("n_") and value.isdigit()}
    told = next((value for name, value in fields if name == "retryDelay"), "")
    return Complaint(tuple(codes), tuple(parts), joined, numbers, _seconds(f"retry in {told}") or _seconds(joined))


def _of_text(text: str) -> Complaint:
    """Reads a body that is not JSON: plain text or an HTML page."""
    if PAGE.search(text):
        title = re.search(r"<title>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        return Complaint(words=title[1].strip() if title else "a page of HTML", page=True)
    return Complaint(words=text.strip(), wait_s=_seconds(text))


def _walk(value: Any, name: str, depth: int) -> Iterator[Field]:
    """Yields every value of the body as text, with its name."""
    if depth > MAX_DEPTH or value is None:
        return
    if isinstance(value, dict):
        for key, inner in cast(dict[str, Any], value).items():
            yield from _walk(inner, str(key), depth + 1)
    elif isinstance(value, list):
        for inner in cast(list[Any], value):
            yield from _walk(inner, name, depth + 1)
    elif isinstance(value, str) and (inner := _inner(value)) is not None:
        yield from _walk(inner, name, depth + 1)
    else:
        yield name, str(value)


def _inner(text: str) -> list[Any] | None:
    """Returns the JSON object or list inside a string, and the words around it; None if there is none."""
    start = min((place for place in (text.find("{"), text.find("[{")) if place >= 0), default=-1)
    if start < 0 or '"' not in text:
        return None
    try:
        inner: Any
        inner, end = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):
        return None
    return [inner, (text[:start] + text[start + end :]).strip()] if inner else None


def _without_repeats(words: tuple[str, ...]) -> list[str]:
    """Returns each sentence once, because a wrapper often repeats what it wraps."""
    return [word for word in words if not any(word != other and word in other for other in words)]


def _seconds(text: str) -> float | None:
    """Returns the seconds that a text such as "try again in 9m38.016s" or "retry in 644ms" names; None if it names
    none."""
    for hours, minutes, amount, unit in WAIT.findall(text):
        try:
            rest = float(amount or 0) * (0.001 if unit == "ms" else 1.0)
        except ValueError:
            continue
        if hours or minutes or amount:
            return int(hours or 0) * 3600 + int(minutes or 0) * 60 + rest
    return None
