"""Leaves a service alone for a while after it failed again and again."""

from __future__ import annotations

from collections.abc import Callable

from .errors import (
    AlienReply,
    AuthFailed,
    LLMError,
    Overloaded,
    PaymentRequired,
    RateLimited,
    TruncatedStream,
    Unreachable,
)

FAILURES = 3
PAUSE_S = 30.0
COUNTED = (AlienReply, Overloaded, RateLimited, TruncatedStream, Unreachable)
"""Faults of the service; a request that it rightly refuses says nothing about its health."""


class NotAgain(Unreachable):
    """There is no use in asking the same target again now."""


class Breaker:
    """For one provider and model: opens after failures in a row, then lets one probe through."""

    def __init__(self, name: str, clock: Callable[[], float]) -> None:
        self._name = name
        self._clock = clock
        self._failures = 0
        self._opened: float | None = None
        self._probing = False
        self._disabled: LLMError | None = None

    def enter(self) -> None:
        """Raises the reason not to call: a key that was refused before, or a pause."""
        if self._disabled is not None:
            raise type(self._disabled)(str(self._disabled))
        if self._opened is None:
            return
        if self._probing or self._clock() - self._opened < PAUSE_S:
            raise NotAgain(f"{self._name} is left alone for a while after {self._failures} failures in a row.")
        self._probing = True

    def succeeded(self) -> None:
        self._failures, self._opened, self._probing = 0, None, False

    def failed(self, error: LLMError) -> None:
        if isinstance(error, (AuthFailed, PaymentRequired)):
            self._disabled = error
        if not isinstance(error, COUNTED):
            self._probing = False
            return
        self._failures += 1
        if self._probing or self._failures >= FAILURES:
            self._opened = self._clock()
        self._probing = False

    def gave_up(self) -> None:
        """The caller went away before there was an outcome."""
        self._probing = False
