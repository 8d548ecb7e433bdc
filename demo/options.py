"""What the app tells its screen at the start; all of it comes from the settings."""

from __future__ import annotations

from dataclasses import dataclass

from framework.rate import Rate
from framework.secret import Secret
from framework.settings import Settings

AS_CONFIGURED = ""
DEMO = "mock"
_SERVICES = {
    "anthropic": "Claude",
    "openai": "OpenAI",
    "gemini": "Gemini",
    "groq": "Groq",
    "deepseek": "DeepSeek",
    "openrouter": "OpenRouter",
    "together": "Together",
    "hf_router": "Hugging Face (router)",
}
_LOCAL = {
    "huggingface": "Hugging Face model on this machine",
    "ollama": "Ollama",
    "vllm": "vLLM",
    "llamacpp": "llama.cpp",
}
_NO_MODEL = (
    "No model is configured, so this page uses the offline demo model: pick an example and press Run. "
    "To work on your own task, choose a provider under Model and give it a key."
)
_DEMO_CHOSEN = (
    "This page uses the offline demo model: pick an example and press Run. "
    "To work on your own task, choose another provider under Model."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UiOptions:
    storage_secret: str
    """Encrypts what the page keeps in the browser; must outlive a restart."""
    providers: tuple[tuple[str, str], ...] = (("Demo model (scripted, offline)", DEMO),)
    """(label, name) pairs to choose from."""
    provider: str = DEMO
    """The choice that stands at the start."""
    notice: str = _DEMO_CHOSEN
    """What a visitor should know first; "" for nothing."""
    api_key: Secret | None = None
    """Required by REST and MCP when set."""
    rate: Rate | None = None
    """New runs per caller; None: no limit."""
    behind_proxy: bool = False
    """Callers are told apart by the address that the proxy names."""
    max_queue: int = 64


def options_from(settings: Settings, storage_secret: Secret) -> UiOptions:
    models = settings.models
    demo = models.provider == DEMO
    configured = not demo and (models.provider != "auto" or bool(models.keys or models.base_urls or models.models))
    own = [(f"As configured ({models.provider})", AS_CONFIGURED)] if configured else []
    services = [
        (label if name in models.keys else f"{label}: needs your key", name) for name, label in _SERVICES.items()
    ]
    local = [] if settings.on_space else [(label, name) for name, label in _LOCAL.items()]
    return UiOptions(
        storage_secret=storage_secret.reveal(),
        providers=(*own, ("Demo model (scripted, offline)", DEMO), *services, *local),
        provider=AS_CONFIGURED if configured else DEMO,
        notice="" if configured else _DEMO_CHOSEN if demo else _NO_MODEL,
        api_key=settings.server.api_key,
        rate=settings.server.rate,
        behind_proxy=settings.on_space,
    )
