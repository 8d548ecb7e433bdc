"""Plays a run again from its stored events."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import gradio as gr

from agent.events import AgentEvent
from framework.engine import Envelope

from ..desk import Desk
from ..screens.player import played, shot_after
from ..screens.run import changed, frame, nothing_new
from ..view.shot import Shot
from .admission import Admission, Stored, refuses
from .turns import Turns, too_late


class Replays:
    """The handlers of the bar that plays a run: its place, its speed, its end."""

    def __init__(self, desk: Desk, admission: Admission, turns: Turns) -> None:
        self._desk = desk
        self._admission = admission
        self._turns = turns

    async def _events(self, shot: Shot) -> list[Envelope[AgentEvent]]:
        runs = await self._desk.runs()
        return await runs.events(shot.run_id)

    @refuses("Not replayed")
    async def open_player(self, run_id: str, stored: Stored | None, request: gr.Request) -> tuple[object, object]:
        shot = await self._admission.shot(run_id, stored, request)
        total = len(await self._events(shot))
        return gr.update(visible=True), gr.update(maximum=max(1, total), value=total)

    @refuses("Not replayed")
    async def seek(
        self, number: float | None, run_id: str, stored: Stored | None, place: float | None, request: gr.Request
    ) -> list[object]:
        wish = self._turns.wish(number, request)
        last = replace(await self._admission.shot(run_id, stored, request), wish=wish)
        envelopes = await self._events(last)
        self._turns.take(wish, run_id, request)
        return frame(shot_after(envelopes, int(place or 0), last))

    async def play(
        self,
        number: float | None,
        run_id: str,
        stored: Stored | None,
        place: float | None,
        speed: float | None,
        request: gr.Request,
    ) -> AsyncGenerator[list[object]]:
        """Plays on from the place, or from the beginning if the place is the end. A newer viewer of the page ends
        it."""
        wish = self._turns.wish(number, request)
        last = replace(await self._admission.shot(run_id, stored, request), wish=wish)
        envelopes = await self._events(last)
        turn = self._turns.take(wish, run_id, request)
        before: list[object] | None = None
        async with aclosing(played(envelopes, int(place or 0), float(speed or 1), last, turn.to_end)) as shots:
            async for count, shot in shots:
                if self._turns.over(turn, request):
                    break
                new = frame(shot)
                yield [count, *changed(before, new)]
                before = new
        # When a generator ends, Gradio sends its last frame once more. That frame must not undo what a newer viewer has
        # written.
        yield [gr.skip(), *nothing_new()]

    @refuses("Not replayed")
    async def skip(self, run_id: str, stored: Stored | None, request: gr.Request) -> list[object]:
        """Shows the end of the run. A replay that is going on jumps to its end and stops."""
        turn = self._turns.turn(request)
        shot = replace(await self._admission.shot(run_id, stored, request), wish=turn.wish)
        total = len(await self._events(shot))
        if self._turns.over(turn, request) or turn.ref not in ("", run_id):
            raise too_late()
        turn.to_end.set()
        return [total, *frame(shot)]
