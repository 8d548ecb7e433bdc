"""Stops a reply that runs away: one that repeats itself for ever, or that ignores its token limit."""

from __future__ import annotations

from .errors import InvalidReply, LengthStop

EVERY = 512
"""The characters of a reply between two searches for a loop."""
REPEATS = 8
"""How often a passage must repeat to count as a loop."""
MAX_PERIOD_CHARS = 400
"""The most characters that a repeated passage may have."""
MIN_RUN_CHARS = 1000
"""The characters that the repeated part must cover before it counts as a loop, so that a short table of equal rows does
not."""
PROBE = 24
"""How many of a reply's last characters are looked for at earlier places."""
TRIED = 12
"""How many earlier places of those characters are tried as the beginning of a period."""
CHARACTERS_PER_TOKEN = 12
"""The characters of a reply that are allowed for each token of its limit. Only a service that ignores `max_tokens`
writes more."""


class RunawayGuard:
    """Watches the pieces of a streamed reply and raises once the reply is not worth waiting for."""

    def __init__(self, max_tokens: int) -> None:
        self._limit = max_tokens * CHARACTERS_PER_TOKEN + 2000
        self._length = 0
        self._next_look = EVERY
        self._tail = ""

    def feed(self, text: str) -> None:
        """Takes the next piece. Raises LengthStop past the limit and InvalidReply for a loop."""
        self._length += len(text)
        self._tail = (self._tail + text)[-MAX_PERIOD_CHARS * REPEATS :]
        if self._length > self._limit:
            raise LengthStop("The reply went on far past its token limit and was stopped.")
        if self._length >= self._next_look:
            self._next_look = self._length + EVERY
            if loops(self._tail):
                raise InvalidReply("The reply repeated the same words over and over and was stopped. Answer briefly.")


def loops(tail: str) -> bool:
    """Returns whether a text ends in the same passage again and again."""
    end, at = tail[-PROBE:], len(tail) - PROBE
    for _ in range(TRIED):
        at = tail.rfind(end, max(0, len(tail) - PROBE - MAX_PERIOD_CHARS), at + PROBE - 1)
        if at < 0:
            return False
        period = len(tail) - PROBE - at
        length = max(period * REPEATS, MIN_RUN_CHARS)
        if length <= len(tail) and tail[-length:-period] == tail[-length + period :]:
            return True
    return False
