"""Who may call the API, how often, and which status code a refusal has."""

from __future__ import annotations

import math
from collections.abc import Mapping

from agent.request import BadInput
from framework.errors import (
    FrameworkError,
    NotResumable,
    RunBusy,
    StaleAnswer,
    StoreError,
    TooManyRuns,
    UnknownRun,
)
from framework.rate import RateLimiter
from framework.secret import Secret
from llm.errors import LLMError, NoScenario

from .options import UiOptions
from .words import sentence

REFUSALS = (FrameworkError, LLMError, BadInput)
"""What engine and desk say no with; the message is one line for the person."""
_CODES: tuple[tuple[type[Exception], int], ...] = (
    (UnknownRun, 404),
    (StaleAnswer, 409),
    (NotResumable, 409),
    (RunBusy, 409),
    (TooManyRuns, 429),
    (StoreError, 503),
    (NoScenario, 422),
    (LLMError, 503),
    (BadInput, 400),
)


class Denied(BadInput):
    """No or a wrong API key."""


class TooOften(BadInput):
    """Beyond the rate; `wait` seconds until the next run."""

    def __init__(self, wait: float) -> None:
        self.wait = math.ceil(wait)
        super().__init__(f"too many runs from here; please try again in {self.wait} s")


class Gate:
    """One per process: page, REST and MCP share the count of starts."""

    def __init__(self, options: UiOptions) -> None:
        self._key = options.api_key
        self._limiter = RateLimiter(options.rate)
        self._behind_proxy = options.behind_proxy

    def admit(self, headers: Mapping[str, str]) -> None:
        """Raises Denied where a key is demanded and not shown as X-API-Key or bearer token."""
        if self._key is None:
            return
        shown = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ").strip()
        if not shown or Secret(shown) != self._key:
            raise Denied("an API key is needed: send it as X-API-Key")

    def count(self, headers: Mapping[str, str], address: str) -> None:
        """Counts the start of a run by its caller. Raises TooOften."""
        # The last entry is the proxy's own word; earlier ones are the caller's, who may write anything.
        forwarded = headers.get("x-forwarded-for", "").rsplit(",", 1)[-1].strip() if self._behind_proxy else ""
        if wait := self._limiter.take(forwarded or address):
            raise TooOften(wait)


def status_of(error: Exception) -> int:
    if isinstance(error, Denied):
        return 401
    if isinstance(error, TooOften):
        return 429
    return next((code for kind, code in _CODES if isinstance(error, kind)), 500)


def one_line(error: Exception) -> str:
    """The refusal as a sentence."""
    return sentence(" ".join(str(error).split()))
