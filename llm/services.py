"""The one table of model services: settings, the choice of models, prices and the page derive from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from .types import SchemaMode

CHAT = "openai_compatible:OpenAICompatible"
MAX_SEARCHES = 3
"""Of the web, for one reply."""
Place = Literal["service", "server", "process"]
"""Where a model runs: at a service that wants a key, on a server of one's own, or in this process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Everything that is known of one service before it is asked; what it refuses is learnt beside this."""

    name: str
    label: str
    """For people."""
    wire: str = CHAT
    """Module of `llm.providers` (with dots: any module) and the factory in it, which is called with the name and the
    provider's settings."""
    at: Place = "service"
    key_variable: str = ""
    """"": <NAME>_API_KEY."""
    model_variable: str = ""
    """"": <NAME>_MODEL."""
    base_url: str = ""
    model: str = ""
    """Asked where none is named."""
    strong: str = ""
    """The ladder's upper step, asked for hard tasks and where the model is stuck; "": none is known."""
    price_id: str | None = None
    """Its name in the price table; None: unknown prices, unless it runs on a machine of one's own."""
    thoughts: int = 8192
    """Tokens granted on top of the reply's limit, because thinking counts against it."""
    concurrent: int = 4
    """Calls at the same time. Servers of one's own that answer one after the other are spared a queue."""
    start: str = ""
    """How a server of one's own is started."""
    pretend: bool = False
    """Plays written or recorded replies: never chosen by itself, never a fallback."""
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
    search: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Sent besides with a request for which the web may be searched; empty: it has no search of its own."""

    @property
    def prefix(self) -> str:
        """How the names of its variables begin."""
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
        """Tells whether a call costs nothing."""
        return self.at != "service"

    @property
    def addressed(self) -> bool:
        """Tells whether it has an address, which may be changed."""
        return self.at != "process"


SERVICES: dict[str, Service] = {
    service.name: service
    for service in (
        # In the order in which they are preferred where several are usable. One line makes a service known; one that
        # speaks neither chat completions, nor Claude's protocol, nor Ollama's also needs a file in llm/providers.
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
    """Returns the service for a compatible endpoint of which nothing is known but its name and address."""
    return Service(name=name, label=name, base_url=base_url)
