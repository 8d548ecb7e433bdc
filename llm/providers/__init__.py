"""Opens providers: each wire of the table of services is one file, imported only when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from ..errors import NoProvider
from ..services import SERVICES
from ..types import Provider, ProviderSettings

EXTRAS = {
    "torch": "torch transformers accelerate llguidance",
    "transformers": "torch transformers accelerate llguidance",
}
"""Missing package -> what to install instead of its name alone."""


def open_provider(name: str, settings: ProviderSettings | None = None) -> Provider:
    """The named provider; raises NoProvider for an unknown name and for a package that is not installed."""
    settings = settings or ProviderSettings()
    service = settings.service or SERVICES.get(name)
    if service is None:
        raise NoProvider(f"There is no provider {name!r}; there are: {', '.join(sorted(SERVICES))}.")
    module, _, factory = service.wire.partition(":")
    try:
        found = importlib.import_module(module if "." in module else f".{module}", __name__)
    except ModuleNotFoundError as error:
        raise missing_package(name, error) from None
    make = cast(Callable[[str, ProviderSettings], Provider], getattr(found, factory))
    return make(name, replace(settings, service=service))


def missing_package(provider: str, error: ModuleNotFoundError) -> NoProvider:
    """What to install, in one line."""
    package = (error.name or "?").partition(".")[0]
    return NoProvider(f"The provider {provider!r} needs a package: pip install {EXTRAS.get(package, package)}")
