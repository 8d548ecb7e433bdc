"""The program in the person's own hands: edited in place, checked again, or taken as the start of a new run."""

from __future__ import annotations

import gradio as gr

from ..look.slot import panel


class Editor:
    def __init__(self) -> None:
        with gr.Column(visible=False, elem_id="editor") as self.box:
            self.code = gr.Code(
                label="Your edit", language="python", lines=15, max_lines=28, wrap_lines=True, elem_id="editor-code"
            )
            self.told = panel("recheck")
            self.attempt = gr.Textbox("", visible=False, label="Attempt")
            """Which attempt of the run is edited."""
            with gr.Row():
                self.check = gr.Button("Check it again", variant="primary", size="sm", elem_id="editor-check")
                self.start = gr.Button("Start a run from this code", size="sm", elem_id="editor-start")
                self.close = gr.Button("Close", size="sm", elem_id="editor-close")
