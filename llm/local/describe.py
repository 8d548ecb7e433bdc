"""Tells what is known of a model before it is loaded, from the small files beside its weights."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from ..types import Caps
from .chat import supports_tools
from .engine import in_memory


def caps_of(model: str) -> Caps:
    """Returns what a model can do: exactly if it is in memory, from its files if they are on this machine, else the
    cautious defaults."""
    loaded = in_memory(model)
    if loaded is not None:
        template, context = loaded.tokenizer.chat_template, loaded.context
    else:
        template, context = _on_disk(model)
    return Caps(tools=supports_tools(template), schema="grammar", context=context, local=True)


@lru_cache(maxsize=64)
def _on_disk(model: str) -> tuple[Any, int | None]:
    config = _json(model, "config.json")
    text_config = cast("dict[str, Any]", config.get("text_config") or config)
    jinja = _file(model, "chat_template.jinja")
    template: Any = jinja.read_text("utf-8") if jinja else _json(model, "tokenizer_config.json").get("chat_template")
    if isinstance(template, list):
        template = {str(part["name"]): part["template"] for part in cast("list[dict[str, Any]]", template)}
    return template, text_config.get("max_position_embeddings")


def _json(model: str, name: str) -> dict[str, Any]:
    path = _file(model, name)
    try:
        data: Any = json.loads(path.read_text("utf-8")) if path else {}
    except (OSError, ValueError):
        return {}  # loading the model will say what is wrong with the file
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}


def _file(model: str, name: str) -> Path | None:
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder / name if (folder / name).is_file() else None
    from huggingface_hub import try_to_load_from_cache  # noqa: PLC0415 - belongs to the optional packages
    from huggingface_hub.errors import HFValidationError  # noqa: PLC0415

    try:
        found = try_to_load_from_cache(model, name)
    except HFValidationError:
        return None
    return Path(found) if isinstance(found, str) else None
