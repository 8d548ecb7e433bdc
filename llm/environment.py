"""Reads from the environment which models there are.

The names of a service's variables follow from its line in the table of services.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from .chains import Target
from .choose import LLMSettings
from .services import SERVICES, Service, endpoint

ROLE = "LLM_ROLE_"
ADDRESS = "_BASE_URL"
EVERYONE = "LLM"
MAX_TOKENS, MAX_SECONDS = 10_000_000, 86_400.0
"""The largest values that variables may set, in tokens and in seconds."""
EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")


class Revealable(Protocol):
    """A text that shows itself only on request."""

    def reveal(self) -> str: ...


class VariableReader(Protocol):
    """Reads single variables strictly: an unusable value raises an error in one line that names the variable."""

    def text(self, name: str) -> str | None: ...
    def secret(self, name: str) -> Revealable | None: ...
    def choice(self, name: str, words: Sequence[str]) -> str | None: ...
    def flag(self, name: str) -> bool | None: ...
    def whole(self, name: str, low: int, high: int) -> int | None: ...
    def number(self, name: str, low: float, high: float) -> float | None: ...
    def url(self, name: str) -> str | None: ...
    def pairs(self, name: str, heads: Collection[str]) -> tuple[tuple[str, str], ...]: ...
    def addresses(self, ending: str) -> Mapping[str, str]: ...
    def suffixes(self, beginning: str, known: Collection[str]) -> Sequence[str]: ...


def read_settings(
    variables: VariableReader, *, roles: Collection[str] = (), options: Mapping[str, Mapping[str, Any]] | None = None
) -> LLMSettings:
    """Returns what the variables say about models. No other function here reveals the keys. `roles` are the known
    roles, `options` further options by provider. Raises what `variables` raises."""
    services = {**SERVICES, **_endpoints(variables)}

    def chain(name: str) -> tuple[Target, ...]:
        return tuple(Target(*pair) for pair in variables.pairs(name, services))

    keys = {name: variables.secret(one.key_name) for name, one in services.items() if not one.pretend}
    addresses = {name: variables.url(one.url_name) for name, one in services.items() if one.addressed}
    models = {name: variables.text(one.model_name) for name, one in services.items() if not one.pretend}
    own = {role: chain(f"{ROLE}{role.upper()}") for role in variables.suffixes(ROLE, roles)}
    given = {name: {**_options(variables, one), **(options or {}).get(name, {})} for name, one in services.items()}
    return LLMSettings(
        provider=variables.choice("LLM_PROVIDER", ("auto", *services)) or "auto",
        model=variables.text("LLM_MODEL") or "",
        roles={role: targets for role, targets in own.items() if targets},
        fallback=chain("LLM_FALLBACK"),
        strong=chain("LLM_STRONG"),
        small=chain("LLM_SMALL"),
        keys={name: key.reveal() for name, key in keys.items() if key},
        base_urls={name: address for name, address in addresses.items() if address},
        models={name: model for name, model in models.items() if model},
        options={name: values for name, values in given.items() if values},
        services=services,
    )


def _endpoints(variables: VariableReader) -> dict[str, Service]:
    """Returns a service for every NAME_BASE_URL whose name is not in the table: a compatible endpoint called `name`."""
    known = {service.url_name for service in SERVICES.values()}
    found = variables.addresses(ADDRESS)
    names = {variable: variable.removesuffix(ADDRESS).lower() for variable in found if variable not in known}
    return {name: endpoint(name, found[variable]) for variable, name in names.items()}


def _options(variables: VariableReader, service: Service) -> dict[str, Any]:
    """Returns the options of one service, each from the service's own variable, else from the one for all services.
    Only USE_4BIT has no variable for each service."""
    if service.pretend:
        return {}
    both = (service.prefix, EVERYONE)
    found: dict[str, Any] = {
        "context": _first(variables.whole(f"{one}_CONTEXT", 256, MAX_TOKENS) for one in both),
        "thoughts": _first(variables.whole(f"{one}_THOUGHTS", 0, MAX_TOKENS) for one in both),
        "effort": _first(variables.choice(f"{one}_EFFORT", EFFORTS) for one in both),
        "stall_s": _first(variables.number(f"{one}_STALL_S", 0.1, MAX_SECONDS) for one in both),
        "total_s": _first(variables.number(f"{one}_TOTAL_S", 0.1, MAX_SECONDS) for one in both),
        "use_4bit": variables.flag("USE_4BIT") if service.at == "process" else None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _first(values: Any) -> Any:
    return next((value for value in values if value is not None), None)
