"""Keeps the providers of this process.

What is expensive or was learnt lives here and outlasts runs: loaded weights, kept prompt prefixes, what a service
refused, the limits on calls at a time, and pauses after failures.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .breaker import Breaker
from .providers import open_provider
from .services import Service
from .slots import Slots
from .types import Provider, ProviderSettings
from .wire import is_loopback

CONCURRENT = 4
"""The calls at the same time of a provider that does not come from the pool."""
MAX_PROVIDERS = 64
"""The providers that are kept at a time. Each key that a visitor brings makes one more."""
Key = tuple[str, str, str, str]


@dataclass(slots=True)
class SharedProvider:
    """A provider with the slots and breakers that all runs of this process share."""

    provider: Provider
    slots: Slots = field(default_factory=lambda: Slots(CONCURRENT))
    _breakers: dict[str, Breaker] = field(default_factory=dict[str, Breaker])

    def breaker(self, model: str) -> Breaker:
        return self._breakers.setdefault(model, Breaker())


class ProviderPool:
    """Keeps providers for the process. It may be used from several threads and event loops."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[Key, SharedProvider] = {}
        self._slots: dict[tuple[str, ...], Slots] = {}

    def get(self, service: Service, settings: ProviderSettings) -> SharedProvider:
        """Returns the provider for these settings and opens it on first use. Raises NoProvider."""
        key = _key(service, settings)
        with self._lock:
            shared = self._kept.pop(key, None)
            if shared is None:
                # One's own server has one set of slots for all processes of this machine, whoever asks and however it
                # is named.
                own = _server(key[1]) if service.at == "server" else ""
                whose = (service.name, own) if own else key[:3]
                slots = self._slots.setdefault(whose, Slots(service.concurrent, own))
                shared = SharedProvider(open_provider(service.name, settings), slots)
            self._kept[key] = shared
            for oldest in list(self._kept)[:-MAX_PROVIDERS]:
                del self._kept[oldest]
            return shared


def _server(address: str) -> str:
    """Returns host and port, with one name for this machine."""
    parts = urlsplit(address)
    host = "localhost" if is_loopback(address) else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def alone(providers: Mapping[str, Provider]) -> dict[str, SharedProvider]:
    """Returns the given providers, each shared with nobody."""
    return {name: SharedProvider(provider) for name, provider in providers.items()}


def _key(service: Service, settings: ProviderSettings) -> Key:
    """Returns what two users must have in common to share a provider: service, address, the key's hash, and options."""
    secret = hashlib.sha256(settings.key.encode()).hexdigest()
    options = repr(sorted((name, repr(value)) for name, value in settings.options.items()))
    return service.name, (settings.base_url or service.base_url).rstrip("/"), secret, f"{settings.model} {options}"


POOL = ProviderPool()
