"""Reads fields of a foreign JSON body without trusting its shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def mapping(value: object) -> Mapping[str, Any]:
    """Returns the value if it is a JSON object, else an empty one."""
    return cast(Mapping[str, Any], value) if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Returns the value if it is a JSON array, else an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


def text(value: object) -> str:
    """Returns the value if it is a text, else "". A lone half of a surrogate pair becomes U+FFFD."""
    return piece(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def piece(value: object) -> str:
    """Returns the value if it is a text, else "". The text may end in half of a surrogate pair, whose other half comes
    with the next piece."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int | None:
    """Returns the value if it is a number of tokens, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
