"""Decides who may call the API and how often, and which headers a refusal has."""

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
"""The cookie that holds a browser's pass."""
ACCOUNT, KEY = "account:", "key:"
"""How the owner of a run begins if somebody signed in, or showed a key. A browser may not claim such a name, because
what it keeps can be changed from outside."""
VISITOR_RATE = Rate(20, 3600)
"""How many runs a visitor without the key may start, if the page is open although the API is not."""
WAIT_S = 5
"""The seconds after which it is worth asking again if every slot is taken or something that is needed is away."""


class Denied(BadInput):
    """No API key was shown, or a wrong one."""

    http_status: ClassVar[int] = 401


class NotYours(BadInput):
    """The caller may look at the run and no more."""

    http_status: ClassVar[int] = 403


class TooOften(BadInput):
    """The caller exceeded the rate. After `wait` seconds the next run may start."""

    http_status: ClassVar[int] = 429

    def __init__(self, wait: float) -> None:
        self.wait = math.ceil(wait)
        super().__init__(f"too many runs from here; please try again in {self.wait} s")


class Gate:
    """The gate of one process. Page, REST and MCP share its count of starts; with Redis all processes share it."""

    def __init__(self, options: UiOptions) -> None:
        self._keys = options.api_keys
        self._open = options.public_page
        self._secret = options.storage_secret
        self._passes = {self._sign("page", key.reveal()): self._owner(key.reveal()) for key in options.api_keys}
        self._limiter = SharedRateLimiter("start", options.rate, options.redis_url)
        self._visitors = SharedRateLimiter("visitor", VISITOR_RATE, options.redis_url)

    @property
    def locked(self) -> bool:
        """Whether the page asks for the key before it shows or does anything."""
        return bool(self._keys) and not self._open

    @property
    def keyed(self) -> bool:
        return bool(self._keys)

    def is_keeper(self, headers: Mapping[str, str]) -> bool:
        """Returns whether the caller shows a key of this app, or the pass for it."""
        return self.keyed and bool(self.key_owner(headers))

    def key_owner(self, headers: Mapping[str, str]) -> str:
        """Returns the owner for which a shown key, or the pass for one, stands; "" for none. If the app has no keys,
        any shown key names an owner that only its holder knows."""
        shown = _shown_key(headers)
        if shown and (not self._keys or Secret(shown) in self._keys):
            return self._owner(shown)
        given = _shown_pass(headers)
        return next((owner for pass_, owner in self._passes.items() if hmac.compare_digest(pass_, given)), "")

    def enter(self, headers: Mapping[str, str]) -> None:
        """Lets a browser in that shows the key or the pass for it. Raises Denied if the page is locked."""
        if self.locked and not self.is_keeper(headers):
            raise Denied("an API key is needed: send it as X-API-Key")

    def admit(self, headers: Mapping[str, str]) -> None:
        """Raises Denied if a key is demanded and none is shown as X-API-Key or bearer token."""
        if self._keys and Secret(_shown_key(headers)) not in self._keys:
            raise Denied("an API key is needed: send it as X-API-Key")

    def exchange(self, shown: str) -> str:
        """Returns the pass for a cookie, in return for the key. Raises Denied."""
        if Secret(shown) not in self._keys:
            raise Denied("this is not the key of this app")
        return self._sign("page", shown)

    async def count(self, headers: Mapping[str, str], address: str) -> None:
        """Counts the start of a run for the key of this app that is shown, else for the address. Raises TooOften."""
        keeper = self.key_owner(headers) if self._keys else ""
        stranger = self._open and self.keyed and not keeper
        wait = await self._limiter.take(keeper or address)
        if wait := wait or (await self._visitors.take(address) if stranger else 0):
            raise TooOften(wait)

    async def aclose(self) -> None:
        await self._limiter.aclose()
        await self._visitors.aclose()

    def share(self, run_id: str, ended: int) -> str:
        """Returns what stands for the run in a link: whoever has it can see the run and not steer it. `ended` is how
        often the run's links were taken back; a link from before shows nothing any more."""
        return f"{run_id}.{self._sign('share', f'{run_id}:{ended}' if ended else run_id)[:32]}"

    def is_share(self, ref: str, ended: int) -> bool:
        """Returns whether the ref is a share of a run whose links were taken back `ended` times."""
        return hmac.compare_digest(ref.encode(), self.share(ref.partition(".")[0], ended).encode())

    def _owner(self, key: str) -> str:
        return KEY + self._sign("owner", key)[:32]

    def _sign(self, purpose: str, text: str) -> str:
        """Returns a signature. It reveals nothing about the text, and changes with the text or the secret."""
        return hmac.new(self._secret.encode(), f"{purpose}:{text}".encode(), "sha256").hexdigest()


def _shown_key(headers: Mapping[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return headers.get("x-api-key") or (token.strip() if scheme.lower() == "bearer" else "")


def _shown_pass(headers: Mapping[str, str]) -> str:
    """Returns the pass in the cookie, if it is a text that can be a pass; "" if not."""
    cookies: SimpleCookie = SimpleCookie()
    with contextlib.suppress(CookieError):
        cookies.load(headers.get("cookie", ""))
    shown = cookies.get(COOKIE)
    return shown.value if shown is not None and shown.value.isascii() else ""


def account_of(session: Mapping[str, Any]) -> str:
    """Returns the owner for which a signed-in session stands; "" if nobody signed in, or if the session has expired."""
    signed_in: Mapping[str, Any] = session.get("oauth_info") or {}
    over = not signed_in or float(signed_in.get("expires_at") or 0) <= time.time()
    return "" if over else ACCOUNT + str(signed_in["userinfo"]["sub"])


def retry_after(error: Exception) -> dict[str, str]:
    """Returns the Retry-After header of a refusal that will pass; {} for any other."""
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
    return sentence(" ".join(str(error).split()))
