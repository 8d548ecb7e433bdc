"""Who is at the page: what every handler asks before it does anything, and how it says no.

The addresses of handlers are no secret, and whoever posts to the queue by hand reaches them, too.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import Any, cast

import gradio as gr
from markupsafe import escape

from .api import address_of, headers_of
from .desk import Desk
from .gate import Denied, Gate, one_line
from .options import UiOptions

Stored = dict[str, str]
"""What the page keeps in the browser: "owner", who this browser is, and "run", the last run it looked at."""


_ACCOUNT = "account:"
"""Begins the owner of runs of somebody who signed in. No browser may claim one: what it keeps comes from outside."""


def kept_by(stored: Stored | None) -> Stored:
    """What the page keeps in the browser, with a name for this browser in it."""
    return {"owner": uuid.uuid4().hex, **(stored or {})}


def owner_of(stored: Stored | None, request: gr.Request) -> str:
    """Whose runs are listed and steered: the account that signed in, else this browser; "" for nobody."""
    session: Mapping[str, Any] = cast(Any, request.request).scope.get("session") or {}
    signed_in: Mapping[str, Any] = session.get("oauth_info") or {}
    if signed_in and float(signed_in.get("expires_at") or 0) > time.time():
        return _ACCOUNT + str(signed_in["userinfo"]["sub"])
    browser = (stored or {}).get("owner", "")
    return "" if browser.startswith(_ACCOUNT) else browser


class Visits:
    """State per page is keyed by its session, and never read by another."""

    def __init__(self, desk: Desk, gate: Gate, options: UiOptions) -> None:
        self._desk = desk
        self._gate = gate
        self._options = options
        self._viewers: dict[str, object] = {}
        """The newest viewer of each page, live or replaying: the only one that may go on writing."""

    def _enter(self, request: gr.Request) -> None:
        """Raises gr.Error where a key is demanded that this visitor has not shown."""
        try:
            self._gate.enter(headers_of(request))
        except Denied as error:
            raise refusal("Locked", error) from error

    def _admit(self, request: gr.Request) -> None:
        """What costs something: the key, and the rate. Raises Denied, TooOften."""
        self._gate.enter(headers_of(request))
        self._gate.count(headers_of(request), address_of(request))

    async def _steer(self, run_id: str, stored: Stored | None, request: gr.Request) -> None:
        """Raises Denied for a run of somebody else."""
        self._gate.enter(headers_of(request))
        if run_id and not await self._desk.may_steer(run_id, owner_of(stored, request)):
            raise Denied("this run belongs to somebody else; you can look at it, or run it yourself")


def warn(line: str) -> None:
    """A toast; its text is shown as it stands, never as markup."""
    gr.Warning(str(escape(line)))


def refusal(title: str, error: Exception) -> gr.Error:
    return gr.Error(str(escape(one_line(error))), title=title, print_exception=False)
