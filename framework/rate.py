"""Limits how often each caller may act, with a token bucket for each key.

The buckets lie in this process, or in Redis for all processes that share it.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .secret import Secret
from .workers.broker import redis_client

_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}
_MAX_KEYS = 10_000
"""The most callers that one process remembers."""
_ANSWER_S = 2.0
"""The seconds that a start waits for Redis before this process counts it alone."""
_TAKE = """
local now = redis.call('TIME')
now = now[1] + now[2] / 1000000
local count, seconds = tonumber(ARGV[1]), tonumber(ARGV[2])
local each = seconds / count
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local wait = full + each - seconds - now
if wait > 0 then return tostring(wait) end
redis.call('SET', KEYS[1], string.format('%.6f', full + each), 'PX', math.ceil(1000 * (full + each - now)))
return '0'
"""
"""The same bucket as a single number: the time, by the clock of Redis, when the bucket will be full again."""
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` actions in `seconds` seconds; all of them may come at once."""

    count: int
    seconds: float

    @classmethod
    def parse(cls, text: str) -> Rate:
        """Reads a rate such as "10/minute" (second, minute, hour or day). Raises ValueError."""
        match = re.fullmatch(r"\s*([1-9]\d{0,6})\s*/\s*(second|minute|hour|day)\s*", text)
        if not match:
            raise ValueError(f"{text!r} is no rate like 10/minute (second, minute, hour, day)")
        return cls(int(match[1]), _UNITS[match[2]])


class RateLimiter:
    """Counts actions by key in memory, and so for this process only. Without a rate everything is allowed."""

    def __init__(self, rate: Rate | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> float:
        """Spends one action of `key`. Returns 0 if the action is allowed, else the seconds until the next one will
        be."""
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
            # The caller that acted longest ago is the likeliest to have a full bucket again.
            self._buckets.popitem(last=False)
        return wait


class SharedRateLimiter:
    """Counts actions by key in Redis, so that a caller has one rate at all processes of an app. Without Redis, or while
    it does not answer, this process counts alone. It is bound to the loop of its first use."""

    def __init__(self, name: str, rate: Rate | None, url: Secret | None) -> None:
        """Takes in `name` what is counted. Raises SettingsError if the packages for Redis are missing."""
        self._name, self._rate = name, rate
        self._here = RateLimiter(rate)
        self._client: Any = None
        self._failures: tuple[type[Exception], ...] = ()
        if url is not None and rate is not None:
            self._client, self._failures = redis_client(url)

    async def take(self, key: str) -> float:
        """Does what `RateLimiter.take` does."""
        if self._client is None or self._rate is None:
            return self._here.take(key)
        place = f"rate:{self._name}:{key}"
        try:
            async with asyncio.timeout(_ANSWER_S):
                return float(await self._client.eval(_TAKE, 1, place, self._rate.count, self._rate.seconds))
        except (*self._failures, TimeoutError) as error:
            _logger.warning("starts are counted by this process alone, Redis does not answer: %s", error)
            return self._here.take(key)

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()
