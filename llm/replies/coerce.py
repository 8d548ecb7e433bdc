"""Fits a header to its schema if the meaning is beyond doubt.

It mends case, numbers as text, lists that are too long, and unknown fields.

A field that may be left out never costs the reply: if it cannot be fitted, it is dropped, and a note says so. A
required field is fitted or left as it is, so that the check afterwards names what is wrong with it.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Mapping
from typing import Any, cast

from llm.errors import InvalidReply
from llm.types import JsonSchema

CUT_MARK = "…"
"""How a text ends that was cut. The sign is no Python, so that a cut literal can never be taken for a whole one."""
CATCH_ALL = "other"
"""A word of an enumeration that stands for every word outside it."""
WORDS_OF_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
PERCENT_FROM = 2
"""The number from which on a share that must not exceed 1 is read as percent; 1.5 could be either."""
MAX_FAULTS = 5
"""The most faults that one message names."""


class Misfit(ValueError):
    """The value cannot be fitted without guessing."""


def fit_header(value: Mapping[str, Any], schema: JsonSchema) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Returns the object as the schema wants it, and in words what was changed. It never raises; what does not fit
    stays."""
    notes: dict[str, None] = {}
    fields = cast("Mapping[str, JsonSchema]", schema.get("properties", {}))
    required = cast("list[str]", schema.get("required", []))
    fitted: dict[str, Any] = {}
    for key, given in _renamed(_unwrapped(value, fields, notes), fields, notes).items():
        if key not in fields:
            notes[f"an unknown field {key[:40]!r} left out"] = None
            continue
        try:
            fitted[key] = _fit(given, fields[key], notes)
        except Misfit:
            if key in required:
                fitted[key] = given
            elif given is not None:
                notes[f"the field {key!r} left out: it does not fit"] = None
            else:
                notes["null for an absent field"] = None
    return fitted, tuple(notes)


def _unwrapped(value: Mapping[str, Any], fields: Mapping[str, Any], notes: dict[str, None]) -> Mapping[str, Any]:
    """Takes the header out of an object that holds nothing else: {"answer": {...}}."""
    inner = next(iter(value.values()), None)
    if len(value) == 1 and isinstance(inner, dict) and not value.keys() & fields.keys():
        wrapped = cast("dict[str, Any]", inner)
        if wrapped.keys() & fields.keys():
            notes["the JSON object stood within another"] = None
            return wrapped
    return value


def _renamed(value: Mapping[str, Any], fields: Mapping[str, Any], notes: dict[str, None]) -> dict[str, Any]:
    """Gives fields their own names if they differ only in case and signs: "repairHint", "Repair-Hint"."""
    plain = {_plain(name): name for name in fields}
    made: dict[str, Any] = {}
    for key, given in value.items():
        name = key if key in fields else plain.get(_plain(key), key)
        if name in made or (name != key and name in value):
            continue
        if name != key:
            notes["a field named in another way"] = None
        made[name] = given
    return made


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _fit(value: Any, schema: JsonSchema, notes: dict[str, None]) -> Any:
    if "enum" in schema:
        return _word(value, schema["enum"], notes)
    match schema.get("type"):
        case "string":
            return _text(value, schema, notes)
        case "number" | "integer":
            return _number(value, schema, notes)
        case "boolean":
            return _truth(value, notes)
        case "array":
            return _list(value, schema, notes)
        case "object" if isinstance(value, dict):
            fitted, told = fit_header(cast("dict[str, Any]", value), schema)
            notes.update(dict.fromkeys(told))
            return fitted
        case _:
            return value


def _word(value: Any, words: list[str], notes: dict[str, None]) -> str:
    """Returns the word of the enumeration that is meant. A sentence counts by its first word if it names no other word
    of the enumeration."""
    if value in words:
        return cast("str", value)
    said = re.findall(r"\w+", value.lower()) if isinstance(value, str) else []
    said = said[1:] if said[:1] in (["the"], ["a"]) else said
    named = [word for word in words if word in said]
    if said and named == [said[0]]:
        notes["another case or more words than asked for"] = None
        return named[0]
    if CATCH_ALL in words and value is not None:
        notes[f"an unknown word taken for {CATCH_ALL!r}"] = None
        return CATCH_ALL
    raise Misfit


