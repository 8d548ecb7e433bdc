"""From settings to a router: which model is asked for which role in this run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from framework.secret import Secret
from framework.settings import Settings
from llm.router import Router
from llm.chains import Chains, Target
from llm.providers import PROVIDERS, open_provider
from llm.providers.mock import no_scenario_message

from .request import BadInput

MOCK = "mock"


@dataclass(frozen=True, slots=True)
class Chosen:
    router: Router
    provider: str
    model: str
    scripted: bool


def check_provider(provider: str | None) -> None:
    """Raises BadInput for a name that is no provider."""
    if provider is not None and provider != "auto" and provider not in PROVIDERS:
        raise BadInput(f"there is no provider {provider!r}; there are: auto, {', '.join(sorted(PROVIDERS))}")


def is_mock(settings: Settings, spec: Mapping[str, Any]) -> bool:
    return (spec.get("provider") or settings.models.provider) == MOCK


def no_scenario() -> str:
    return no_scenario_message()


async def choose(settings: Settings, spec: Mapping[str, Any], lent: tuple[str, Secret] | None) -> Chosen:
    target = Target("mock", "scripted-demo")
    router = Router({"mock": open_provider("mock")}, Chains((target,)))
    return Chosen(router, target.provider, target.model, True)
