"""Turns the text of a reply into a header that fits its schema and a program that parses, never by guessing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from llm.errors import InvalidReply, LengthStop, OnlyWords, Refusal
from llm.replies.coerce import check_schema
from llm.types import Completion, JsonSchema, Reply, Request, ToolCall
from llm.wording import shape_of

from .blocks import VisibleReply, read_page, unfused
from .coerce import fit_header
from .edits import bare_edits, check_edits
from .files import named_files
from .header import UnreadableReply, choose_header, find_objects, read_value
from .nested import rejoined
from .program import ONE_BLOCK, Wanted, bare_program, check_program, choose_program, defines, is_program
from .toolcalls import check_calls, find_calls

SHOWN_CHARS = 400
"""The most characters of a refusal's own words that are shown."""
DISTINCT_WORDS, DISTINCT_LETTERS = 4, 8
"""The different words (or letters, for languages that do not separate words) from which on a text says something. One
word over and over is no refusal."""


def read_reply(completion: Completion, request: Request) -> Reply:
    """Returns what the model answered. Raises LengthStop, Refusal or InvalidReply (worded for the model), each with the
    usage."""
    try:
        return _read(completion, request)
    except InvalidReply as error:
        error.usage = completion.usage
        raise


def refusal_of(words: str, completion: Completion) -> Refusal:
    """Returns the refusal whose reason is the model's own words."""
    said = " ".join(words.split())
    shown = said if len(said) <= SHOWN_CHARS else said[:SHOWN_CHARS].rsplit(" ", 1)[0] + " …"
    return Refusal(shown or "it gave no reason", usage=completion.usage)


def _read(completion: Completion, request: Request) -> Reply:
    if completion.finish == "refusal":
        raise refusal_of(completion.text, completion)
    if completion.finish == "length":
        raise LengthStop("The reply was cut by the token limit.", usage=completion.usage)
    if calls := _tool_calls(completion, request):
        return Reply(header={}, code=None, tool_calls=check_calls(calls, request.tools))
    text = completion.text.removeprefix("\ufeff")
    if not text.strip():
        raise InvalidReply("The reply is empty.")
    if request.schema is None and request.code == "none":
        return Reply(header={}, code=None)
    return _read_twice(text, request)


def _read_twice(text: str, request: Request) -> Reply:
    """Reads the text as it stands, else with fences at the end of a line moved to lines of their own. Raises the error
    of the first reading."""
    try:
        return _read_text(text, request)
    except InvalidReply:
        if (parted := unfused(text)) != text:
            with suppress(InvalidReply):
                return _read_text(parted, request)
        raise


def _tool_calls(completion: Completion, request: Request) -> tuple[ToolCall, ...]:
    if completion.tool_calls or not request.tools:
        return completion.tool_calls
    return find_calls(completion.text, request.tools)


def _read_text(text: str, request: Request) -> Reply:
    if request.code == "none" and (value := _whole_object(text)) is not None:
        return _reply(value, None, [], request)
    page = read_page(text)
    notes = ["thoughts"] if page.thought else list[str]()
    code: str | None = None
    if request.code != "none":
        page = rejoined(_without_last_fence(page))
        notes += ["fences inside the program"] if page.rejoined else []
        code, liberties = _program(page, request)
        notes += liberties
    header, liberties = _header(page, request, code)
    if code is not None and header is None and request.schema is not None:
        header, code, moved = _leading_object(code, request.schema)
        liberties = (*liberties, *moved)
    notes += liberties
    if header is code is None and (words := _only_words(page, request)):
        header, notes = words, [*notes, "words without a JSON object"]
    if header is code is None and request.code == "optional":
        raise _nothing(page)
    return _reply(header, code, notes, request)


def _reply(header: dict[str, Any] | None, code: str | None, notes: list[str], request: Request) -> Reply:
    """Returns the reply with its header fitted to the schema and checked. A header that is not required never costs the
    program."""
    if request.schema is None:
        return Reply({}, code, salvaged=tuple(dict.fromkeys(notes)))
    required = request.schema.get("required")
    if header is None and (code is None or required):
        raise InvalidReply("The JSON object is missing; it must come first and be: " + shape_of(request.schema))
    fitted, liberties = fit_header(header or {}, request.schema)
    check_schema(fitted, request.schema)
    return Reply(fitted, code, salvaged=tuple(dict.fromkeys([*notes, *liberties])))


