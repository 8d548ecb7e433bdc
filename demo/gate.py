"""Who may call the API, how often, and which status code a refusal has."""

from __future__ import annotations

import contextlib
import hmac
import math
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

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
from framework.rate import Rate, RateLimiter
from framework.secret import Secret
from llm.errors import LLMError, NoScenario

from .options import UiOptions
from .words import sentence

COOKIE = "page_pass"
VISITOR_RATE = Rate(20, 3600)
"""Runs of one visitor without the key, where the page is open although the API is not."""
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
        self._open = options.public_page
        self._pass = _pass_for(options.api_key, options.storage_secret)
        self._limiter = RateLimiter(options.rate)
        self._visitors = RateLimiter(VISITOR_RATE)
        self._behind_proxy = options.behind_proxy

    @property
    def locked(self) -> bool:
        """The page asks for the key before it shows or does anything."""
        return self._key is not None and not self._open

    @property
    def keyed(self) -> bool:
        """There is a key that its keeper may show."""
        return self._key is not None

    def is_keeper(self, headers: Mapping[str, str]) -> bool:
        """Whoever shows the key, or the pass for it."""
        if self._key is None:
            return False
        try:
            return self._has_pass(headers) or self.admit(headers) is None
        except Denied:
            return False

    def enter(self, headers: Mapping[str, str]) -> None:
        """Lets a browser in by the pass it was given for the key, or by the key itself. Raises Denied."""
        if self.locked and not self._has_pass(headers):
            self.admit(headers)

    def exchange(self, shown: str) -> str:
        """The pass for a cookie, in return for the key. Raises Denied."""
        if self._key is None or not shown or Secret(shown) != self._key:
            raise Denied("this is not the key of this app")
        return self._pass

    def _has_pass(self, headers: Mapping[str, str]) -> bool:
        cookies: SimpleCookie = SimpleCookie()
        with contextlib.suppress(CookieError):
            cookies.load(headers.get("cookie", ""))
        shown = cookies.get(COOKIE)
        return shown is not None and hmac.compare_digest(shown.value.encode(), self._pass.encode())

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
        caller = forwarded or address
        if wait := self._limiter.take(caller) or (self._visitors.take(caller) if self._stranger(headers) else 0):
            raise TooOften(wait)

    def _stranger(self, headers: Mapping[str, str]) -> bool:
        """A visitor without the key, on a page that was opened on purpose beside an API that demands it."""
        return self._key is not None and self._open and not self.is_keeper(headers)


def _pass_for(key: Secret | None, secret: str) -> str:
    """Tells nothing about the key, and no longer holds once either of them changes."""
    return hmac.new(secret.encode(), f"page:{key.reveal()}".encode(), "sha256").hexdigest() if key else ""


def status_of(error: Exception) -> int:
    if isinstance(error, Denied):
        return 401
    if isinstance(error, TooOften):
        return 429
    return next((code for kind, code in _CODES if isinstance(error, kind)), 500)


def one_line(error: Exception) -> str:
    """The refusal as a sentence."""
    return sentence(" ".join(str(error).split()))
