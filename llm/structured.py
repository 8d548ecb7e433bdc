"""From the text of a reply to a header that fits its schema and a program that parses; never by guessing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from .blocks import Page, read_page
from .errors import InvalidReply, LengthStop, Refusal
from .header import Unreadable, choose_header, read_value
from .nested import rejoined
from .program import ONE_BLOCK, check_program, choose_program, is_program
from .schema import check_schema
from .strict import without_nulls
from .toolcalls import check_calls, find_call
from .types import Completion, JsonSchema, Reply, Request, ToolCall


def read_reply(completion: Completion, request: Request) -> Reply:
    """What the model answered. Raises LengthStop, Refusal or InvalidReply (worded for the model), usage kept."""
    try:
        return _read(completion, request)
    except InvalidReply as error:
        error.usage = completion.usage
        raise


def _read(completion: Completion, request: Request) -> Reply:
    if completion.finish == "refusal":
        raise Refusal("The model declined to answer.", usage=completion.usage)
    if completion.finish == "length":
        raise LengthStop("The reply was cut by the token limit.", usage=completion.usage)
    if calls := _tool_calls(completion, request):
        return Reply(header={}, code=None, tool_calls=check_calls(calls, request.tools))
    text = completion.text.removeprefix("\ufeff")
    if not text.strip():
        raise InvalidReply("The reply is empty.")
    if request.schema is None and request.code == "none":
        return Reply(header={}, code=None)
    return _read_text(text, request)


def _tool_calls(completion: Completion, request: Request) -> tuple[ToolCall, ...]:
    if completion.tool_calls or not request.tools:
        return completion.tool_calls
    call = find_call(completion.text, request.tools)
    return (call,) if call else ()


def _read_text(text: str, request: Request) -> Reply:
    if request.code == "none" and (value := _whole_object(text)) is not None:
        return _reply(value, _valid(value, request.schema), None, [])
    page = read_page(text)
    notes = ["thoughts"] if page.thought else list[str]()
    code: str | None = None
    if request.code != "none":
        page = rejoined(page)
        notes += ["fences inside the program"] if page.rejoined else []
        code, liberties = _program(page, request)
        notes += liberties
    header, liberties = _header(page, request, code)
    if code is not None and header is None and request.schema is not None:
        header, code, moved = _leading_object(code, request.schema)
        liberties = (*liberties, *moved)
    notes += liberties
    return _reply(header or {}, _required(header, request, code), code, notes)


def _reply(given: Mapping[str, Any], fitting: Mapping[str, Any], code: str | None, notes: list[str]) -> Reply:
    absent = ["null for an absent field"] if len(fitting) < len(given) else []
    return Reply(header=fitting, code=code, salvaged=(*notes, *absent))


def _whole_object(text: str) -> dict[str, Any] | None:
    try:
        value, end, notes = read_value(text.strip())
    except Unreadable:
        return None
    whole = isinstance(value, dict) and not notes and end == len(text.strip())
    return cast(dict[str, Any], value) if whole else None


def _program(page: Page, request: Request) -> tuple[str | None, tuple[str, ...]]:
    code, notes = choose_program(page, edits=request.code == "edits")
    if code is None and not page.blocks:
        bare = "\n".join(page.lines)
        if is_program(bare):
            check_program(bare)
            return bare, ("a program without a fence",)
    if code is None and request.code != "optional":
        raise InvalidReply("There is no program. " + ONE_BLOCK)
    return code, notes


def _header(page: Page, request: Request, code: str | None) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    bare = code is not None and not page.blocks
    if request.schema is None or bare:
        return None, ()
    return choose_header(page, request.schema)


def _leading_object(code: str, schema: JsonSchema) -> tuple[dict[str, Any] | None, str, tuple[str, ...]]:
    """A header at the very start of the program: taken when it fits the schema and a program follows."""
    start = len(code) - len(code.lstrip())
    if not code.startswith("{", start):
        return None, code, ()
    try:
        value, end, notes = read_value(code, start)
        rest = code[end:].lstrip()
        if not isinstance(value, dict) or not value or not is_program(rest):
            return None, code, ()
        header = cast(dict[str, Any], value)
        check_schema(header, schema)
    except (Unreadable, InvalidReply):
        return None, code, ()
    return header, rest, (*notes, "the JSON object stood in the program's block")


def _required(header: dict[str, Any] | None, request: Request, code: str | None) -> Mapping[str, Any]:
    if request.schema is None:
        return {}
    if header is None and (code is None or request.schema.get("required")):
        raise InvalidReply("The JSON object is missing; it must come first and fit: " + json.dumps(request.schema))
    return _valid(header or {}, request.schema)


def _valid(header: dict[str, Any], schema: JsonSchema | None) -> dict[str, Any]:
    """The header, when it fits; optional fields given as null count as absent where null does not fit."""
    if schema is None:
        return header
    try:
        check_schema(header, schema)
    except InvalidReply:
        slim = without_nulls(header, schema)
        if len(slim) == len(header):
            raise
        check_schema(slim, schema)
        return slim
    return header
