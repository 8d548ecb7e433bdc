"""Collects from the settings what the app tells its page at the start."""

from __future__ import annotations

from dataclasses import dataclass

from framework.rate import Rate
from framework.secret import Secret
from framework.settings import Settings
from llm.choose import LLMSettings
from llm.environment import read_settings
from llm.services import SERVICES, Service

AS_CONFIGURED = ""
"""The value of the choice that leaves the model to the settings."""
DEMO = "mock"
_DEMO_CHOICE = (SERVICES[DEMO].label, DEMO)


@dataclass(frozen=True, slots=True, kw_only=True)
class UiOptions:
    """What the page needs to know of the settings."""

    storage_secret: str
    """The secret that encrypts what the page keeps in the browser. It must outlive a restart."""
    providers: tuple[tuple[str, str], ...] = (_DEMO_CHOICE,)
    """The choices, as (label, name)."""
    services: tuple[tuple[str, str, str, str], ...] = ()
    """Rows for the settings page: (label, where the service runs, default model, what is missing or "ready")."""
    provider: str = DEMO
    """The choice at the start."""
    api_keys: tuple[Secret, ...] = ()
    """REST and MCP demand one of these keys, and so does the page unless it is public; (): no key is demanded."""
    rate: Rate | None = None
    """How often one caller may do what costs something, such as starting a run; None: no limit."""
    redis_url: Secret | None = None
    """The Redis in which all processes of this app count together."""
    public_page: bool = False
    """Whether the page is open to everybody although the API demands a key."""
    local: bool = True
    """Whether a visitor may use servers of the machine on which this runs."""
    web_search: bool = True
    """Whether the web may be searched, if only at the cost of a visitor's own key."""
    memory: bool = False
    """Whether runs remember lessons unless a person says otherwise."""
    sign_in: bool = False
    """Whether visitors may sign in. Their history is then theirs in every browser."""
    on_space: bool = False
    """Whether this runs on a Hugging Face Space, which visitors can duplicate."""
    source: str = ""
    """The address of the source code; "" if none is known."""


def options_from(settings: Settings, storage_secret: Secret) -> UiOptions:
    models, space = read_settings(settings.variables), settings.variables.text("SPACE_ID")
    demo = models.provider == DEMO
    named = {*models.keys, *models.base_urls, *models.models} & set(SERVICES)
    configured = not demo and (models.provider != "auto" or bool(named))
    own = [(f"As configured ({models.provider})", AS_CONFIGURED)] if configured else []
    real = [service for service in models.services.values() if not service.pretend]
    # A public page does not offer servers that a visitor does not have.
    shown = [service for service in real if service.at == "service" or not settings.on_space]
    choices = [(_label(service, models), service.name) for service in shown if _offered(service, models)]
    return UiOptions(
        storage_secret=storage_secret.reveal(),
        providers=(*own, _DEMO_CHOICE, *choices),
        services=tuple((one.label, one.at, one.model, _state(one, models)) for one in shown),
        provider=AS_CONFIGURED if configured else DEMO,
        api_keys=settings.server.api_keys,
        rate=settings.server.rate,
        redis_url=settings.redis_url,
        public_page=settings.server.public_page,
        local=not settings.on_space,
        web_search=settings.may_search(own_key=True),
        memory=settings.memory,
        sign_in=settings.server.sign_in,
        on_space=settings.on_space,
        source=f"https://huggingface.co/spaces/{space}/tree/main" if space else "",
    )


def _label(service: Service, models: LLMSettings) -> str:
    usable = service.at != "service" or service.name in models.keys or service.name in models.base_urls
    return service.label if usable else f"{service.label}: needs your key"


def _state(service: Service, models: LLMSettings) -> str:
    if service.at == "service":
        return "ready" if service.name in models.keys else f"set {service.key_name}, or bring your own key"
    return service.start or "ready"


def _offered(service: Service, models: LLMSettings) -> bool:
    """Returns whether the page offers the service. An endpoint of the environment is offered once it is known which of
    its models to ask."""
    return service.name in SERVICES or service.name in models.models or service.name == models.provider
