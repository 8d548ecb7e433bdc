"""Who is at the page: what every press asks before it does anything, and how it says no.

The addresses of handlers are no secret, and whoever posts to the queue by hand reaches them, too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import gradio as gr
from markupsafe import escape

from agent.refusals import REFUSALS
from agent.task.request import BadInput

from ..desk import Desk
from ..doors.api import address_of, headers_of
from ..doors.gate import Denied, Gate, one_line
from ..doors.owners import Caller, caller_of, readable, steerable
from ..view.shot import Shot

P = ParamSpec("P")
Told = TypeVar("Told")
Stored = dict[str, str]
"""What the browser calls itself, under "owner": it makes the name up, brings it along, and is never told it."""
NAMELESS: Stored = {"owner": ""}
"""What a browser without a name starts from; the page's script puts one there."""
Looked = dict[str, str]
"""What the browser keeps beside it, under "run": the run that it looked at last."""


def visitor(gate: Gate, stored: Stored | None, request: gr.Request) -> Caller:
    """Who is at the page: this browser, and the account that signed in or the key that opened it."""
    return caller_of(gate, cast(Any, request.request), (stored or {}).get("owner", ""))


def enter(gate: Gate, request: gr.Request) -> None:
    """Raises gr.Error where a key is demanded that this visitor has not shown."""
    try:
        gate.enter(headers_of(request))
    except Denied as error:
        raise refusal("Locked", error) from error


class Admission:
    """Lets presses through, or not: by the key, by the rate, and by whose a run is."""

    def __init__(self, desk: Desk, gate: Gate) -> None:
        self._desk = desk
        self.gate = gate

    def enter(self, request: gr.Request) -> None:
        """Raises as `enter`."""
        enter(self.gate, request)

    async def admit(self, request: gr.Request) -> None:
        """What costs something: the key, and the rate. Raises Denied, TooOften."""
        self.gate.enter(headers_of(request))
        await self.gate.count(headers_of(request), address_of(request))

    def who(self, stored: Stored | None, request: gr.Request) -> Caller:
        return visitor(self.gate, stored, request)

    def owner(self, stored: Stored | None, request: gr.Request) -> str:
        """Whose a new run will be. Raises BadInput for nobody: everybody could steer such a run, and no list would
        show it."""
        owner = self.who(stored, request).owner
        if not owner:
            raise BadInput("the page was not ready yet; please press again")
        return owner

    async def see(self, word: str, stored: Stored | None, request: gr.Request) -> str:
        """The id of a run that this visitor may look at. Raises Denied, and UnknownRun for one of somebody else."""
        self.gate.enter(headers_of(request))
        return await readable(self._desk, self.gate, word, self.who(stored, request))

    async def shot(self, word: str, stored: Stored | None, request: gr.Request) -> Shot:
        """A run that this visitor may look at, as it stands. Raises gr.Error."""
        try:
            shot = await self._desk.shot(await self.see(word, stored, request))
        except REFUSALS as error:
            raise refusal("Not found", error) from error
        return replace(shot, address=word, **await self.standing(word, stored, request))

    async def standing(self, word: str, stored: Stored | None, request: gr.Request) -> dict[str, Any]:
        """Returns what a shot tells of who looks at it: whether the run is theirs, and its link."""
        try:
            await self.steer(word, stored, request)
            mine = True
        except REFUSALS:
            mine = False
        run_id = word.partition(".")[0]
        return {"mine": mine, "link": self.gate.share(run_id, await self._desk.shares_ended(run_id))}

    async def steer(self, word: str, stored: Stored | None, request: gr.Request) -> str:
        """The id of a run that this visitor may do something with. Raises NotYours for one that they may only see, and
        as `see`."""
        self.gate.enter(headers_of(request))
        return await steerable(self._desk, self.gate, word, self.who(stored, request))


def warn(title: str, line: str) -> None:
    """A toast; its text is shown as it stands, never as markup."""
    gr.Warning(str(escape(line)), title=title)


def refuses(title: str) -> Callable[[Callable[P, Awaitable[Told]]], Callable[P, Awaitable[Told]]]:
    """What engine and desk say no with is told under this title, and not as an error of nobody knows what."""

    def wrap(act: Callable[P, Awaitable[Told]]) -> Callable[P, Awaitable[Told]]:
        @wraps(act)
        async def answer(*asked: P.args, **named: P.kwargs) -> Told:
            try:
                return await act(*asked, **named)
            except REFUSALS as error:
                raise refusal(title, error) from error

        return answer

    return wrap


def refusal(title: str, error: Exception) -> gr.Error:
    return gr.Error(str(escape(one_line(error))), title=title, print_exception=False)
