"""Handles each wish to see a run in one request: the run is started, opened or answered, and then shown as it grows."""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import wraps
from typing import Any, cast

import gradio as gr

from agent.task.refusals import REFUSALS
from framework.errors import StoreError, UnknownRun

from ..desk import Desk
from ..doors.owners import while_shown
from ..screens.run import changed, frame, nothing_new
from ..view.shot import Shot
from .admission import Admission, Looked, Stored, refusal, warn
from .turns import Turns

_HEARTBEAT = 5.0
"""The seconds after which an unchanged frame is sent again."""
Led = tuple[str, Stored | None, *tuple[Any, ...]]
"""What an act returns: the run to which it leads, the visitor, and other changes of the page."""


class Viewer:
    """Shows on a page the run to which an act leads."""

    def __init__(self, desk: Desk, admission: Admission, turns: Turns) -> None:
        self._desk = desk
        self._admission = admission
        self._turns = turns

    def goes(self, act: Callable[..., Awaitable[Led]], late: str = "") -> Callable[..., AsyncGenerator[list[object]]]:
        """Returns a handler that does the act and then shows the run to which it leads, if any. The handler takes the
        number of the wish before the act's own arguments. If the person has gone on to something else meanwhile, `late`
        is shown as a toast."""

        @wraps(act)
        async def shown(number: float | None, *asked: Any) -> AsyncGenerator[list[object]]:
            request = cast(gr.Request, asked[-1])
            wish = self._turns.wish(number, request)
            (ref, stored, *more), last = await self._turns.once(act, wish, *asked)
            if not ref:
                yield [gr.skip(), gr.skip(), *more, *nothing_new()]
                return
            if late and wish == last and self._turns.outrun(wish, request):
                gr.Info(late)
            # Later frames are sent as differences, which the browser works into the value that it got. These values
            # must not be part of that.
            beside: list[object] = [ref, gr.update(value={"run": ref}), *more]
            async with aclosing(self.show(wish, ref, stored, request)) as frames:
                async for new in frames:
                    yield [*beside, *new]
                    beside = [gr.skip() for _ in beside]
            # When a generator ends, Gradio sends its last frame once more. That frame must not undo what a newer viewer
            # wrote.
            yield [*(gr.skip() for _ in beside), *nothing_new()]

        asked = inspect.signature(act)
        number = inspect.Parameter("number", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        cast(Any, shown).__signature__ = asked.replace(parameters=[number, *asked.parameters.values()])
        return shown

    async def show(
        self, wish: int, ref: str, stored: Stored | None, request: gr.Request
    ) -> AsyncGenerator[list[object]]:
        """Yields the values of the whole screen as the run grows. `wish` is the number of the wish, and `ref` the id or
        share of the run. Only the newest viewer of a page goes on. Raises gr.Error."""
        try:
            run_id = await self._admission.see(ref, stored, request)
            standing = await self._admission.standing(ref, stored, request)
        except REFUSALS as error:
            raise refusal("Not found", error) from error
        turn = self._turns.take(wish, ref, request)
        seen = {**standing, "ref": ref, "wish": wish}
        last: list[object] | None = None
        try:
            lifecycle, told = "", 0.0
            async with aclosing(while_shown(self._desk, self._admission.gate, ref, self._desk.watch(run_id))) as shots:
                async for shot in shots:
                    if self._turns.over(turn, request):
                        return
                    new = frame(replace(shot, **seen))
                    # A page that was not ready may have missed a panel, so whenever the run begins, waits, goes on or
                    # ends, the page gets all panels.
                    now = shot.view.lifecycle
                    last, lifecycle = (last if now == lifecycle else None), now
                    # Gradio notices only at a yield that the page is gone.
                    if new != last or time.monotonic() - told > _HEARTBEAT:
                        yield changed(last, new)
                        told = time.monotonic()
                    last = new
        except REFUSALS as error:
            lost = isinstance(error, StoreError)
            if not ((lost and last) or self._turns.over(turn, request)):
                yield frame(Shot())
            raise refusal("No longer live" if lost else "Not found", error) from error

    async def restore(
        self, number: float | None, stored: Stored | None, last: Looked | None, request: gr.Request
    ) -> AsyncGenerator[list[object]]:
        """Shows a run on a fresh page: the one in the address, else the last one of this browser."""
        wish = self._turns.wish(number, request)
        asked = str(cast("Mapping[str, str]", request.query_params).get("run", ""))
        ref = asked or (last or {}).get("run", "")
        try:
            if ref:
                await self._admission.see(ref, stored, request)
        except UnknownRun:
            if asked:
                warn(
                    "Not found",
                    "There is no such run here, or none that this link shows. Runs are kept until the server is reset.",
                )
            ref = ""
        if not ref:
            self._turns.take(wish, "", request)
            yield ["", gr.update(value={"run": ""}), *nothing_new()]
            return

        async def led(_: gr.Request) -> Led:
            return ref, stored

        async with aclosing(self.goes(led)(number, request)) as frames:
            async for new in frames:
                yield new
