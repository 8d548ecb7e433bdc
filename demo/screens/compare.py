"""Builds the comparison: two programs side by side, of one run or of two runs of this browser."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr

from agent.outcome.words import verdict_words

from ..look.theme import panel
from ..panels.compare import ComparedProgram
from ..view.facts import handed_back
from ..view.names import attempt_names
from ..view.shot import Shot
from ..view.summary import Summary

_BETWEEN = "/"
"""The sign between run and attempt in the value of a choice. No id holds this sign."""
Offered = list[tuple[str, str]]
"""The choices, as (words, value)."""


class Compare:
    """The components of the comparison."""

    def __init__(self) -> None:
        with gr.Column(visible=False, elem_id="compare") as self.box:
            with gr.Row():
                self.left = gr.Dropdown([], label="Compare", elem_id="compare-left")
                self.right = gr.Dropdown([], label="with", elem_id="compare-right")
                self.close = gr.Button("Close", size="sm", min_width=70, scale=0, elem_id="compare-close")
            self.shown = panel("compared")


def offered(shot: Shot, others: Sequence[Summary]) -> tuple[Offered, str, str]:
    """Returns (words, value) of everything that can be compared, and the two values at the start: the program that is
    handed back, and the one from which it was made, else the first one."""
    names = attempt_names(shot.view)
    own = [(words, f"{shot.link_ref}{_BETWEEN}{name}") for name, words in names.items()]
    runs = [(_run_words(one), f"{one.run_id}{_BETWEEN}") for one in others if one.run_id != shot.run_id and one.verdict]
    best = handed_back(shot.view)
    written = shot.view.candidate(best)
    before = written.parent if written and written.parent else next(iter(names), "")
    if before == best and runs:
        return [*own, *runs], runs[0][1], f"{shot.link_ref}{_BETWEEN}{best}"
    return [*own, *runs], f"{shot.link_ref}{_BETWEEN}{before}", f"{shot.link_ref}{_BETWEEN}{best}"


def _run_words(row: Summary) -> str:
    title = row.title if len(row.title) <= 60 else row.title[:59] + "…"
    return f"{title} ({verdict_words(row.verdict)})"


def run_of(value: str) -> str:
    return value.partition(_BETWEEN)[0]


def side_of(value: str, shot: Shot) -> ComparedProgram:
    """Returns the chosen program. A value without an attempt means the program that was handed back."""
    attempt = value.partition(_BETWEEN)[2] or handed_back(shot.view)
    return ComparedProgram(shot, attempt)
