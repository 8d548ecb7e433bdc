"""Stops asking a model for a while after questions to it have failed again and again, and remembers why."""

from __future__ import annotations

from .errors import AlienReply, AuthFailed, NoAnswer, NotThere, PaymentRequired, ProviderError, Resting

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