def _only_words(page: VisibleReply, request: Request) -> dict[str, Any] | None:
    """Returns the reply as the one text that is asked for, where nothing else is; None for other schemas, and for a
    reply that begins an object."""
    asked: Mapping[str, Any] = (request.schema or {}).get("properties", {})
    words = "\n".join(page.lines).strip()
    if request.code != "none" or [one.get("type") for one in asked.values()] != ["string"] or "{" in words[:1]:
        return None
    return {name: words for name in asked} if words else None


def _whole_object(text: str) -> dict[str, Any] | None:
    try:
        value, end, notes = read_value(text.strip())
    except UnreadableReply:
        return None
    whole = isinstance(value, dict) and not notes and end == len(text.strip())
    return cast(dict[str, Any], value) if whole else None


def _program(page: VisibleReply, request: Request) -> tuple[str | None, tuple[str, ...]]:
    """Returns the program of the reply, from a block, a field of the object, or bare text, and the liberties taken.
    Raises InvalidReply."""
    asked = "\n".join(message.content for message in request.messages if message.role == "user")
    wanted = Wanted(request.code == "edits", request.takes_edits, request.names, asked)
    if request.code != "edits" and (files := named_files(page)) is not None:
        check_program(files)
        return files, ()
    code, notes = choose_program(page, wanted)
    if code is not None:
        return code, notes
    found = _in_a_field(page, request) or _without_fence(page, wanted)
    if found is not None:
        return found
    if request.code != "optional":
        raise _nothing(page)
    return None, notes


def _without_last_fence(page: VisibleReply) -> VisibleReply:
    """Leaves out a fence at the end of the reply that closes nothing."""
    last = page.blocks[0] if len(page.blocks) == 1 else None
    if last is None or last.closed or last.text.strip():
        return page
    return replace(page, lines=page.lines[: last.first], blocks=())


def _without_fence(page: VisibleReply, wanted: Wanted) -> tuple[str, tuple[str, ...]] | None:
    if page.blocks:
        return None
    if wanted.may_be_edits and (edits := bare_edits("\n".join(page.lines))) is not None:
        check_edits(edits)
        return edits, ("edits without a fence",)
    return bare_program(page, wanted)


def _in_a_field(page: VisibleReply, request: Request) -> tuple[str, tuple[str, ...]] | None:
    """Returns the program that is the text of the one field outside the header: {"note": ..., "code": "def ..."}; None
    if there is none."""
    known: Mapping[str, Any] = (request.schema or {}).get("properties", {})
    texts = [*page.prose, *(block.text for block in page.blocks)]
    objects = [found.value for text in texts for found in find_objects(text) if found.value]
    held = {
        value
        for found in objects
        for key, value in found.items()
        if key not in known and isinstance(value, str) and is_program(value) and defines(value, request.names)
    }
    if len(held) != 1:
        return None
    code = held.pop()
    check_program(code)
    return code, ("a program in a field of the JSON object",)


def _nothing(page: VisibleReply) -> InvalidReply:
    """Returns the error for a reply without a program: OnlyWords for sentences, which may decline, else
    InvalidReply."""
    reason = "There is no program. " + ONE_BLOCK
    words = " ".join(part.strip() for part in page.prose)
    distinct = set(re.findall(r"\w+", words.lower()))
    speaks = len(distinct) >= DISTINCT_WORDS or len(set("".join(distinct))) >= DISTINCT_LETTERS
    if page.blocks or "{" in words or not speaks:
        return InvalidReply(reason)
    return OnlyWords(reason, words)


def _header(page: VisibleReply, request: Request, code: str | None) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Returns the header and the liberties taken. Raises InvalidReply if one is needed and it is not clear which
    counts."""
    if request.schema is None:
        return None, ()
    if code is not None and not page.blocks:
        page = replace(page, prose=("\n".join(page.lines).partition(code[:80])[0],))
    try:
        return choose_header(page, request.schema)
    except InvalidReply:
        if code is None or request.schema.get("required"):
            raise
        return None, ("an unreadable JSON object left out",)


def _leading_object(code: str, schema: JsonSchema) -> tuple[dict[str, Any] | None, str, tuple[str, ...]]:
    """Takes a header off the start of the program's block if it fits the schema and a program follows. Returns header,
    program and liberties."""
    start = len(code) - len(code.lstrip())
    if not code.startswith("{", start):
        return None, code, ()
    try:
        value, end, notes = read_value(code, start)
        rest = code[end:].lstrip()
        if not isinstance(value, dict) or not value or not is_program(rest):
            return None, code, ()
        header, liberties = fit_header(cast(dict[str, Any], value), schema)
        check_schema(header, schema)
    except (UnreadableReply, InvalidReply):
        return None, code, ()
    return header, rest, (*notes, *liberties, "the JSON object stood in the program's block")
