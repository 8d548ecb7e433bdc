"""The field under a finished run: what comes next, with its program, files and checks along."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from ..view.shot import Shot

_PLACEHOLDER = "Go on from here: make it handle floats, add unit tests, explain it"


@dataclass(frozen=True, slots=True)
class Onward:
    box: gr.Row
    words: gr.Textbox
    start: gr.Button


def build_onward() -> Onward:
    with gr.Row(visible=False, elem_id="onward") as box:
        words = gr.Textbox(
            label="Go on from here",
            show_label=False,
            container=False,
            placeholder=_PLACEHOLDER,
            lines=1,
            max_lines=6,
            scale=4,
            elem_id="onward-words",
        )
        start = gr.Button("Go on", variant="primary", size="sm", scale=0, min_width=90, elem_id="onward-start")
    return Onward(box, words, start)


def onward_frame(shot: Shot) -> object:
    """There once the run has ended with a program."""
    outcome = shot.view.outcome
    return gr.update(visible=bool(shot.run_id and outcome is not None and outcome["code"]))
