"""Checks a value against a JSON Schema and says what is wrong in words a model can act on."""

from __future__ import annotations

import importlib
import json
from typing import Any

from .errors import InvalidReply
from .types import JsonSchema

MAX_FAULTS = 5
"""Faults that one message names, at most."""


def check_schema(value: object, schema: JsonSchema, *, what: str = "The JSON object") -> None:
    """Raises InvalidReply naming each fault with its place."""
    faults = sorted(_validator(schema).iter_errors(value), key=lambda fault: list(map(str, fault.absolute_path)))
    if faults:
        words = "; ".join(_worded(fault) for fault in faults[:MAX_FAULTS])
        raise InvalidReply(f"{what} does not fit its schema: {words}.")


def _validator(schema: JsonSchema) -> Any:
    jsonschema = importlib.import_module("jsonschema")
    return jsonschema.Draft202012Validator(schema)


def _worded(fault: Any) -> str:
    place = "/".join(map(str, fault.absolute_path)) or "the object"
    message = str(fault.message)
    if fault.validator in ("maxLength", "minLength", "maxItems", "minItems"):
        message = f"has length {len(fault.instance)}, allowed is {fault.validator} {fault.validator_value}"
    elif fault.validator == "enum":
        message = f"must be one of {json.dumps(fault.validator_value)}"
    return f"{place}: {message[:200]}"
