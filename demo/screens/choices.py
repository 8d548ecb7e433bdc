"""Builds the options of a run: who writes, how often it asks, and its limits.

The browser remembers all of them but the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr
from gradio.components import Component

from ..look.theme import panel
from ..options import UiOptions

AUTONOMY_CHOICES = [
    ("Full auto: never pause", "full_auto"),
    ("Review repairs: ask before each repair", "review_repairs"),
    ("Review all: ask before anything is written", "review_all"),
]
REVIEW_CHOICES = [("Of hard tasks", "auto"), ("Always", "always"), ("Never", "never")]
LOCAL: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
"""The settings of events that never leave the page."""


class Choices:
    """The components of the options."""

    def __init__(self, options: UiOptions) -> None:
        with gr.Row():
            self.provider = gr.Dropdown(
                list(options.providers), value=options.provider, label="Who writes", elem_id="provider"
            )
            self.model = gr.Textbox(
                label="Model", placeholder="the service's default", max_lines=1, elem_id="model-name"
            )
        self.key = gr.Textbox(
            label="Your API key",
            type="password",
            placeholder="only if none is configured",
            info="Kept in the memory of this server for this run only; never stored, logged or sent elsewhere.",
            max_lines=1,
            max_length=400,
            elem_id="key",
        )
        self.check = gr.Button("Test connection", size="sm", elem_id="check")
        self.checked = panel("checked")
        self.autonomy = gr.Radio(AUTONOMY_CHOICES, value="full_auto", label="How often it asks you", elem_id="autonomy")
        with gr.Row():
            self.repairs = gr.Slider(0, 4, 4, step=1, label="Repairs, at most", elem_id="repairs")
            self.strategies = gr.Slider(
                1, 3, 1, step=1, label="Repair strategies tried in parallel", elem_id="strategies"
            )
        with gr.Row():
            self.budget_usd = gr.Number(0, label="Budget, US dollars (0: none)", minimum=0, elem_id="budget-usd")
            self.budget_calls = gr.Number(
                40, label="Budget, model calls", precision=0, minimum=1, elem_id="budget-calls"
            )
        self.review = gr.Dropdown(REVIEW_CHOICES, value="auto", label="Review before the first run", elem_id="review")
        self.memory = gr.Checkbox(
            options.memory,
            label="Remember lessons",
            info="What repairs taught is kept for you, and told as a hint to your later runs on similar tasks.",
            elem_id="remember",
        )

        self.web_search = gr.Checkbox(
            False,
            label="Search the web",
            info="Whoever writes or debugs programs may, where their service can; those who write tests never do.",
            visible=options.web_search,
            elem_id="web-search",
        )
        self.may_search = options.web_search

    @property
    def kept(self) -> list[Component]:
        """The components that the browser remembers, which the key is not."""
        return [
            self.provider, self.model, self.autonomy, self.repairs, self.strategies, self.budget_usd, self.budget_calls,
            self.review, self.memory, self.web_search,
        ]  # fmt: skip

    def options(self, values: Mapping[Component, Any]) -> dict[str, Any]:
        """Returns the chosen options as fields of the agent's configuration."""
        calls = values[self.budget_calls]
        return {
            "autonomy": values[self.autonomy],
            "max_repairs": int(values[self.repairs]),
            "strategies": int(values[self.strategies]),
            "budget_usd": values[self.budget_usd] or None,
            "budget_calls": int(calls) if calls else None,
            "review": values[self.review],
            "memory": bool(values[self.memory]),
            # The browser may remember a wish from a time when the web could be searched.
            "web_search": self.may_search and bool(values[self.web_search]),
        }


def remember(page: gr.Blocks, choices: Choices) -> None:
    """Keeps each change in the browser itself, where it is read at the next visit. No server is asked."""
    fields = choices.kept
    for field in fields:
        field.change(None, fields, None, js="(...now) => window.keepChoices(now)", **LOCAL)  # pyright: ignore[reportAttributeAccessIssue]
    page.load(None, fields, fields, js="(...now) => window.keptChoices(now)", **LOCAL)
