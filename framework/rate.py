"""How often each caller may act: a token bucket per key."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}
_MAX_KEYS = 10_000


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` actions per `seconds`; all of them may come at once."""

    count: int
    seconds: float

    @classmethod
    def parse(cls, text: str) -> Rate:
        """Reads "10/minute" (second, minute, hour, day). Raises ValueError."""
        match = re.fullmatch(r"\s*([1-9]\d{0,6})\s*/\s*(second|minute|hour|day)\s*", text)
        if not match:
            raise ValueError(f"{text!r} is no rate like 10/minute (second, minute, hour, day)")
        return cls(int(match[1]), _UNITS[match[2]])


class RateLimiter:
    """Counts actions by key, in memory and so for one process. Without a rate everything is allowed."""

    def __init__(self, rate: Rate | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> float:
        """Spends one action of `key`; 0 if it is allowed, else the seconds until the next one would be."""
        if self._rate is None:
            return 0.0
        now = self._clock()
        tokens, seen = self._buckets.get(key, (float(self._rate.count), now))
        per_second = self._rate.count / self._rate.seconds
        tokens = min(self._rate.count, tokens + (now - seen) * per_second)
        wait = 0.0 if tokens >= 1 else (1 - tokens) / per_second
        self._buckets[key] = (tokens if wait else tokens - 1, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > _MAX_KEYS:
            # The least recent caller is the likeliest to have a full bucket again.
            self._buckets.popitem(last=False)
        return wait
