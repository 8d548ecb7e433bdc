"""What the app tells its screen at the start; all of it comes from the settings."""

from __future__ import annotations

from dataclasses import dataclass

from framework.rate import Rate
from framework.secret import Secret
from framework.settings import Settings
from llm.choose import LLMSettings
from llm.environment import read_settings
from llm.services import SERVICES, Service

AS_CONFIGURED = ""
DEMO = "mock"
_DEMO_CHOICE = (SERVICES[DEMO].label, DEMO)


@dataclass(frozen=True, slots=True, kw_only=True)
class UiOptions:
    storage_secret: str
    """Encrypts what the page keeps in the browser; must outlive a restart."""
    providers: tuple[tuple[str, str], ...] = (_DEMO_CHOICE,)
    """(label, name) pairs to choose from."""
    services: tuple[tuple[str, str, str, str], ...] = ()
    """(label, where it runs, default model, what is missing or "ready"), for the settings page."""
    provider: str = DEMO
    """The choice that stands at the start."""
    api_keys: tuple[Secret, ...] = ()
    """REST and MCP demand one of them where there are any, and the page too unless that is public."""
    rate: Rate | None = None
    """New runs per caller; None: no limit."""
    redis_url: Secret | None = None
    """Where all processes of this app count together."""
    public_page: bool = False
    """The page is open to everybody although the API demands a key."""
    local: bool = True
    """A visitor may use servers of the machine that this runs on."""
    web_search: bool = True
    """The web may be searched, if only at the cost of a visitor's own key."""
    memory: bool = False
    """Runs remember unless somebody says otherwise."""
    sign_in: bool = False
    """Visitors may sign in; their history is then theirs in every browser."""
    on_space: bool = False
    """It can be duplicated with a button."""
    source: str = ""
    """Where everybody can read the code; "" where no such place is known."""


def options_from(settings: Settings, storage_secret: Secret) -> UiOptions:
    models, space = read_settings(settings.variables), settings.variables.text("SPACE_ID")
    demo = models.provider == DEMO
    named = {*models.keys, *models.base_urls, *models.models} & set(SERVICES)
    configured = not demo and (models.provider != "auto" or bool(named))
    own = [(f"As configured ({models.provider})", AS_CONFIGURED)] if configured else []
    real = [service for service in models.services.values() if not service.pretend]
    # A public page offers no servers that a visitor has not got.
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
    """An endpoint of the environment is offered once it is known which model of it to ask."""
    return service.name in SERVICES or service.name in models.models or service.name == models.provider
