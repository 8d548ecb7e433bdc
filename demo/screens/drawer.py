"""The drawer with the history: its fields, and which event asks for which part of the list."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from ..look.slot import panel
from ..panels.history import history_head

PAGE = 15
"""Runs listed at a time."""
FILTERS = [
    ("All verdicts", ""), ("Verified", "verified"), ("Partly verified", "partly_verified"),
    ("Unverified", "unverified"), ("Failed", "failed"),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class HistoryDrawer:
    search: gr.Textbox
    verdict: gr.Dropdown
    shown: gr.Number
    """How many rows are asked for; grows by a page at a time."""
    rows: gr.HTML


def build_drawer() -> HistoryDrawer:
    panel("drawer-head", str(history_head()))
    search = gr.Textbox(
        show_label=False, label="Search the runs", placeholder="Search the runs", max_lines=1, elem_id="history-search"
    )
    verdict = gr.Dropdown(FILTERS, value="", label="Verdict", show_label=False, elem_id="history-verdict")
    shown = gr.Number(PAGE, visible=False, label="Rows")
    return HistoryDrawer(search, verdict, shown, panel("history"))
