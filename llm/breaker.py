"""Leaves a model alone for a while after questions to it failed again and again, and remembers why."""

from __future__ import annotations

from .errors import AlienReply, AuthFailed, NoAnswer, NotThere, PaymentRequired, ProviderError, Resting

FAILURES = 3
"""Questions in a row, each with all its tries: what hits several at the same moment is one blip."""
PAUSE_S = 30.0
REFUSED_S = 300.0
"""After a refused key or an empty account: nothing heals by itself there, but a person may have mended it."""


class Breaker:
    """For one model of one service. Times are of one clock, whichever the callers use."""

    def __init__(self) -> None:
        self._failures = 0
        self._until = 0.0
        self._cause: ProviderError | None = None

    def pause(self, now: float) -> float:
        """Seconds that the model is still left alone."""
        return max(0.0, self._until - now)

    def short(self) -> bool:
        """The pause is worth waiting for."""
        return not isinstance(self._cause, AuthFailed | PaymentRequired)

    def reason(self, now: float) -> ProviderError:
        """Why it is left alone: the refusal as it came, or the last failure."""
        cause = self._cause
        if cause is None or not self.short():
            return cause or Resting("nothing is known against it")
        return Resting(f"{cause} It is left alone for {self.pause(now):.0f} s after {self._failures} failed questions")

    def succeeded(self) -> None:
        self._failures, self._until, self._cause = 0, 0.0, None

    def failed(self, error: ProviderError, now: float) -> None:
        """One question failed for good; what a service rightly refuses says nothing about its health."""
        if isinstance(error, AuthFailed | PaymentRequired):
            self._cause, self._until = error, now + REFUSED_S
        elif error.transient or isinstance(error, AlienReply | NoAnswer | NotThere):
            self._cause, self._failures = error, self._failures + 1
            if self._failures >= FAILURES:
                self._until = now + PAUSE_S
