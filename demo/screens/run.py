"""The run screen, panel by panel, and which of them changed: the same for live, paused, ended and shared runs."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, fields
from typing import Any

import gradio as gr
from gradio.components import Component

from ..look.slot import panel
from ..panels.bar import actions_panel, meters_panel, title_panel
from ..panels.dialogue import links_panel
from ..panels.folds import folds_panel
from ..panels.pause import pause_panel
from ..panels.program import program_panel
from ..panels.proof import proof_panel
from ..panels.strip import verdict_strip
from ..panels.timeline import timeline_panel
from ..view.shot import Shot
from .answers import Answers, answers_frame, build_answers
from .compare import Compare, build_compare
from .editor import Editor, build_editor
from .onward import Onward, build_onward, onward_frame
from .player import Player, build_player


@dataclass(frozen=True, slots=True)
class Screen:
    """The components that a viewer writes, in the order of `frame`."""

    title: gr.HTML
    meters: gr.HTML
    actions: gr.HTML
    strip: gr.HTML
    pause: gr.HTML
    answers: Answers
    program: gr.HTML
    proof: gr.HTML
    onward: Onward
    timeline: gr.HTML
    folds: gr.HTML
    links: gr.HTML

    @property
    def outputs(self) -> list[Component]:
        parts = [getattr(self, field.name) for field in fields(self)]
        return [one for part in parts for one in _components(part)]


def _components(part: Any) -> list[Any]:
    if isinstance(part, Onward):
        return [part.box]
    return part.outputs if isinstance(part, Answers) else [part]


def build_screen() -> tuple[Screen, Editor, Player, Compare]:
    """The screen, the editor, the bar that plays a run again, and the comparison."""
    empty = Shot()
    with gr.Row(elem_id="bar"):
        title = panel("title", title_panel(empty))
        meters = panel("meters")
        actions = panel("actions")
    player = build_player()
    compare = build_compare()
    strip = panel("strip", verdict_strip(empty))
    pause = panel("pause")
    answers = build_answers()
    with gr.Row(elem_id="work", equal_height=False):
        with gr.Column(elem_id="left", min_width=320):
            program = panel("program", program_panel(empty))
            editor = build_editor()
        with gr.Column(elem_id="right", min_width=320):
            proof = panel("proof", proof_panel(empty.view))
    onward = build_onward()
    timeline = panel("timeline", timeline_panel(empty.view))
    folds = panel("folds")
    links = panel("links")
    screen = Screen(title, meters, actions, strip, pause, answers, program, proof, onward, timeline, folds, links)
    return screen, editor, player, compare


def frame(shot: Shot) -> list[object]:
    """The values of `Screen.outputs` for this moment."""
    view = shot.view
    return [
        str(title_panel(shot)),
        str(meters_panel(view)),
        str(actions_panel(shot)),
        str(verdict_strip(shot)),
        str(pause_panel(shot)),
        *answers_frame(shot),
        str(program_panel(shot)),
        str(proof_panel(view)),
        onward_frame(shot),
        str(timeline_panel(view, ask=shot.mine and bool(shot.run_id) and not shot.busy)),
        str(folds_panel(view)),
        str(links_panel(shot)),
    ]


def nothing_new() -> list[object]:
    """A frame that leaves everything as it is."""
    return [gr.skip() for _ in frame(Shot())]


def changed(old: list[object] | None, new: list[object]) -> list[object]:
    """Only what differs from the last frame is sent, as copies: Gradio empties the updates that it is given."""
    if old is None:
        return [copy(now) for now in new]
    return [gr.skip() if was == now else copy(now) for was, now in zip(old, new, strict=True)]
