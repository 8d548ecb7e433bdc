"""Sets fonts, colours and corners (Gradio's variables here, our own in static/), and makes places for our panels."""

from __future__ import annotations

import gradio as gr
from gradio.themes import Base

from .assets import PAGE, PANEL_JS, PANELS, TOKENS

CSS = TOKENS + PAGE + PANELS
_SANS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")


def theme() -> Base:
    """Returns the theme. It uses system fonts only, so that nothing is fetched from elsewhere."""
    return Base(
        primary_hue="teal", secondary_hue="teal", neutral_hue="slate", radius_size="md", font=_SANS, font_mono=_MONO
    ).set(
        body_background_fill="*neutral_50",
        body_background_fill_dark="*neutral_950",
        block_background_fill="white",
        block_background_fill_dark="*neutral_900",
        block_border_color="*neutral_200",
        block_border_color_dark="*neutral_800",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_300",
        input_placeholder_color="*neutral_600",
        input_placeholder_color_dark="*neutral_400",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover_dark="*primary_800",
        button_primary_text_color="white",
        button_primary_text_color_dark="white",
    )


def panel(elem_id: str, value: str = "") -> gr.HTML:
    """Returns a panel. When its text changes, what the person opened in it stays open."""
    return gr.HTML(value, elem_id=elem_id, elem_classes="sha", js_on_load=PANEL_JS, apply_default_css=False)
