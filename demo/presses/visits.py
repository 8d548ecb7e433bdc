"""Who is at the page: what every handler asks before it does anything, and how it says no.

The addresses of handlers are no secret, and whoever posts to the queue by hand reaches them, too.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import gradio as gr
from markupsafe import escape

from agent.task.request import BadInput

from ..desk import Desk
from ..doors.api import address_of, headers_of
from ..doors.gate import REFUSALS, Denied, Gate, one_line
from ..doors.owners import Caller, caller_of, readable, steerable
from ..options import UiOptions
from ..view.shot import Shot

P = ParamSpec("P")
Told = TypeVar("Told")
Stored = dict[str, str]
"""What the browser calls itself, under "owner": it makes the name up, brings it along, and is never told it."""
NAMELESS: Stored = {"owner": ""}
"""What a browser without a name starts from; the page's script puts one there."""
Looked = dict[str, str]
"""What the browser keeps beside it, under "run": the run that it looked at last."""

_MOST_PAGES = 10_000
"""Pages of which it is known who writes them; the one that was longest left alone is forgotten first."""


@dataclass(frozen=True, eq=False, slots=True)
class Turn:
    """Whoever writes the screen of a page: it is over once another one is taken there."""

    word: str
    """The run that is shown."""
    number: int = 0
    """Which wish of the person's this is, counted by the page from 0, its own first look."""
    to_end: asyncio.Event = field(default_factory=asyncio.Event)
    """Sends a replay to its end at once."""


@dataclass(slots=True)
class Press:
    """What was asked for, and what will come of it."""

    what: object
    answer: asyncio.Future[Any]
    wish: int = 0
    """The last press that it answers."""


@dataclass(slots=True)
class _Open:
    """A page that somebody has open."""

    turn: Turn | None = None
    """Who writes it now."""
    newest: int = 0
    """The number of the newest wish. Its run may still be on its way, and the one before is shown until then."""
    pressed: Press | None = None
    """What is being done for it."""


def visitor(gate: Gate, stored: Stored | None, request: gr.Request) -> Caller:
    """Who is at the page: this browser, and the account that signed in or the key that opened it."""
    return caller_of(gate, cast(Any, request.request), (stored or {}).get("owner", ""))


def enter(gate: Gate, request: gr.Request) -> None:
    """Raises gr.Error where a key is demanded that this visitor has not shown."""
    try:
        gate.enter(headers_of(request))
    except Denied as error:
        raise refusal("Locked", error) from error


class Visits:
    """State per page is keyed by its session, and never read by another."""

    def __init__(self, desk: Desk, gate: Gate, options: UiOptions) -> None:
        self._desk = desk
        self._gate = gate
        self._options = options
        self._pages: OrderedDict[str, _Open] = OrderedDict()

    def _page(self, request: gr.Request) -> _Open:
        page = self._pages.setdefault(request.session_hash or "", _Open())
        self._pages.move_to_end(request.session_hash or "")
        if len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)
        return page

    def _wish(self, number: float | None, request: gr.Request) -> int:
        """Notes a wish to see something else on this page, before anything is waited for; answers may then come in any
        order. Whoever writes the page goes on until the wish can be met: it may be refused. Raises as `_enter`."""
        self._enter(request)
        page = self._page(request)
        page.newest = max(page.newest, int(number or 0))
        return int(number or 0)

    def _take_turn(self, number: int, word: str, request: gr.Request) -> Turn:
        """Only the newest wish of a page may write it, from now on. Raises gr.Error, unseen, for any other."""
        page = self._page(request)
        if number < page.newest:
            raise too_late()
        page.turn = Turn(word, number)
        return page.turn

    def _turn(self, request: gr.Request) -> Turn:
        """The one of now."""
        return self._written(request) or Turn("")

    def _over(self, turn: Turn, request: gr.Request) -> bool:
        """A page that was forgotten is nobody else's."""
        return self._written(request) not in (None, turn)

    def _written(self, request: gr.Request) -> Turn | None:
        page = self._pages.get(request.session_hash or "")
        return page.turn if page else None

    def here(self, act: Callable[P, Awaitable[Told]]) -> Callable[P, Awaitable[Told]]:
        """What answers for the run that is its first argument, unless the page shows another one by then."""

        @wraps(act)
        async def answer(*asked: P.args, **named: P.kwargs) -> Told:
            word, request = cast(tuple[str, gr.Request], (asked[0], asked[-1]))
            told = await act(*asked, **named)
            if self._turn(request).word not in ("", word):
                raise too_late()
            return told

        return answer

    def _enter(self, request: gr.Request) -> None:
        enter(self._gate, request)

    async def _admit(self, request: gr.Request) -> None:
        """What costs something: the key, and the rate. Raises Denied, TooOften."""
        self._gate.enter(headers_of(request))
        await self._gate.count(headers_of(request), address_of(request))

    def _who(self, stored: Stored | None, request: gr.Request) -> Caller:
        return visitor(self._gate, stored, request)

    def _owner(self, stored: Stored | None, request: gr.Request) -> str:
        """Whose a new run will be. Raises BadInput for nobody: everybody could steer such a run, and no list would
        show it."""
        owner = self._who(stored, request).owner
        if not owner:
            raise BadInput("the page was not ready yet; please press again")
        return owner

    async def _see(self, word: str, stored: Stored | None, request: gr.Request) -> str:
        """The id of a run that this visitor may look at. Raises Denied, and UnknownRun for one of somebody else."""
        self._gate.enter(headers_of(request))
        return await readable(self._desk, self._gate, word, self._who(stored, request))

    async def _shot(self, word: str, stored: Stored | None, request: gr.Request) -> Shot:
        """Such a run as it stands. Raises gr.Error."""
        try:
            shot = await self._desk.shot(await self._see(word, stored, request))
        except REFUSALS as error:
            raise refusal("Not found", error) from error
        return replace(shot, address=word, **await self._standing(word, stored, request))

    async def _standing(self, word: str, stored: Stored | None, request: gr.Request) -> dict[str, Any]:
        """Returns what a shot tells of who looks at it: whether the run is theirs, and its link."""
        try:
            await self._steer(word, stored, request)
            mine = True
        except REFUSALS:
            mine = False
        run_id = word.partition(".")[0]
        return {"mine": mine, "link": self._gate.share(run_id, await self._desk.shares_ended(run_id))}

    async def _steer(self, word: str, stored: Stored | None, request: gr.Request) -> str:
        """The id of a run that this visitor may do something with. Raises NotYours for one that they may only see, and
        as `_see`."""
        self._gate.enter(headers_of(request))
        return await steerable(self._desk, self._gate, word, self._who(stored, request))


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


def too_late() -> gr.Error:
    """Ends a handler without a word, and nothing is written."""
    return gr.Error(visible=False, print_exception=False)


def refusal(title: str, error: Exception) -> gr.Error:
    return gr.Error(str(escape(one_line(error))), title=title, print_exception=False)
