"""Makes a place on the page for one of our panels."""

from __future__ import annotations

import gradio as gr

from .assets import PANEL_JS


def panel(elem_id: str, value: str = "") -> gr.HTML:
    """Returns a panel. When its text changes, what the person opened in it stays open."""
    return gr.HTML(value, elem_id=elem_id, elem_classes="sha", js_on_load=PANEL_JS, apply_default_css=False)
