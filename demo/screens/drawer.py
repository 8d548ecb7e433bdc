"""Builds the drawer with the history and its search fields."""

from __future__ import annotations

import gradio as gr

from ..look.theme import panel
from ..panels.history import history_head

PAGE = 15
"""How many runs are listed at a time."""
FILTERS = [
    ("All verdicts", ""), ("Verified", "verified"), ("Partly verified", "partly_verified"),
    ("Unverified", "unverified"), ("Failed", "failed"),
]  # fmt: skip


class HistoryDrawer:
    def __init__(self) -> None:
        panel("drawer-head", str(history_head()))
        words = "Search the runs"
        self.search = gr.Textbox(
            show_label=False, label=words, placeholder=words, max_lines=1, elem_id="history-search"
        )
        self.verdict = gr.Dropdown(FILTERS, value="", label="Verdict", show_label=False, elem_id="history-verdict")
        self.shown = gr.Number(PAGE, visible=False, label="Rows")
        """How many rows are asked for. It grows by a page at a time."""
        self.rows = panel("history")
