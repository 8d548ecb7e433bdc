"""Decides from the settings who is asked for which role.

Without a choice it takes the services that have a key, looks for Ollama, and says in one sentence what it chose.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.client import HTTPException
from typing import Any, cast
from urllib.request import ProxyHandler, build_opener

from .chains import Chains, Target
from .errors import NoProvider
from .pool import POOL, ProviderPool, SharedProvider
from .router import Router
from .services import SERVICES, Service
from .shapes import items, mapping, text
from .types import ProviderSettings

WRITERS = ("generator",)
"""The roles that a model on this machine takes over if there is one; the other roles judge."""
NOTHING = (
    "No model is configured: set a key such as ANTHROPIC_API_KEY, start Ollama, set HF_MODEL, "
    "or set LLM_PROVIDER=mock for the offline demo."
)
Chain = tuple[Target, ...]
OLLAMA_URL = SERVICES["ollama"].base_url
OLLAMA_PATIENCE_S = 0.3
"""The seconds that a local Ollama server gets to answer."""
MAX_LIST_BYTES = 1_000_000
"""The most bytes of Ollama's list of models that are read."""
_direct = build_opener(ProxyHandler({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMSettings:
    """Everything that decides who is asked. `keys` holds keys in plain text, by provider; each is sent to its own
    service only."""

    provider: str = "auto"
    model: str = ""
    roles: Mapping[str, Chain] = field(default_factory=dict[str, Chain])
    """The chain of each role that has its own."""
    fallback: Chain = ()
    """Who is asked if the first gives no answer; (): every other usable model."""
    strong: Chain = ()
    """Who is asked for hard tasks and on escalation, weakest first; (): the stronger model that the table of services
    names."""
    small: Chain = ()
    """Who writes simple programs; (): whoever writes the others."""
    keys: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    base_urls: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    """The model of each provider, used if nothing else names one."""
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """The options of each provider."""
    services: Mapping[str, Service] = field(default_factory=lambda: SERVICES, repr=False)

    def service(self, name: str) -> Service:
        """Returns the service of that name. Raises NoProvider with the names that there are."""
        if name not in self.services:
            names = ", ".join(sorted(self.services))
            variable = f"{name.upper()}_BASE_URL"
            raise NoProvider(f"There is no provider {name!r}; there are: {names}, or an endpoint named by {variable}.")
        return self.services[name]


def ollama_models(url: str) -> tuple[str, ...] | None:
    """Returns the names of the models on the server at `url`; None if nothing answers within 0.3 s."""
    try:
        with _direct.open(f"{url.rstrip('/').removesuffix('/v1')}/api/tags", timeout=OLLAMA_PATIENCE_S) as answer:
            body: Any = json.loads(answer.read(MAX_LIST_BYTES))
    except (OSError, ValueError, HTTPException):
        return None
    if not isinstance(body, dict):
        return None
    listed = items(cast(dict[str, Any], body).get("models"))
    return tuple(
        filter(None, (text(mapping(model).get("name")) or text(mapping(model).get("model")) for model in listed))
    )


def preferred(names: Sequence[str]) -> str:
    """Returns the model to take if none is named: one made for code, else the first; "" if there is none."""
    usable = [name for name in names if "embed" not in name.lower()]
    return next((name for name in usable if "code" in name.lower()), usable[0] if usable else "")


@dataclass(frozen=True, slots=True)
class LocalSearch:
    """How this machine is searched for local models: for an Ollama server, and for torch."""

    ollama: Callable[[str], tuple[str, ...] | None] = ollama_models
    """Returns the names of the models at an address; None if nothing answers there."""
    has_torch: Callable[[], bool] = lambda: importlib.util.find_spec("torch") is not None


def build_router(settings: LLMSettings, search: LocalSearch | None = None, pool: ProviderPool = POOL) -> Router:
    """Returns a router for the settings. It may wait 0.3 s for Ollama. Raises NoProvider with a message in one line."""
    chains = choose(settings, search or LocalSearch())
    return Router(shared_providers(settings, chains, pool), chains)


def shared_providers(settings: LLMSettings, chains: Chains, pool: ProviderPool = POOL) -> dict[str, SharedProvider]:
    """Returns every provider that the chains name, by name. They are shared with the other runs of this process."""
    names = sorted({target.provider for target in chains.targets()})
    return {name: pool.get(settings.service(name), provider_settings(settings, name)) for name in names}


def provider_settings(settings: LLMSettings, name: str) -> ProviderSettings:
    return ProviderSettings(
        key=settings.keys.get(name, ""),
        base_url=settings.base_urls.get(name, ""),
        model=settings.models.get(name, ""),
        options=settings.options.get(name, {}),
        service=settings.service(name),
    )


def for_user(settings: LLMSettings, *, provider: str, model: str = "", key: str = "") -> LLMSettings:
    """Returns the settings for a person who chooses a provider and may bring a key of their own. No other key of the
    owner's is left in them."""
    used = key or settings.keys.get(provider, "")
    return replace(only(settings, provider, model), keys={provider: used} if used else {})


def only(settings: LLMSettings, provider: str, model: str = "") -> LLMSettings:
    """Returns the settings with this provider alone, whatever else is configured."""
    return replace(settings, provider=provider, model=model, roles={}, fallback=(), strong=(), small=())


def choose(settings: LLMSettings, search: LocalSearch) -> Chains:
    """Returns who is asked for which role. Raises NoProvider if the settings name nothing usable."""
    chains = _automatic(settings, search) if settings.provider == "auto" else _named(settings, search)
    if settings.fallback:
        chains = replace(
            chains,
            default=_joined(chains.default[:1], settings.fallback),
            roles={role: _joined(chain[:1], settings.fallback) for role, chain in chains.roles.items()},
        )
    if settings.strong:
        chains = replace(chains, ladder=settings.strong, ladders={})
    honest = tuple(target for target in chains.default if not settings.service(target.provider).pretend)
    roles = {**chains.roles, **{role: _joined(chain, honest) for role, chain in settings.roles.items()}}
    said = _how_chosen(chains.said, settings.roles)
    chains = replace(chains, roles=roles, small=settings.small, own=frozenset(settings.roles), said=said)
    for target in (
        *settings.fallback,
        *settings.strong,
        *settings.small,
        *(t for c in settings.roles.values() for t in c),
    ):
        _check_usable(settings, target)
    return chains


def _how_chosen(said: str, roles: Mapping[str, Chain]) -> str:
    """Returns how the choice came about, together with the roles that have models of their own."""
    own = ", ".join(f"{chain[0]} as {role.replace('_', ' ')}" for role, chain in sorted(roles.items()))
    return f"{said.replace('every role', 'every other role')} Own models: {own}." if own else said


def _joined(first: Chain, then: Chain) -> Chain:
    return tuple(dict.fromkeys((*first, *then)))


def _named(settings: LLMSettings, search: LocalSearch) -> Chains:
    """Returns the chains for the provider that the settings name. Raises NoProvider."""
    settings.service(settings.provider)
    target = Target(settings.provider, settings.model or _model_of(settings, settings.provider, search))
    _check_usable(settings, target)
    return Chains((target,), ladder=_ladder(settings, target), said=f"{target} answers every role, as configured.")


def _automatic(settings: LLMSettings, search: LocalSearch) -> Chains:
    """Returns the chains for what is found here: a local model writes the programs, a service judges them. Raises
    NoProvider."""
    local = _local_target(settings, search)
    usable = [name for name in SERVICES if _has_what_it_needs(settings, SERVICES[name])]
    remote = [target for name in usable if (target := Target(name, _model_of(settings, name, search))).model]
    if settings.model and (remote or local):
        first = replace(remote[0] if remote else local or remote[0], model=settings.model)
        said = f"{first} answers every role: it was found here."
        return Chains((first,), ladder=_ladder(settings, first), said=said)
    if local and remote:
        steps = _ladder(settings, remote[0])
        chains = Chains((*remote, local), {role: (local, *remote) for role in WRITERS}, steps)
        said = f"{local} writes the programs and {remote[0]} judges them: both were found here."
        return replace(chains, ladders={role: (remote[0], *steps) for role in WRITERS}, said=said)
    found = [*remote, *([local] if local else [])]
    if not found:
        raise NoProvider(NOTHING)
    said = f"{found[0]} answers every role: it was found here."
    return Chains(tuple(found), ladder=_ladder(settings, found[0]), said=said)


def _has_what_it_needs(settings: LLMSettings, service: Service) -> bool:
    """Returns whether a service can be asked: its key is set, or the address of one's own server. Ollama is left out,
    because it is searched for."""
    if service.at == "service":
        return service.name in settings.keys
    return service.at == "server" and service.name != "ollama" and service.name in settings.base_urls


def _local_target(settings: LLMSettings, search: LocalSearch) -> Target | None:
    """Returns the model on this machine: from HF_MODEL if torch is installed, else from Ollama; None if there is
    none."""
    if (model := settings.models.get("huggingface")) and search.has_torch():
        return Target("huggingface", model)
    names = search.ollama(settings.base_urls.get("ollama") or OLLAMA_URL)
    if not names:
        return None
    return Target("ollama", settings.models.get("ollama") or preferred(names))


def _model_of(settings: LLMSettings, name: str, search: LocalSearch) -> str:
    """Returns the model of a provider: the configured one, the table's, or for Ollama one that is installed; "" if
    there is none."""
    configured = settings.models.get(name) or settings.service(name).model
    if configured or name != "ollama":
        return configured
    return preferred(search.ollama(settings.base_urls.get(name) or OLLAMA_URL) or ())


def _check_usable(settings: LLMSettings, target: Target) -> None:
    """Raises NoProvider if the target lacks a key or a model."""
    service = settings.service(target.provider)
    if service.at == "service" and service.name not in settings.keys and service.name not in settings.base_urls:
        raise NoProvider(f"The provider {service.name!r} needs a key: set {service.key_name}.")
    if not target.model:
        running = " (is Ollama running?)" if service.name == "ollama" else ""
        raise NoProvider(
            f"The provider {service.name!r} needs a model: set LLM_MODEL or {service.model_name}{running}."
        )


def _ladder(settings: LLMSettings, target: Target) -> Chain:
    """Returns the stronger models to escalate to. The table knows one only for its own default model."""
    service = settings.service(target.provider)
    return (Target(service.name, service.strong),) if service.strong and target.model == service.model else ()
