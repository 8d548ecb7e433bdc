"""From plain settings to a router: what is there is used, and what was chosen is said in one sentence."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .chains import Chains, Target
from .errors import NoProvider
from .presets import PRESETS
from .providers import PROVIDERS, open_provider
from .reach import OLLAMA_URL, ollama_models, preferred
from .router import Router
from .types import Provider, ProviderSettings

CLAUDE = "claude-haiku-5-5"
STRONGER_CLAUDE = "claude-sonnet-5-5"
DEFAULT_MODELS = {"anthropic": CLAUDE, "mock": "scripted-demo", "replay": "recorded"}
KEYED = ("anthropic", "openai", "gemini", "groq", "deepseek", "openrouter", "together", "hf_router")
"""Services that a key alone makes usable, in order of preference."""
OWN = ("vllm", "llamacpp")
"""Servers of one's own: usable once their address is configured."""
WRITERS = ("generator",)
"""Roles that a model on this machine takes over when there is one; the others judge."""
PRETEND = ("mock", "replay")
NOTHING = (
    "No model is configured: set a key such as ANTHROPIC_API_KEY, start Ollama, set HF_MODEL, "
    "or set LLM_PROVIDER=mock for the offline demo."
)


def _none() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMSettings:
    """All that decides who is asked. `keys`: plain text, by provider; they leave this room only for their service."""

    provider: str = "auto"
    model: str = ""
    roles: Mapping[str, tuple[str, str]] = field(default_factory=_none)
    """Role -> (provider, model), where a role has its own."""
    keys: Mapping[str, str] = field(default_factory=_none, repr=False)
    base_urls: Mapping[str, str] = field(default_factory=_none)
    models: Mapping[str, str] = field(default_factory=_none)
    """Provider -> model, where nothing else names one."""
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=_none)
    """Provider -> its options."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the machine offers; replaced in tests."""

    ollama: Callable[[str], tuple[str, ...] | None] = ollama_models
    """Address -> names of its models, or None where nothing answers."""
    has_torch: Callable[[], bool] = lambda: importlib.util.find_spec("torch") is not None


def build_router(settings: LLMSettings, surroundings: Surroundings | None = None) -> Router:
    """A router for the settings. May wait 0.3 s for Ollama. Raises NoProvider with one clear line."""
    chains = choose(settings, surroundings or Surroundings())
    return Router(open_providers(settings, chains), chains)


def open_providers(settings: LLMSettings, chains: Chains) -> dict[str, Provider]:
    """Every provider that the chains name."""
    chained = [chains.default, chains.ladder, *chains.roles.values(), *chains.ladders.values()]
    names = sorted({target.provider for chain in chained for target in chain})
    return {name: open_provider(name, provider_settings(settings, name)) for name in names}


def provider_settings(settings: LLMSettings, name: str) -> ProviderSettings:
    return ProviderSettings(
        key=settings.keys.get(name, ""),
        base_url=settings.base_urls.get(name, ""),
        model=settings.models.get(name, ""),
        options=settings.options.get(name, {}),
    )


def for_user(
    settings: LLMSettings, *, provider: str, model: str = "", key: str = "", base_url: str = ""
) -> LLMSettings:
    """Settings of a person who brings a key or an address; the owner's key goes to no address but the owner's."""
    foreign = bool(base_url) and base_url.rstrip("/") != settings.base_urls.get(provider, "").rstrip("/")
    kept = {} if foreign else {provider: settings.keys[provider]} if provider in settings.keys else {}
    return replace(
        settings,
        provider=provider,
        model=model,
        roles={},
        keys={**kept, **({provider: key} if key else {})},
        base_urls={**settings.base_urls, **({provider: base_url} if base_url else {})},
    )


def choose(settings: LLMSettings, surroundings: Surroundings) -> Chains:
    """Who is asked for which role. Raises NoProvider for settings that name nothing usable."""
    chains = _automatic(settings, surroundings) if settings.provider == "auto" else _named(settings, surroundings)
    roles = dict(chains.roles)
    for role, (provider, model) in settings.roles.items():
        own = Target(provider, model)
        _check_usable(settings, own)
        roles[role] = (own, *(t for t in chains.default if t != own and t.provider not in PRETEND))
    return replace(chains, roles=roles)


def _named(settings: LLMSettings, surroundings: Surroundings) -> Chains:
    if settings.provider not in PROVIDERS:
        raise NoProvider(f"There is no provider {settings.provider!r}; there are: {', '.join(sorted(PROVIDERS))}.")
    target = Target(settings.provider, settings.model or _model_of(settings, settings.provider, surroundings))
    _check_usable(settings, target)
    said = f"{target} answers every role, as configured."
    return Chains((target,), ladder=_ladder(target), said=said)


def _automatic(settings: LLMSettings, surroundings: Surroundings) -> Chains:
    local = _local_target(settings, surroundings)
    keyed = [Target(name, _model_of(settings, name, surroundings)) for name in KEYED if settings.keys.get(name)]
    own = [Target(name, _model_of(settings, name, surroundings)) for name in OWN if settings.base_urls.get(name)]
    remote = [target for target in (*keyed, *own) if target.model]
    if settings.model and (remote or local):
        first = replace(remote[0] if remote else local or remote[0], model=settings.model)
        return Chains((first,), ladder=_ladder(first), said=f"{first} answers every role: it was found here.")
    if local and remote:
        chains = Chains((*remote, local), {role: (local, *remote) for role in WRITERS}, _ladder(remote[0]))
        said = f"{local} writes the programs and {remote[0]} judges them: both were found here."
        return replace(chains, ladders={role: (remote[0], *_ladder(remote[0])) for role in WRITERS}, said=said)
    found = [*remote, *([local] if local else [])]
    if not found:
        raise NoProvider(NOTHING)
    return Chains(tuple(found), ladder=_ladder(found[0]), said=f"{found[0]} answers every role: it was found here.")


def _local_target(settings: LLMSettings, surroundings: Surroundings) -> Target | None:
    if (model := settings.models.get("huggingface")) and surroundings.has_torch():
        return Target("huggingface", model)
    names = surroundings.ollama(settings.base_urls.get("ollama") or OLLAMA_URL)
    if not names:
        return None
    return Target("ollama", settings.models.get("ollama") or preferred(names))


def _model_of(settings: LLMSettings, name: str, surroundings: Surroundings) -> str:
    configured = settings.models.get(name) or DEFAULT_MODELS.get(name)
    if configured:
        return configured
    if name == "ollama":
        return preferred(surroundings.ollama(settings.base_urls.get(name) or OLLAMA_URL) or ())
    return PRESETS[name].model if name in PRESETS else ""


def _check_usable(settings: LLMSettings, target: Target) -> None:
    name = target.provider
    if name in KEYED and not settings.keys.get(name) and not settings.base_urls.get(name):
        variable = "HF_TOKEN" if name == "hf_router" else f"{name.upper()}_API_KEY"
        raise NoProvider(f"The provider {name!r} needs a key: set {variable}.")
    if not target.model:
        hint = {"ollama": "set OLLAMA_MODEL (is Ollama running?)", "huggingface": "set HF_MODEL"}
        raise NoProvider(f"The provider {name!r} needs a model: {hint.get(name, 'set LLM_MODEL')}.")


def _ladder(target: Target) -> tuple[Target, ...]:
    return (Target("anthropic", STRONGER_CLAUDE),) if target == Target("anthropic", CLAUDE) else ()
