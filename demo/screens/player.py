"""Plays a run in the app: its stored events are folded again up to any of them, and drawn as a live run is."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import gradio as gr

from agent.events import AgentEvent
from framework.engine import Envelope

from ..view.fold import view_of
from ..view.shot import Shot

LONGEST_PAUSE = 1.0
"""The most seconds that a step of a replay lasts, because nobody wants to watch a model think twice."""
SPEEDS = [("1x", 1.0), ("4x", 4.0)]


class Player:
    """The bar with which a run is played again."""

    def __init__(self) -> None:
        places: dict[str, Any] = {"scale": 6, "min_width": 200, "container": False}
        speeds: dict[str, Any] = {"scale": 0, "min_width": 170, "container": False}
        with gr.Row(visible=False, elem_id="player") as self.row:
            self.play = gr.Button("Play", variant="primary", size="sm", min_width=70, elem_id="player-play")
            self.place = gr.Slider(0, 1, 1, step=1, label="Step of the run", elem_id="player-place", **places)
            self.speed = gr.Radio(SPEEDS, value=1.0, label="Speed", elem_id="player-speed", **speeds)
            self.skip = gr.Button("To the end", size="sm", min_width=90, elem_id="player-skip")
            self.close = gr.Button("Close", size="sm", min_width=70, elem_id="player-close")


def shot_after(envelopes: Sequence[Envelope[AgentEvent]], count: int, last: Shot) -> Shot:
    """Returns the run as it stood after its first `count` events; at the end that is `last`, with its files."""
    if count >= len(envelopes):
        return last
    return replace(last, view=view_of(envelopes[:count]), pending=None, files=(), queued=None)


async def played(
    envelopes: Sequence[Envelope[AgentEvent]], start: int, speed: float, last: Shot, enough: asyncio.Event
) -> AsyncGenerator[tuple[int, Shot]]:
    """Yields (number of events, the run after them) at the pace of the run, with long pauses cut short.

    Once `enough` is set, the end follows at once. It must come from this generator: if another handler showed the end,
    a shot that is still on its way could arrive after it and stay.
    """
    first = 0 if start >= len(envelopes) else start
    yield first, shot_after(envelopes, first, last)
    for before, after in itertools.pairwise(range(first, len(envelopes) + 1)):
        gap = envelopes[before].ts - envelopes[max(0, before - 1)].ts
        with suppress(TimeoutError):
            await asyncio.wait_for(enough.wait(), min(LONGEST_PAUSE, max(0.0, gap)) / speed)
        if enough.is_set():
            yield len(envelopes), last
            return
        yield after, shot_after(envelopes, after, last)
