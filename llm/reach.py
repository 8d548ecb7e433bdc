"""Looks whether an Ollama server answers, without any client library."""

from __future__ import annotations

import http.client
import json
from collections.abc import Sequence
from typing import Any, cast
from urllib.parse import urlsplit

from .services import SERVICES
from .shapes import items, mapping, text

OLLAMA_URL = SERVICES["ollama"].base_url
PATIENCE_S = 0.3
MAX_BODY_BYTES = 1_000_000


def ollama_models(url: str) -> tuple[str, ...] | None:
    """Names of the models of the server at `url`; None where nothing answers within 0.3 s."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(parts.hostname or "127.0.0.1", parts.port or (443 if secure else 11434), timeout=PATIENCE_S)
    try:
        connection.request("GET", f"{parts.path.rstrip('/')}/api/tags")
        body: Any = json.loads(connection.getresponse().read(MAX_BODY_BYTES))
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()
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
