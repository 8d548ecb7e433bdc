"""The field under a finished run: what comes next, with its program, files and checks along."""

from __future__ import annotations

from typing import Any

import gradio as gr

from ..view.shot import Shot

_PLACEHOLDER = "Go on from here: make it handle floats, add unit tests, explain it"


class Onward:
    def __init__(self) -> None:
        shape: dict[str, Any] = {"show_label": False, "container": False, "lines": 1, "max_lines": 6, "scale": 4}
        with gr.Row(visible=False, elem_id="onward") as self.box:
            self.words = gr.Textbox(label="Go on from here", placeholder=_PLACEHOLDER, elem_id="onward-words", **shape)
            self.start = gr.Button("Go on", variant="primary", size="sm", scale=0, min_width=90, elem_id="onward-start")


def onward_frame(shot: Shot) -> object:
    """There once the run has ended with a program."""
    outcome = shot.view.outcome
    return gr.update(visible=bool(shot.run_id and outcome is not None and outcome["code"]))
