"""Keeps the providers of this process, with what all of its runs share of them.

What is expensive or was learnt lives here and outlasts runs: loaded weights, kept prompt prefixes, what a service
refused, the limits on calls at a time, and pauses after failures.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import tempfile
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

from .errors import AlienReply, AuthFailed, NoAnswer, NotThere, PaymentRequired, ProviderError, Resting
from .http.wire import is_loopback
from .providers import open_provider
from .services import Service
from .types import Provider, ProviderSettings

FAILURES = 3
"""The questions in a row that must fail, each with all its tries, before the model is left alone."""
PAUSE_S = 30.0
"""The seconds that a model is left alone after those failures."""
REFUSED_S = 300.0
"""The seconds that a model is left alone after a refused key or an empty account, which only a person can mend."""


class Breaker:
    """The circuit breaker of one model of one service. Callers pass all times, in seconds of one clock."""

    def __init__(self) -> None:
        self._failures = 0
        self._until = 0.0
        self._cause: ProviderError | None = None

    def pause(self, now: float) -> float:
        """Returns the seconds that the model is still left alone; 0 if it may be asked."""
        return max(0.0, self._until - now)

    def short(self) -> bool:
        """Returns whether waiting for the end of the pause is worth it, as it is after anything but a refused key or
        account."""
        return not isinstance(self._cause, AuthFailed | PaymentRequired)

    def reason(self, now: float) -> ProviderError:
        """Returns the error to raise while the model is left alone: the refusal as it came, or the last failure."""
        cause = self._cause
        if cause is None or not self.short():
            return cause or Resting("nothing is known against it")
        return Resting(f"{cause} It is left alone for {self.pause(now):.0f} s after {self._failures} failed questions")

    def succeeded(self) -> None:
        self._failures, self._until, self._cause = 0, 0.0, None

    def failed(self, error: ProviderError, now: float) -> None:
        """Counts a question that failed for good. A refused key or account opens the breaker at once. A request that
        the service rightly refuses does not count, because it says nothing about the service's health."""
        if isinstance(error, AuthFailed | PaymentRequired):
            self._cause, self._until = error, now + REFUSED_S
        elif error.transient or isinstance(error, AlienReply | NoAnswer | NotThere):
            self._cause, self._failures = error, self._failures + 1
            if self._failures >= FAILURES:
                self._until = now + PAUSE_S


POLL_S = 0.05
"""The seconds between two looks for a free place."""


class _Slot:
    """One place. Every process of this user shares a place with a `file`. The system frees the file's lock with its
    holder, so a killed process keeps no place. If lock files cannot be written, processes do not know of each other."""

    def __init__(self, file: Path | None) -> None:
        self._own = threading.Lock()
        self._file = FileLock(file, thread_local=False) if file else None

    def acquire(self) -> bool:
        """Takes the place if it is free. Returns whether it was."""
        if not self._own.acquire(blocking=False):
            return False
        try:
            if self._file is not None:
                Path(self._file.lock_file).parent.mkdir(mode=0o700, exist_ok=True)
                self._file.acquire(blocking=False)
        except Timeout:
            self._own.release()
            return False
        except OSError as error:
            logging.getLogger(__name__).warning("slots are not shared with other processes: %s", error)
        return True

    def release(self) -> None:
        if self._file is not None:
            self._file.release()
        self._own.release()


class Slots:
    """A semaphore for many event loops; asyncio's own belongs to one. `server` names what is asked, e.g. its address,
    if all processes of this user share the places; "": this process has the places for itself."""

    def __init__(self, size: int, server: str = "") -> None:
        owner = os.getuid() if hasattr(os, "getuid") else "one"
        folder = Path(tempfile.gettempdir(), f"model-slots-{owner}")
        name = hashlib.sha256(server.encode()).hexdigest()[:16]
        self._slots = [_Slot(folder / f"{name}-{n}" if server else None) for n in range(size)]
        self._held: list[_Slot] = []
        self._lock = threading.Lock()
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, object]] = deque()

    @property
    def busy(self) -> bool:
        """Whether the next caller has to wait for somebody in this process or another."""
        if self._waiting or not self._take():
            return True
        self._give()
        return False

    async def __aenter__(self) -> None:
        mine = asyncio.get_running_loop(), object()
        self._waiting.append(mine)
        try:
            while True:
                if self._next() is mine and self._take():
                    return
                await asyncio.sleep(POLL_S)  # another process or event loop cannot wake this one
        finally:
            with suppress(ValueError):
                self._waiting.remove(mine)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give()

    def _next(self) -> object:
        """Returns who has waited longest. An event loop that is closed does not count."""
        with self._lock:
            while self._waiting[0][0].is_closed():
                self._waiting.popleft()
            return self._waiting[0]

    def _take(self) -> bool:
        slot = next((slot for slot in self._slots if slot.acquire()), None)
        if slot is not None:
            self._held.append(slot)
        return slot is not None

    def _give(self) -> None:
        """Gives back any of the places held, because they are all alike."""
        self._held.pop().release()


CONCURRENT = 4
"""The calls at the same time of a provider that does not come from the pool."""
MAX_PROVIDERS = 64
"""The providers that are kept at a time. Each key that a visitor brings makes one more."""


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
        self._kept: dict[tuple[str, str, str, str], SharedProvider] = {}
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
    return {name: SharedProvider(provider) for name, provider in providers.items()}


def _key(service: Service, settings: ProviderSettings) -> tuple[str, str, str, str]:
    """Returns what two users must have in common to share a provider: service, address, the key's hash, and options."""
    secret = hashlib.sha256(settings.key.encode()).hexdigest()
    options = repr(sorted((name, repr(value)) for name, value in settings.options.items()))
    return service.name, (settings.base_url or service.base_url).rstrip("/"), secret, f"{settings.model} {options}"


POOL = ProviderPool()
