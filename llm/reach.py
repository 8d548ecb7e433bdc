"""Looks whether an Ollama server answers, without any client library."""

from __future__ import annotations

import json
from collections.abc import Sequence
from http.client import HTTPException
from typing import Any, cast
from urllib.request import ProxyHandler, build_opener

from .services import SERVICES
from .shapes import items, mapping, text

OLLAMA_URL = SERVICES["ollama"].base_url
PATIENCE_S = 0.3
MAX_BODY_BYTES = 1_000_000
_direct = build_opener(ProxyHandler({}))


def ollama_models(url: str) -> tuple[str, ...] | None:
    """Names of the models of the server at `url`; None where nothing answers within 0.3 s."""
    try:
        with _direct.open(f"{url.rstrip('/').removesuffix('/v1')}/api/tags", timeout=PATIENCE_S) as answer:
            body: Any = json.loads(answer.read(MAX_BODY_BYTES))
    except (OSError, ValueError, HTTPException):
        return None
    if not isinstance(body, dict):
        return None
    listed = items(cast(dict[str, Any], body).get("models"))
    return tuple(
        filter(None, (text(mapping(model).get("name")) or text(mapping(model).get("model")) for model in listed))
    )


def preferred(names: Sequence[str]) -> str:
    """The model to take where none is named: one made for code, else the first; "" where there is none."""
    usable = [name for name in names if "embed" not in name.lower()]
    return next((name for name in usable if "code" in name.lower()), usable[0] if usable else "")
