"""The registry of providers: one file and one line each, imported only when opened."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import cast

from ..errors import NoProvider
from ..types import Provider, ProviderSettings

PROVIDERS: dict[str, str] = {
    "anthropic": "anthropic:AnthropicProvider",
    "deepseek": "openai_compatible:OpenAICompatible",
    "gemini": "openai_compatible:OpenAICompatible",
    "groq": "openai_compatible:OpenAICompatible",
    "hf_router": "openai_compatible:OpenAICompatible",
    "huggingface": "huggingface:HuggingFaceProvider",
    "llamacpp": "openai_compatible:OpenAICompatible",
    "mock": "mock:MockProvider",
    "ollama": "ollama:OllamaProvider",
    "openai": "openai_compatible:OpenAICompatible",
    "openrouter": "openai_compatible:OpenAICompatible",
    "replay": "replay:ReplayProvider",
    "together": "openai_compatible:OpenAICompatible",
    "vllm": "openai_compatible:OpenAICompatible",
}
"""Name -> module of this package and the factory in it, which is called with the name and its settings."""

EXTRAS = {
    "torch": "torch transformers accelerate llguidance",
    "transformers": "torch transformers accelerate llguidance",
}
"""Missing package -> what to install instead of its name alone."""


def open_provider(name: str, settings: ProviderSettings | None = None) -> Provider:
    """The named provider; raises NoProvider for an unknown name and for a package that is not installed."""
    entry = PROVIDERS.get(name)
    if entry is None:
        raise NoProvider(f"There is no provider {name!r}; there are: {', '.join(sorted(PROVIDERS))}.")
    module, _, factory = entry.partition(":")
    try:
        found = importlib.import_module(f".{module}", __name__)
    except ModuleNotFoundError as error:
        raise missing_package(name, error) from None
    make = cast(Callable[[str, ProviderSettings], Provider], getattr(found, factory))
    return make(name, settings or ProviderSettings())


def missing_package(provider: str, error: ModuleNotFoundError) -> NoProvider:
    """What to install, in one line."""
    package = (error.name or "?").partition(".")[0]
    return NoProvider(f"The provider {provider!r} needs a package: pip install {EXTRAS.get(package, package)}")
