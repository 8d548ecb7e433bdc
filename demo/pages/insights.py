"""Builds the insights page: figures and plots over the runs of this browser."""

from __future__ import annotations

from typing import Any

import gradio as gr
import pandas as pd

from demo.desk import Desk
from demo.doors.api import headers_of
from demo.look.markup import tag
from demo.look.theme import panel
from demo.panels.insights import (
    Columns,
    cost_by_model,
    failure_classes,
    insights_panel,
    seconds_by_kind,
    verdict_counts,
)
from demo.presses.admission import Admission, refuses

from .frame import QUIET, UNLOCK, browser_name, page_at

COUNTED = 500
"""How many runs are counted, newest first."""


def insights_page(page: gr.Blocks, desk: Desk, admission: Admission, storage: tuple[str, str]) -> None:
    gate = admission.gate
    with page_at(page, gate, "Insights"):
        stored, named = browser_name(page, storage)
        everyone = gr.Checkbox(False, label="Runs of all browsers (with the key of this app)", visible=gate.keyed)
        figures = panel("insights", str(tag("p", "Counting the runs of this browser.", cls="hint")))
        plots = _build_plots()

        @refuses("Not counted")
        async def fill(kept: dict[str, str] | None, of_all: bool, request: gr.Request):
            admission.enter(request)
            owner = None if of_all and gate.is_keeper(headers_of(request)) else admission.who(kept, request).owner
            rows = await desk.history(owner, limit=COUNTED)
            drawn = (verdict_counts, failure_classes, cost_by_model, seconds_by_kind)
            return [str(insights_panel(rows)), *(_plotted(draw(rows)) for draw in drawn)]

        outputs = [figures, *plots]
        loaded = named.success(fill, [stored, everyone], outputs, **QUIET)
        loaded.success(None, None, None, js=UNLOCK, api_visibility="private")
        everyone.change(fill, [stored, everyone], outputs, **QUIET)


def _plotted(table: Columns) -> Any:
    """Returns the update of one plot. A plot without data is hidden."""
    drawn = pd.DataFrame(table)
    return gr.update(value=drawn, visible=not drawn.empty)


def _build_plots() -> list[gr.BarPlot]:
    """Returns the plots, in the order in which `fill` draws them."""
    # On a phone each plot has the whole width.
    shape: dict[str, Any] = {"height": 240, "y_lim": [0, None], "min_width": 320, "visible": False}
    with gr.Row():
        verdicts = gr.BarPlot(x="verdict", y="runs", title="Verdicts", **shape)
        failures = gr.BarPlot(x="failure", y="times", title="What went wrong first", **shape)
    with gr.Row():
        models = gr.BarPlot(x="model", y="tokens", title="Tokens a run, by model", **shape)
        kinds = gr.BarPlot(x="kind", y="seconds", title="Seconds a run, by kind of task", **shape)
    return [verdicts, failures, models, kinds]
