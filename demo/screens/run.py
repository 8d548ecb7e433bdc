"""Builds the run screen panel by panel, and finds which panels changed.

It is the same for live, paused, ended and shared runs.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import gradio as gr
from gradio.blocks import BlockContext
from gradio.components import Component

from ..look.theme import panel
from ..panels.bar import actions_panel, meters_panel, title_panel
from ..panels.dialogue import links_panel
from ..panels.folds import folds_panel
from ..panels.matrix import proof_panel
from ..panels.pause import pause_panel
from ..panels.program import program_panel
from ..panels.strip import verdict_strip
from ..panels.timeline import timeline_panel
from ..view.shot import Shot
from .answers import Answers, answers_frame
from .compare import Compare
from .player import Player

_PLACEHOLDER = "Go on from here: make it handle floats, add unit tests, explain it"


class Editor:
    """The components in which an attempt is edited."""

    def __init__(self) -> None:
        with gr.Column(visible=False, elem_id="editor") as self.box:
            self.code = gr.Code(
                label="Your edit", language="python", lines=15, max_lines=28, wrap_lines=True, elem_id="editor-code"
            )
            self.told = panel("recheck")
            self.attempt = gr.Textbox("", visible=False, label="Attempt")
            """The attempt of the run that is edited."""
            with gr.Row():
                self.check = gr.Button("Check it again", variant="primary", size="sm", elem_id="editor-check")
                self.start = gr.Button("Start a run from this code", size="sm", elem_id="editor-start")
                self.close = gr.Button("Close", size="sm", elem_id="editor-close")


class Onward:
    """The components with which a person goes on from a run."""

    def __init__(self) -> None:
        shape: dict[str, Any] = {"show_label": False, "container": False, "lines": 1, "max_lines": 6, "scale": 4}
        with gr.Row(visible=False, elem_id="onward") as self.box:
            self.words = gr.Textbox(label="Go on from here", placeholder=_PLACEHOLDER, elem_id="onward-words", **shape)
            self.start = gr.Button("Go on", variant="primary", size="sm", scale=0, min_width=90, elem_id="onward-start")


def onward_frame(shot: Shot) -> object:
    """Returns the update of the follow-up field, which appears once the run has ended with a program."""
    outcome = shot.view.conclusion
    return gr.update(visible=bool(shot.run_id and outcome is not None and outcome.code))


class Screen:
    """The components of the run screen."""

    def __init__(self) -> None:
        empty = Shot()
        with gr.Row(elem_id="bar"):
            self.title = panel("title", title_panel(empty))
            self.meters = panel("meters")
            self.actions = panel("actions")
        self.player = Player()
        self.compare = Compare()
        self.strip = panel("strip", verdict_strip(empty))
        self.pause = panel("pause")
        self.answers = Answers()
        with gr.Row(elem_id="work", equal_height=False):
            with gr.Column(elem_id="left", min_width=320):
                self.program = panel("program", program_panel(empty))
                self.editor = Editor()
            with gr.Column(elem_id="right", min_width=320):
                self.proof = panel("proof", proof_panel(empty.view))
        self.onward = Onward()
        self.timeline = panel("timeline", timeline_panel(empty.view))
        self.folds = panel("folds")
        self.links = panel("links")

    @property
    def outputs(self) -> list[Component | BlockContext]:
        """The components that a viewer writes, in the order of `frame`."""
        above = [self.title, self.meters, self.actions, self.strip, self.pause, *self.answers.outputs]
        return [*above, self.program, self.proof, self.onward.box, self.timeline, self.folds, self.links]


def frame(shot: Shot) -> list[object]:
    """Returns the values of `Screen.outputs` for this moment."""
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
    return [gr.skip() for _ in frame(Shot())]


def changed(old: list[object] | None, new: list[object]) -> list[object]:
    """Returns the values that differ from the last frame, as copies, because Gradio empties the updates that it
    gets."""
    if old is None:
        return [copy(now) for now in new]
    return [gr.skip() if was == now else copy(now) for was, now in zip(old, new, strict=True)]
