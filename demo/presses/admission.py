"""Decides what a person at the page may do.

Every handler asks here before it does anything, and refuses with the toasts of this module.

The addresses of handlers are no secret: a script that posts to Gradio's queue reaches them, too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import gradio as gr
from markupsafe import escape

from agent.task.refusals import REFUSALS
from agent.task.request import BadInput

from ..desk import Desk
from ..doors.api import address_of, headers_of
from ..doors.gate import Denied, Gate, one_line
from ..doors.owners import Caller, caller_of, readable, steerable
from ..view.shot import Shot
from ..view.watch import still

P = ParamSpec("P")
R = TypeVar("R")
Stored = dict[str, str]
"""What the browser calls itself, under "owner". Its script makes the name up, and the server never sends one."""
NAMELESS: Stored = {"owner": ""}
"""The value of a browser without a name, before the page's script puts one there."""
Looked = dict[str, str]
"""The run that the browser looked at last, under "run"."""


class Admission:
    """Admits or refuses a press by the key, by the rate, and by whose run it is about."""

    def __init__(self, desk: Desk, gate: Gate) -> None:
        self._desk = desk
        self.gate = gate

    def enter(self, request: gr.Request) -> None:
        """Raises gr.Error if a key is demanded that this visitor has not shown."""
        try:
            self.gate.enter(headers_of(request))
        except Denied as error:
            raise refusal("Locked", error) from error

    async def admit(self, request: gr.Request) -> None:
        """Admits what costs something: checks the key and counts a start. Raises Denied, TooOften."""
        self.gate.enter(headers_of(request))
        await self.gate.count(headers_of(request), address_of(request))

    def who(self, stored: Stored | None, request: gr.Request) -> Caller:
        """Returns who is at the page: this browser, and the account that signed in or the key that opened the page."""
        return caller_of(self.gate, cast(Any, request.request), (stored or {}).get("owner", ""))

    def owner(self, stored: Stored | None, request: gr.Request) -> str:
        """Returns the owner of a new run. Raises BadInput if there is none: anybody could steer such a run, and no list
        would show it."""
        owner = self.who(stored, request).owner
        if not owner:
            raise BadInput("the page was not ready yet; please press again")
        return owner

    async def see(self, ref: str, stored: Stored | None, request: gr.Request) -> str:
        """Returns the id of a run that this visitor may see. Raises Denied, and UnknownRun for somebody else's run."""
        self.gate.enter(headers_of(request))
        return await readable(self._desk, self.gate, ref, self.who(stored, request))

    async def shot(self, ref: str, stored: Stored | None, request: gr.Request) -> Shot:
        """Returns a run that this visitor may see, as it stands. Raises gr.Error."""
        try:
            shot = await still(await self._desk.runs(), await self.see(ref, stored, request))
        except REFUSALS as error:
            raise refusal("Not found", error) from error
        return replace(shot, ref=ref, **await self.standing(ref, stored, request))

    async def standing(self, ref: str, stored: Stored | None, request: gr.Request) -> dict[str, Any]:
        """Returns the fields of a shot that depend on who looks: whether the run is theirs, and its link."""
        try:
            await self.steer(ref, stored, request)
            mine = True
        except REFUSALS:
            mine = False
        run_id = ref.partition(".")[0]
        return {"mine": mine, "link": self.gate.share(run_id, await self._desk.shares_ended(run_id))}

    async def steer(self, ref: str, stored: Stored | None, request: gr.Request) -> str:
        """Returns the id of a run that this visitor may steer. Raises NotYours for a run that they may only see, and
        what `see` raises."""
        self.gate.enter(headers_of(request))
        return await steerable(self._desk, self.gate, ref, self.who(stored, request))


def warn(title: str, line: str) -> None:
    """Shows a toast. Its text is shown as it is, never as markup."""
    gr.Warning(str(escape(line)), title=title)


def refuses(title: str) -> Callable[[Callable[P, Awaitable[R]]], Callable[P, Awaitable[R]]]:
    """Returns a decorator that shows a refusal of engine or desk under this title, instead of an unknown error."""

    def wrap(act: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        @wraps(act)
        async def answer(*asked: P.args, **named: P.kwargs) -> R:
            try:
                return await act(*asked, **named)
            except REFUSALS as error:
                raise refusal(title, error) from error

        return answer

    return wrap


def refusal(title: str, error: Exception) -> gr.Error:
    return gr.Error(str(escape(one_line(error))), title=title, print_exception=False)
