"""The services that speak the chat-completions protocol, and how each differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from .types import SchemaMode


@dataclass(frozen=True, slots=True)
class Preset:
    """One service. What it refuses at run time is learnt and remembered beside this."""

    base_url: str
    model: str = ""
    """Used where none is named."""
    schema: SchemaMode = "native"
    """Where the ladder of reply schemas starts."""
    object_schema: bool = False
    """Takes a schema beside `json_object`."""
    bounds: bool = False
    """Its grammar engine takes lengths and limits."""
    limit: str = "max_tokens"
    """What it calls the limit of the reply."""
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Sent with each request."""
    local: bool = False
    thoughts: int = 8192
    """Tokens granted on top of the reply's limit, because thinking counts against it."""
    price_id: str | None = None
    """Its name in the price table."""


PRESETS: dict[str, Preset] = {
    "deepseek": Preset("https://api.deepseek.com", "deepseek-v4-flash", schema="object", price_id="deepseek"),
    "gemini": Preset("https://generativelanguage.googleapis.com/v1beta/openai", "gemini-2.5-flash", price_id="google"),
    "groq": Preset("https://api.groq.com/openai/v1", "openai/gpt-oss-120b", price_id="groq"),
    "hf_router": Preset("https://router.huggingface.co/v1", "openai/gpt-oss-120b"),
    "llamacpp": Preset("http://127.0.0.1:8080/v1", "default", object_schema=True, bounds=True, local=True, thoughts=0),
    "openai": Preset("https://api.openai.com/v1", "gpt-5.4-mini", limit="max_completion_tokens", price_id="openai"),
    "openrouter": Preset(
        "https://openrouter.ai/api/v1",
        "anthropic/claude-haiku-4.5",
        extra=MappingProxyType({"provider": {"require_parameters": True}}),
        price_id="openrouter",
    ),
    "together": Preset("https://api.together.xyz/v1", "openai/gpt-oss-120b", object_schema=True, price_id="together"),
    "vllm": Preset("http://127.0.0.1:8000/v1", "", local=True, thoughts=0),
}
