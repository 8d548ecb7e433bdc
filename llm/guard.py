"""Stops a reply that runs away: one that repeats itself for ever, or that ignores its token limit."""

from __future__ import annotations

from .errors import InvalidReply, LengthStop

EVERY = 512
"""Characters between two looks."""
REPEATS = 8
LONGEST_PERIOD = 400
SHORTEST_RUN = 1000
"""Characters that the repeated part must cover before it counts as a loop: a table of equal rows is no loop."""
PROBE = 24
TRIED = 12
"""A loop's last characters stand one period earlier too; so many places are tried."""
CHARACTERS_PER_TOKEN = 12
"""Generous: only a service that ignores `max_tokens` gets there."""


class RunawayGuard:
    """Fed with the pieces of one streamed reply; raises once the reply is not worth waiting for."""

    def __init__(self, max_tokens: int) -> None:
        self._limit = max_tokens * CHARACTERS_PER_TOKEN + 2000
        self._length = 0
        self._next_look = EVERY
        self._tail = ""

    def feed(self, text: str) -> None:
        """Raises LengthStop past the limit and InvalidReply for a loop."""
        self._length += len(text)
        self._tail = (self._tail + text)[-LONGEST_PERIOD * REPEATS :]
        if self._length > self._limit:
            raise LengthStop("The reply went on far past its token limit and was stopped.")
        if self._length >= self._next_look:
            self._next_look = self._length + EVERY
            if loops(self._tail):
                raise InvalidReply("The reply repeated the same words over and over and was stopped. Answer briefly.")


def loops(tail: str) -> bool:
    """Whether a text ends in the same passage again and again."""
    end, at = tail[-PROBE:], len(tail) - PROBE
    for _ in range(TRIED):
        at = tail.rfind(end, max(0, len(tail) - PROBE - LONGEST_PERIOD), at + PROBE - 1)
        if at < 0:
            return False
        period = len(tail) - PROBE - at
        length = max(period * REPEATS, SHORTEST_RUN)
        if length <= len(tail) and tail[-length:-period] == tail[-length + period :]:
            return True
    return False