def _text(value: Any, schema: JsonSchema, notes: dict[str, None]) -> str:
    if value is None:
        raise Misfit
    text = value if isinstance(value, str) else _as_text(value, schema, notes)
    longest = cast("int", schema.get("maxLength", len(text)))
    if len(text) > longest:
        notes["a text that was too long, cut"] = None
        text = text[: longest - len(CUT_MARK)] + CUT_MARK
    if len(text.strip()) < schema.get("minLength", 0):
        raise Misfit
    return text


def _as_text(value: Any, schema: JsonSchema, notes: dict[str, None]) -> str:
    """Returns the text of a value that came in place of a text: as Python if the field holds Python, else in plain
    lines."""
    notes["a value where its text was asked for"] = None
    if schema.get("format") == "python":
        return repr(value)
    if isinstance(value, dict):
        return ": ".join(_as_text(item, schema, notes) for item in cast("dict[str, Any]", value).values())
    if isinstance(value, list):
        return "\n".join(_as_text(item, schema, notes) for item in cast("list[Any]", value))
    return value if isinstance(value, str) else json.dumps(value)


def _number(value: Any, schema: JsonSchema, notes: dict[str, None]) -> float:
    whole = schema.get("type") == "integer"
    percent = isinstance(value, str) and value.strip().endswith("%")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Misfit
    try:
        number = float(value.strip().rstrip("% ")) if isinstance(value, str) else value
    except ValueError:
        raise Misfit from None
    if isinstance(value, str):
        notes["a number written as text"] = None
    if schema.get("maximum") == 1 and (percent or PERCENT_FROM <= number <= 100):
        notes["a share given in percent"] = None
        number = number / 100
    if whole and number == int(number):
        number = int(number)
    if number < schema.get("minimum", number) or number > schema.get("maximum", number):
        raise Misfit
    return number


def _truth(value: Any, notes: dict[str, None]) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in WORDS_OF_TRUTH:
        notes["true or false written as text"] = None
        return WORDS_OF_TRUTH[value.strip().lower()]
    raise Misfit


def _list(value: Any, schema: JsonSchema, notes: dict[str, None]) -> list[Any]:
    """Returns the items that fit, as many as are allowed. A single item becomes a list of one."""
    if isinstance(value, str) and value.strip():
        notes["one item where a list was asked for"] = None
        value = [value]
    if not isinstance(value, list):
        raise Misfit
    items, fitted = cast("list[Any]", value), list[Any]()
    for item in items:
        try:
            fitted.append(_item(item, schema["items"], notes))
        except Misfit:
            notes["items that do not fit, left out"] = None
    most = cast("int", schema.get("maxItems", len(fitted)))
    if len(fitted) > most:
        notes[f"a list of more than {most}, cut"] = None
    if len(fitted[:most]) < schema.get("minItems", 0) or (items and not fitted):
        raise Misfit
    return fitted[:most]


def _item(item: Any, schema: JsonSchema, notes: dict[str, None]) -> Any:
    """Returns the fitted item. An item that is too long is left out, because a part of it would be another item."""
    fitted = _fit(item, schema, notes)
    if isinstance(item, str) and fitted != item and schema.get("type") == "string":
        raise Misfit
    return fitted


def check_schema(value: object, schema: JsonSchema, *, what: str = "The JSON object") -> None:
    """Raises InvalidReply, which names each fault with its place, if the value does not fit the schema."""
    validator: Any = importlib.import_module("jsonschema").Draft202012Validator(schema)
    faults = sorted(validator.iter_errors(value), key=lambda fault: list(map(str, fault.absolute_path)))
    if faults:
        words = "; ".join(_worded(fault) for fault in faults[:MAX_FAULTS])
        raise InvalidReply(f"{what} does not fit its schema: {words}.")


def _worded(fault: Any) -> str:
    place = "/".join(map(str, fault.absolute_path)) or "the object"
    message = str(fault.message)
    if fault.validator in ("maxLength", "minLength", "maxItems", "minItems"):
        message = f"has length {len(fault.instance)}, allowed is {fault.validator} {fault.validator_value}"
    elif fault.validator == "enum":
        message = f"must be one of {json.dumps(fault.validator_value)}"
    return f"{place}: {message[:200]}"
