"""The program in the person's own hands: edited in place, checked again, or taken as the start of a new run."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from ..look.slot import panel


@dataclass(frozen=True, slots=True)
class Editor:
    box: gr.Column
    code: gr.Code
    check: gr.Button
    start: gr.Button
    close: gr.Button
    told: gr.HTML
    attempt: gr.Textbox
    """Which attempt of the run is edited."""


def build_editor() -> Editor:
    with gr.Column(visible=False, elem_id="editor") as box:
        code = gr.Code(
            label="Your edit", language="python", lines=15, max_lines=28, wrap_lines=True, elem_id="editor-code"
        )
        told = panel("recheck")
        attempt = gr.Textbox("", visible=False, label="Attempt")
        with gr.Row():
            check = gr.Button("Check it again", variant="primary", size="sm", elem_id="editor-check")
            start = gr.Button("Start a run from this code", size="sm", elem_id="editor-start")
            close = gr.Button("Close", size="sm", elem_id="editor-close")
    return Editor(box, code, check, start, close, told, attempt)
