"""One request for each wish to see a run: it is started, opened or answered, and then shown as it grows."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import wraps
from typing import Any, cast

import gradio as gr

from framework.errors import StoreError
from framework.shielded import shielded

from ..doors.gate import REFUSALS
from ..doors.owners import while_shown
from ..screens.run import changed, frame, nothing_new
from ..view.shot import Shot
from .visits import Press, Stored, Visits, refusal

_HEARTBEAT = 5.0
Led = tuple[str, Stored | None, *tuple[Any, ...]]
"""The run that an act leads to, who asked for it, and what else changes on the page."""


class Viewer(Visits):
    """Whoever acts last has the page: their run is written there, and any other answer that comes late is not."""

    def goes(self, act: Callable[..., Awaitable[Led]], late: str = "") -> Callable[..., AsyncGenerator[list[object]]]:
        """What leads to a run, or to none, with the number of the wish before its own arguments. `late`: said in place
        of showing it where the person has gone on to something else meanwhile."""

        @wraps(act)
        async def shown(number: float | None, *asked: Any) -> AsyncGenerator[list[object]]:
            request = cast(gr.Request, asked[-1])
            wish = self._wish(number, request)
            (word, stored, *more), last = await self._once(act, wish, *asked)
            if not word:
                yield [gr.skip(), gr.skip(), *more, *nothing_new()]
                return
            if late and wish == last and self._outrun(wish, request):
                gr.Info(late)
            # What follows is sent as a difference, which the browser works into the value it was given: not into this.
            beside: list[object] = [word, gr.update(value={"run": word}), *more]
            async with aclosing(self.show(wish, word, stored, request)) as frames:
                async for new in frames:
                    yield [*beside, *new]
                    beside = [gr.skip() for _ in beside]
            # When a generator ends, Gradio sends its last frame once more: it must not undo what a newer one wrote.
            yield [*(gr.skip() for _ in beside), *nothing_new()]

        asked = inspect.signature(act)
        number = inspect.Parameter("number", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        cast(Any, shown).__signature__ = asked.replace(parameters=[number, *asked.parameters.values()])
        return shown

    async def show(
        self, number: int, word: str, stored: Stored | None, request: gr.Request
    ) -> AsyncGenerator[list[object]]:
        """Writes the whole screen; the newest viewer of a page is the only one."""
        try:
            run_id = await self._see(word, stored, request)
            standing = await self._standing(word, stored, request)
        except REFUSALS as error:
            raise refusal("Not found", error) from error
        turn = self._take_turn(number, word, request)
        seen = {**standing, "address": word, "turn": number}
        last: list[object] | None = None
        try:
            phase, told = "", 0.0
            async with aclosing(while_shown(self._desk, self._gate, word, self._desk.watch(run_id))) as shots:
                async for shot in shots:
                    if self._over(turn, request):
                        return
                    new = frame(replace(shot, **seen))
                    # A page that was not ready yet may have missed a panel: with each phase of a run it gets all.
                    last, phase = (last if shot.view.phase == phase else None), shot.view.phase
                    # Only at a yield does Gradio notice that the page is gone.
                    if new != last or time.monotonic() - told > _HEARTBEAT:
                        yield changed(last, new)
                        told = time.monotonic()
                    last = new
        except REFUSALS as error:
            lost = isinstance(error, StoreError)
            if not ((lost and last) or self._over(turn, request)):
                yield frame(Shot())
            raise refusal("No longer live" if lost else "Not found", error) from error

    async def _once(self, act: Callable[..., Awaitable[Led]], wish: int, *asked: Any) -> tuple[Led, int]:
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

    def _outrun(self, wish: int, request: gr.Request) -> bool:
        return wish < self._page(request).newest
