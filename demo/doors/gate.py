"""Who may call the API, how often, and which status code a refusal has."""

from __future__ import annotations

import contextlib
import hmac
import math
import time
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, ClassVar

from agent.outcome.words import sentence
from agent.task.request import BadInput
from demo.options import UiOptions
from framework.errors import (
    StoreBroken,
    StoreError,
    TooManyRuns,
)
from framework.rate import Rate, SharedRateLimiter
from framework.secret import Secret
from llm.errors import ProviderError
from sandbox.types import SandboxBroken

COOKIE = "page_pass"
ACCOUNT, KEY = "account:", "key:"
"""Begin the owner of runs of somebody who signed in, or who shows a key. No browser may claim one: what it keeps comes
from outside."""
VISITOR_RATE = Rate(20, 3600)
"""Runs of one visitor without the key, where the page is open although the API is not."""
WAIT_S = 5
"""Seconds after which it is worth to ask again where every slot is taken, or something that is needed is away."""


class Denied(BadInput):
    """No or a wrong API key."""

    http_status: ClassVar[int] = 401


class NotYours(BadInput):
    """It may be looked at, and no more."""

    http_status: ClassVar[int] = 403


class TooOften(BadInput):
    """Beyond the rate; `wait` seconds until the next run."""

    http_status: ClassVar[int] = 429

    def __init__(self, wait: float) -> None:
        self.wait = math.ceil(wait)
        super().__init__(f"too many runs from here; please try again in {self.wait} s")


class Gate:
    """One per process: page, REST and MCP share the count of starts, and all processes do where there is Redis."""

    def __init__(self, options: UiOptions) -> None:
        self._keys = options.api_keys
        self._open = options.public_page
        self._secret = options.storage_secret
        self._passes = {self._sign("page", key.reveal()): self._owner(key.reveal()) for key in options.api_keys}
        self._limiter = SharedRateLimiter("start", options.rate, options.redis_url)
        self._visitors = SharedRateLimiter("visitor", VISITOR_RATE, options.redis_url)

    @property
    def locked(self) -> bool:
        """The page asks for the key before it shows or does anything."""
        return bool(self._keys) and not self._open

    @property
    def keyed(self) -> bool:
        """There is a key that its keeper may show."""
        return bool(self._keys)

    def is_keeper(self, headers: Mapping[str, str]) -> bool:
        """Whoever shows a key of this app, or the pass for it."""
        return self.keyed and bool(self.key_owner(headers))

    def key_owner(self, headers: Mapping[str, str]) -> str:
        """Whose runs a shown key, or the pass for one, opens; "" for nobody's. Where none is demanded, any will do as
        a name that only its keeper knows."""
        shown = _shown(headers)
        if shown and (not self._keys or Secret(shown) in self._keys):
            return self._owner(shown)
        given = _cookie(headers)
        return next((owner for pass_, owner in self._passes.items() if hmac.compare_digest(pass_, given)), "")

    def enter(self, headers: Mapping[str, str]) -> None:
        """Lets a browser in by the pass it was given for the key, or by the key itself. Raises Denied."""
        if self.locked and not self.is_keeper(headers):
            raise Denied("an API key is needed: send it as X-API-Key")

    def admit(self, headers: Mapping[str, str]) -> None:
        """Raises Denied where a key is demanded and not shown as X-API-Key or bearer token."""
        if self._keys and Secret(_shown(headers)) not in self._keys:
            raise Denied("an API key is needed: send it as X-API-Key")

    def exchange(self, shown: str) -> str:
        """The pass for a cookie, in return for the key. Raises Denied."""
        if Secret(shown) not in self._keys:
            raise Denied("this is not the key of this app")
        return self._sign("page", shown)

    async def count(self, headers: Mapping[str, str], address: str) -> None:
        """Counts the start of a run, by the key of this app that is shown or else by the address. Raises TooOften."""
        keeper = self.key_owner(headers) if self._keys else ""
        stranger = self._open and self.keyed and not keeper
        wait = await self._limiter.take(keeper or address)
        if wait := wait or (await self._visitors.take(address) if stranger else 0):
            raise TooOften(wait)

    async def aclose(self) -> None:
        await self._limiter.aclose()
        await self._visitors.aclose()

    def share(self, run_id: str, ended: int) -> str:
        """What stands for the run in a link: it shows the run to whoever has it, and lets nobody steer it. `ended`: how
        often its links were taken back; one from before shows nothing any more."""
        return f"{run_id}.{self._sign('share', f'{run_id}:{ended}' if ended else run_id)[:32]}"

    def is_share(self, word: str, ended: int) -> bool:
        return hmac.compare_digest(word.encode(), self.share(word.partition(".")[0], ended).encode())

    def _owner(self, key: str) -> str:
        return KEY + self._sign("owner", key)[:32]

    def _sign(self, purpose: str, text: str) -> str:
        """Tells nothing about the text, and no longer holds once it or the secret changes."""
        return hmac.new(self._secret.encode(), f"{purpose}:{text}".encode(), "sha256").hexdigest()


def _shown(headers: Mapping[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return headers.get("x-api-key") or (token.strip() if scheme.lower() == "bearer" else "")


def _cookie(headers: Mapping[str, str]) -> str:
    """The pass, if it is a text that can be one."""
    cookies: SimpleCookie = SimpleCookie()
    with contextlib.suppress(CookieError):
        cookies.load(headers.get("cookie", ""))
    shown = cookies.get(COOKIE)
    return shown.value if shown is not None and shown.value.isascii() else ""


def account_of(session: Mapping[str, Any]) -> str:
    """The owner that a signed-in session stands for; "" for none, or for one that is over."""
    signed_in: Mapping[str, Any] = session.get("oauth_info") or {}
    over = not signed_in or float(signed_in.get("expires_at") or 0) <= time.time()
    return "" if over else ACCOUNT + str(signed_in["userinfo"]["sub"])


def retry_after(error: Exception) -> dict[str, str]:
    """The header of a refusal that is one for now."""
    match error:
        case TooOften():
            wait = error.wait
        case ProviderError(transient=True):
            wait = math.ceil(error.retry_after or WAIT_S)
        case TooManyRuns() | StoreError() | SandboxBroken() if not isinstance(error, StoreBroken):
            wait = WAIT_S
        case _:
            return {}
    return {"Retry-After": str(wait)}


def one_line(error: Exception) -> str:
    """The refusal as a sentence."""
    return sentence(" ".join(str(error).split()))
