"""Holds the one table of model services. Settings, the choice of models, prices and the page follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from .types import SchemaMode

CHAT = "openai_compatible:OpenAICompatible"
MAX_SEARCHES = 3
"""The most web searches for one reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Everything that is known of one service before it is asked. `dialect` learns what it refuses."""

    name: str
    label: str
    """The name for people."""
    wire: str = CHAT
    """The module of `llm.providers` (with dots: any module) and the factory in it, which takes the name and the
    provider's settings."""
    at: Literal["service", "server", "process"] = "service"
    """Where a model runs: at a service that wants a key, on one's own server, or in this process."""
    key_variable: str = ""
    """The variable of its key; "": <NAME>_API_KEY."""
    model_variable: str = ""
    """The variable of its model; "": <NAME>_MODEL."""
    base_url: str = ""
    model: str = ""
    """The model that is asked if none is named."""
    strong: str = ""
    """The upper step of the ladder, asked for hard tasks and if the model is stuck; "": none is known."""
    price_id: str | None = None
    """The service's name in the price table; None: prices are unknown, unless it runs on one's own machine."""
    thoughts: int = 8192
    """The tokens that are granted on top of the reply's limit, because thinking counts against that limit."""
    concurrent: int = 4
    """The calls at the same time. A server that answers one call after the other gets one at a time."""
    start: str = ""
    """How one's own server is started."""
    pretend: bool = False
    """Whether the service plays written or recorded replies. Such a service is never chosen by itself and never a
    fallback."""
    schema: SchemaMode = "native"
    """The step at which the ladder of reply schemas starts."""
    object_schema: bool = False
    """Whether the service takes a schema together with `json_object`."""
    bounds: bool = False
    """Whether the service's grammar takes bounds of lengths and numbers."""
    limit: str = "max_tokens"
    """The service's name for the limit of the reply."""
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What is sent with each request."""
    search: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What is sent in addition with a request for which the web may be searched; empty: the service has no search of
    its own."""

    @property
    def prefix(self) -> str:
        """How the names of the service's variables begin."""
        return self.name.upper()

    @property
    def key_name(self) -> str:
        return self.key_variable or f"{self.prefix}_API_KEY"

    @property
    def url_name(self) -> str:
        return f"{self.prefix}_BASE_URL"

    @property
    def model_name(self) -> str:
        return self.model_variable or f"{self.prefix}_MODEL"

    @property
    def free(self) -> bool:
        return self.at != "service"

    @property
    def addressed(self) -> bool:
        """Whether the service has an address, which may be changed."""
        return self.at != "process"


SERVICES: dict[str, Service] = {
    service.name: service
    for service in (
        # The services stand in the order in which they are preferred if several are usable. One line makes a service
        # known. A service that speaks neither chat completions, nor Claude's protocol, nor Ollama's also needs a file
        # in llm/providers.
        Service(
            name="anthropic", label="Claude", wire="anthropic:AnthropicProvider", base_url="https://api.anthropic.com",
            model="claude-haiku-5-5", strong="claude-sonnet-5-5", price_id="anthropic",
            search={"tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": MAX_SEARCHES}]},
        ),
        Service(
            name="openai", label="OpenAI", base_url="https://api.openai.com/v1", limit="max_completion_tokens",
            model="gpt-5.4-mini", strong="gpt-5.4", price_id="openai", search={"web_search_options": {}},
        ),
        Service(
            name="gemini", label="Gemini", base_url="https://generativelanguage.googleapis.com/v1beta/openai",
            model="gemini-2.5-flash", strong="gemini-2.5-pro", price_id="google",
        ),
        Service(
            name="groq", label="Groq", base_url="https://api.groq.com/openai/v1",
            model="openai/gpt-oss-120b", price_id="groq",
        ),
        Service(
            name="deepseek", label="DeepSeek", base_url="https://api.deepseek.com", schema="object",
            model="deepseek-v4-flash", strong="deepseek-v4-pro", price_id="deepseek",
        ),
        Service(
            name="openrouter", label="OpenRouter", base_url="https://openrouter.ai/api/v1",
            model="anthropic/claude-haiku-4.5", strong="anthropic/claude-sonnet-4.5", price_id="openrouter",
            extra=MappingProxyType({"provider": {"require_parameters": True}}),
            search={"tools": [{"type": "openrouter:web_search", "parameters": {"max_results": 5}}]},
        ),
        Service(
            name="together", label="Together", base_url="https://api.together.xyz/v1", object_schema=True,
            model="openai/gpt-oss-120b", price_id="together",
        ),
        Service(
            name="hf_router", label="Hugging Face (router)", base_url="https://router.huggingface.co/v1",
            key_variable="HF_TOKEN", model="openai/gpt-oss-120b",
        ),
        Service(
            name="vllm", label="vLLM", at="server", base_url="http://127.0.0.1:8000/v1", start="start `vllm serve`",
        ),
        Service(
            name="llamacpp", label="llama.cpp", at="server", base_url="http://127.0.0.1:8080/v1", model="default",
            object_schema=True, bounds=True, concurrent=1, start="start `llama-server`",
        ),
        Service(
            name="ollama", label="Ollama", wire="ollama:OllamaProvider", at="server",
            base_url="http://127.0.0.1:11434", concurrent=1, start="start `ollama serve`",
        ),
        Service(
            name="huggingface", label="Hugging Face model on this machine", wire="huggingface:HuggingFaceProvider",
            at="process", key_variable="HF_TOKEN", model_variable="HF_MODEL", thoughts=0, concurrent=64,
        ),
        Service(
            name="mock", label="Demo model (scripted, offline)", wire="mock:MockProvider", at="process",
            model="scripted-demo", pretend=True, thoughts=0, concurrent=64,
        ),
    )
}  # fmt: skip


def endpoint(name: str, base_url: str) -> Service:
    """Returns the service for a compatible endpoint about which only name and address are known."""
    return Service(name=name, label=name, base_url=base_url)
