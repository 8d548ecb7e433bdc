"""Whose turn it is to write a page: whoever acts last has it, and any other answer that comes late is not written."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import gradio as gr

from framework.shielded import shielded

from .admission import Admission

P = ParamSpec("P")
Told = TypeVar("Told")

_MOST_PAGES = 10_000
"""Pages of which it is known who writes them; the one that was longest left alone is forgotten first."""


@dataclass(frozen=True, eq=False, slots=True)
class Turn:
    """The right to write the screen of a page; it ends when another one is taken there."""

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


class Turns:
    """State per page is keyed by its session, and never read by another."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self._pages: OrderedDict[str, _Open] = OrderedDict()

    def _page(self, request: gr.Request) -> _Open:
        page = self._pages.setdefault(request.session_hash or "", _Open())
        self._pages.move_to_end(request.session_hash or "")
        if len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)
        return page

    def wish(self, number: float | None, request: gr.Request) -> int:
        """Notes a wish to see something else on this page, before anything is waited for; answers may then come in any
        order. Whoever writes the page goes on until the wish can be met: it may be refused. Raises as `enter`."""
        self._admission.enter(request)
        page = self._page(request)
        page.newest = max(page.newest, int(number or 0))
        return int(number or 0)

    def take(self, number: int, word: str, request: gr.Request) -> Turn:
        """Only the newest wish of a page may write it, from now on. Raises gr.Error, unseen, for any other."""
        page = self._page(request)
        if number < page.newest:
            raise too_late()
        page.turn = Turn(word, number)
        return page.turn

    def turn(self, request: gr.Request) -> Turn:
        """Whose turn it is now."""
        return self._written(request) or Turn("")

    def over(self, turn: Turn, request: gr.Request) -> bool:
        """Whether another turn was taken on the page since. Where the page was forgotten, nobody took one."""
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
            if self.turn(request).word not in ("", word):
                raise too_late()
            return told

        return answer

    async def once(self, act: Callable[..., Awaitable[Told]], wish: int, *asked: Any) -> tuple[Told, int]:
        """Whoever presses twice means it once: the second press is answered as the first, while that is on its way.
        Returns the last of such presses, too."""
        page = self._page(asked[-1])
        what = (act, [vars(one) if isinstance(one, gr.EventData) else one for one in asked[:-1]])
        if page.pressed is None or page.pressed.what != what:
            page.pressed = Press(what, asyncio.ensure_future(act(*asked)))
        pressed = page.pressed
        pressed.wish = max(pressed.wish, wish)
        try:
            return await shielded(pressed.answer), pressed.wish
        finally:
            if page.pressed is pressed:
                page.pressed = None

    def outrun(self, wish: int, request: gr.Request) -> bool:
        """Whether the person has asked for something else meanwhile."""
        return wish < self._page(request).newest


def too_late() -> gr.Error:
    """Ends a handler without a word, and nothing is written."""
    return gr.Error(visible=False, print_exception=False)
