"""Leaves a service alone for a while after it failed again and again."""

from __future__ import annotations

from collections.abc import Callable

from .errors import AuthFailed, LLMError, PaymentRequired, Unreachable

FAILURES = 3
PAUSE_S = 30.0


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
            raise Unreachable(f"{self._name} is left alone for a while after {self._failures} failures in a row.")
        self._probing = True

    def succeeded(self) -> None:
        self._failures, self._opened, self._probing = 0, None, False

    def failed(self, error: LLMError) -> None:
        if isinstance(error, (AuthFailed, PaymentRequired)):
            self._disabled = error
        self._failures += 1
        if self._probing or self._failures >= FAILURES:
            self._opened = self._clock()
        self._probing = False

    def gave_up(self) -> None:
        """The caller went away before there was an outcome."""
        self._probing = False
