"""Opens providers. Each wire of the table of services is one file, which is imported only when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from ..errors import NoProvider
from ..services import SERVICES
from ..types import Provider, ProviderSettings


def open_provider(name: str, settings: ProviderSettings | None = None) -> Provider:
    """Returns the named provider. Raises NoProvider for an unknown name and for a package that is not installed."""
    settings = settings or ProviderSettings()
    service = settings.service or SERVICES.get(name)
    if service is None:
        raise NoProvider(f"There is no provider {name!r}; there are: {', '.join(sorted(SERVICES))}.")
    module, _, factory = service.wire.partition(":")
    try:
        found = importlib.import_module(module if "." in module else f".{module}", __name__)
    except ModuleNotFoundError as error:
        raise NoProvider(f"The provider {name!r} needs a package: pip install {error.name}") from None
    make = cast(Callable[[str, ProviderSettings], Provider], getattr(found, factory))
    return make(name, replace(settings, service=service))
