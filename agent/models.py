"""Builds the router of a run from the settings: which model is asked for which role."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from framework.errors import SettingsError
from framework.settings import Settings
from llm.choose import LLMSettings, build_router, for_user, only
from llm.costs import Expected, estimate, unpriced
from llm.environment import read_settings
from llm.errors import NoProvider, NoScenario
from llm.providers.mock import no_scenario_message
from llm.router import Router
from llm.scenarios import find_scenario
from llm.tokens import estimate_tokens
from prompts import load_prompt

from .examples import read_brief
from .examples.classify import is_hard
from .examples.types import BY_OUTPUT
from .outcome.words import plural
from .session.roles import ROLES
from .state import Task
from .task.request import BadInput

MOCK = "mock"
WRITER = "generator"
UNTROUBLED = ("spec_tester", "generator", "adversarial_tester")
"""The roles that are asked when everything goes well."""
WITHOUT_EXAMPLE = ("spec_tester", "input_writer", "reference", "adversarial_tester", "critic")
"""The roles that are asked besides when the task gives no example, because its evidence is then thin (see
agent/trust/thin.py)."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The models of a run."""

    router: Router
    provider: str
    model: str
    """The model of the role that writes the programs."""
    scripted: bool
    """Whether the scripted demo model plays some role."""


def check_provider(settings: Settings, provider: str | None) -> None:
    """Raises BadInput when `provider` is no provider's name, and SettingsError when the environment names no usable
    model."""
    known = llm_settings(settings).services
    if provider is not None and provider != "auto" and provider not in known:
        raise BadInput(f"there is no provider {provider!r}; there are: auto, {', '.join(sorted(known))}")


def is_scripted(settings: Settings, provider: str | None) -> bool:
    """Returns whether the demo model answers a run that names this provider, or none."""
    return (provider or llm_settings(settings).provider) == MOCK


def check_scenario(settings: Settings, provider: str | None, task: str) -> None:
    """Raises NoScenario, with what to do instead, when the scripted demo model is asked and has nothing for the
    task."""
    if is_scripted(settings, provider) and find_scenario(task) is None:
        raise NoScenario(no_scenario_message())


async def choose(
    settings: Settings,
    provider: str | None = None,
    model: str | None = None,
    *,
    task: Task | None = None,
    lent_key: str = "",
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Chosen:
    """Builds the router for a run. None leaves provider and model to the settings; a hard `task` may start at another
    model. `lent_key` is a person's own API key for the provider. Raises NoProvider."""
    llm = llm_settings(settings, options)
    provider, model = provider or "", model or ""
    if lent_key:
        llm = for_user(llm, provider=provider, model=model, key=lent_key)
    elif provider:
        kept = llm.model if provider == llm.provider else ""
        llm = only(llm, MOCK, model) if provider == MOCK else replace(llm, provider=provider, model=model or kept)
    elif model:
        llm = replace(llm, model=model)
    router = await asyncio.to_thread(build_router, llm)
    if task:
        router.chains = router.chains.fitted(WRITER, hard=is_hard(task.text, task.code))
    target = router.chains.chain(WRITER)[0]
    scripted = any(each.provider == MOCK for each in (*router.chains.default, target))
    return Chosen(router, target.provider, target.model, scripted)


async def warm(settings: Settings) -> None:
    """Loads what the first calls of the configured models need, so that no person waits for it. Errors are left for the
    run that asks these models, which reports them."""
    try:
        await (await choose(settings)).router.ready()
    except (NoProvider, SettingsError, ModuleNotFoundError):
        return


def forecast(router: Router, task: Task, budget_usd: float | None = None) -> str:
    """Tells in one line what a run without trouble will cost, and whether a budget in dollars can be enforced; "" when
    the run costs nothing."""
    prompts = [load_prompt(role) for role in _asked(task)]
    read = task.text + (task.code or "")
    expected = [Expected(p.role, estimate_tokens(p.system + read), p.max_tokens // 2) for p in prompts]
    usd = estimate(expected, router.chains)
    if usd == 0:
        return ""
    cost = "at an unknown price" if usd is None else f"about ${usd:.4f}"
    unknown = ", ".join(map(str, unpriced(router.chains))) if budget_usd else ""
    warning = f"; the price of {unknown} is unknown, so that no budget in dollars holds for it" if unknown else ""
    return f"{calls_expected(task)}, {cost}{warning}"


def calls_expected(task: Task) -> str:
    """Tells in a few words how often a run without trouble asks a model."""
    return f"without trouble this run takes {plural(len(_asked(task)), 'model call')}"


def _asked(task: Task) -> tuple[str, ...]:
    """Lists the roles that a run without trouble asks, each as often as it is asked. The person's tests count like
    examples in the task; for a script, a second program recomputes the output; an explanation is one reply."""
    brief = read_brief(task.text, task.code, task.files)
    kind = () if brief.sure else ("planner",)
    if brief.kind == "explain":
        return (*kind, "explainer")
    if brief.kind in BY_OUTPUT:
        return (*kind, WRITER, WRITER)
    return (*kind, *UNTROUBLED, *(() if task.tests or brief.examples else WITHOUT_EXAMPLE))


def llm_settings(settings: Settings, options: Mapping[str, Mapping[str, Any]] | None = None) -> LLMSettings:
    """Returns the model settings as the router reads them. `options` is keyed by provider. Raises SettingsError."""
    local = {"zero_gpu": settings.zero_gpu}
    names = [role.name for role in ROLES]
    return read_settings(settings.variables, roles=names, options={"huggingface": local, **(options or {})})
