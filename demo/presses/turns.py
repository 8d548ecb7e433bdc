"""Decides whose turn it is to write a page.

The person's newest press has the turn; an answer that comes too late is not written.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import gradio as gr

from framework.waiting import shielded

from .admission import Admission

P = ParamSpec("P")
R = TypeVar("R")

_MAX_PAGES = 10_000
"""How many pages are remembered. The page that was idle longest is forgotten first."""


@dataclass(frozen=True, eq=False, slots=True)
class PageTurn:
    """The right to write the screen of a page. It ends when another turn is taken there."""

    ref: str
    """The id or share of the run that is shown; "" for none."""
    wish: int = 0
    """The number of the person's wish, counted by the page from 0, which is its own first look."""
    to_end: asyncio.Event = field(default_factory=asyncio.Event)
    """Sends a replay to its end at once when it is set."""


@dataclass(slots=True)
class Press:
    """A press whose answer is on its way."""

    what: object
    answer: asyncio.Future[Any]
    wish: int = 0
    """The newest wish that the answer serves."""


@dataclass(slots=True)
class _OpenPage:
    """A page that a person has open."""

    turn: PageTurn | None = None
    """Who writes the page now."""
    newest: int = 0
    """The number of the newest wish. Its run may still be on its way; until then the page shows the run before it."""
    pressed: Press | None = None
    """The press whose answer the page waits for."""


class Turns:
    """The turns of all pages. Each page is known by its session, and no other session reads its turn."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self._pages: OrderedDict[str, _OpenPage] = OrderedDict()

    def _page(self, request: gr.Request) -> _OpenPage:
        """Returns what is known of the visitor's page, and forgets the page that was idle longest if there are too
        many."""
        page = self._pages.setdefault(request.session_hash or "", _OpenPage())
        self._pages.move_to_end(request.session_hash or "")
        if len(self._pages) > _MAX_PAGES:
            self._pages.popitem(last=False)
        return page

    def wish(self, number: float | None, request: gr.Request) -> int:
        """Notes a wish to see something else on this page, before anything is awaited, so that answers may come in any
        order. Whoever writes the page goes on until the wish can be met, because it may be refused. Raises as
        `enter`."""
        self._admission.enter(request)
        page = self._page(request)
        page.newest = max(page.newest, int(number or 0))
        return int(number or 0)

    def take(self, wish: int, ref: str, request: gr.Request) -> PageTurn:
        """Gives the page to this wish from now on, and returns its turn. Raises an invisible gr.Error if there is a
        newer wish."""
        page = self._page(request)
        if wish < page.newest:
            raise too_late()
        page.turn = PageTurn(ref, wish)
        return page.turn

    def turn(self, request: gr.Request) -> PageTurn:
        return self._turn_of_page(request) or PageTurn("")

    def over(self, turn: PageTurn, request: gr.Request) -> bool:
        """Returns whether another turn was taken on the page since. A page that was forgotten has no other turn."""
        return self._turn_of_page(request) not in (None, turn)

    def _turn_of_page(self, request: gr.Request) -> PageTurn | None:
        """Returns the turn of the visitor's page; None if nobody writes it or it was forgotten."""
        page = self._pages.get(request.session_hash or "")
        return page.turn if page else None

    def here(self, act: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        """Returns a handler that answers only if the page still shows the run that is its first argument."""

        @wraps(act)
        async def answer(*asked: P.args, **named: P.kwargs) -> R:
            ref, request = cast(tuple[str, gr.Request], (asked[0], asked[-1]))
            told = await act(*asked, **named)
            if self.turn(request).ref not in ("", ref):
                raise too_late()
            return told

        return answer

    async def once(self, act: Callable[..., Awaitable[R]], wish: int, *asked: Any) -> tuple[R, int]:
        """Treats a second press of the same kind as the first, while the first is on its way. Returns the answer, and
        the newest wish among those presses."""
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
        """Returns whether the person has asked for something else meanwhile."""
        return wish < self._page(request).newest


def too_late() -> gr.Error:
    """Returns an error that ends a handler silently, so that nothing is written."""
    return gr.Error(visible=False, print_exception=False)
