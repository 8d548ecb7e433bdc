"""The left column: what the person wants, and how it should be worked on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component

from .desk import Scenario
from .intake import Order, checked_key, read_uploads, task_from
from .markup import div, join, span, tag
from .options import UiOptions

AUTONOMY_CHOICES = [
    ("Full auto: never pause", "full_auto"),
    ("Review repairs: ask before each repair", "review_repairs"),
    ("Review all: ask before anything is written", "review_all"),
]
_PICK_JS = """
element.addEventListener('click', event => {
  const card = event.target.closest('button[data-name]');
  if (card) trigger('click', {name: card.dataset.name});
});
"""


@dataclass(frozen=True, slots=True)
class Form:
    """The components of the left column."""

    gallery: gr.HTML
    task: gr.Textbox
    code: gr.Code
    tests: gr.Code
    files: gr.File
    provider: gr.Dropdown
    model: gr.Textbox
    key: gr.Textbox
    check: gr.Button
    checked: gr.HTML
    autonomy: gr.Radio
    strategies: gr.Slider
    repairs: gr.Slider
    budget_usd: gr.Number
    budget_calls: gr.Number
    run: gr.Button
    stop: gr.Button

    @property
    def order_inputs(self) -> list[Component]:
        return [
            self.task, self.code, self.tests, self.files, self.provider, self.model, self.key,
            self.autonomy, self.repairs, self.strategies, self.budget_usd, self.budget_calls,
        ]  # fmt: skip

    def order(self, values: Mapping[Component, Any], owner: str) -> Order:
        """The order in the form's values. Raises BadInput."""
        provider = str(values[self.provider] or "")
        calls = values[self.budget_calls]
        return Order(
            task_from(
                values[self.task] or "",
                values[self.code] or "",
                values[self.tests] or "",
                read_uploads(values[self.files] or []),
            ),
            {
                "autonomy": values[self.autonomy],
                "max_repairs": int(values[self.repairs]),
                "strategies": int(values[self.strategies]),
                "budget_usd": values[self.budget_usd] or None,
                "budget_calls": int(calls) if calls else None,
            },
            provider=provider,
            model=str(values[self.model] or "").strip(),
            key=checked_key(values[self.key] or "", provider),
            owner=owner,
        )


def build_form(options: UiOptions) -> Form:
    task = gr.Textbox(
        label="Task",
        placeholder="A Python function, class or script in plain words. Examples such as f(2) -> 4 become checks.",
        lines=5,
        max_lines=16,
        elem_id="task",
    )
    with gr.Row(elem_classes="actions"):
        run = gr.Button("Run", variant="primary", elem_id="run")
        stop = gr.Button("Stop", variant="stop", interactive=False, elem_id="stop")
    with gr.Accordion("Your tests, code and data", open=False, elem_id="extras"):
        tests = gr.Code(
            label="Your tests (pytest): they decide", language="python", lines=4, max_lines=14, elem_id="tests"
        )
        code = gr.Code(label="Code to fix or extend", language="python", lines=4, max_lines=14, elem_id="code-in")
        files = gr.File(label="Data files (10 MB together)", file_count="multiple", height=120, elem_id="data")
    provider, model, key, check, checked = _model_part(options)
    autonomy, strategies, repairs, budget_usd, budget_calls = _manner_part()
    gr.HTML(tag("h3", "Examples", cls="column-head"), elem_classes="sha")
    gallery = gr.HTML("", elem_id="gallery", js_on_load=_PICK_JS, elem_classes="sha", apply_default_css=False)
    return Form(
        gallery, task, code, tests, files, provider, model, key, check, checked,
        autonomy, strategies, repairs, budget_usd, budget_calls, run, stop,
    )  # fmt: skip


def _model_part(options: UiOptions):
    with gr.Accordion("Model", open=False, elem_id="model"):
        provider = gr.Dropdown(
            list(options.providers),
            value=options.provider,
            label="Provider",
            elem_id="provider",
        )
        model = gr.Textbox(label="Model", placeholder="the provider's default", max_lines=1, elem_id="model-name")
        key = gr.Textbox(
            label="Your API key",
            type="password",
            placeholder="only if none is configured",
            info="Kept in the memory of this server for this run only; never stored, logged or sent elsewhere.",
            max_lines=1,
            max_length=400,
            elem_id="key",
        )
        check = gr.Button("Test connection", size="sm", elem_id="check")
        checked = gr.HTML("", elem_id="checked", elem_classes="sha", apply_default_css=False)
    return provider, model, key, check, checked


def _manner_part():
    with gr.Accordion("Manner of working", open=False, elem_id="manner"):
        autonomy = gr.Radio(AUTONOMY_CHOICES, value="full_auto", label="Autonomy", elem_id="autonomy")
        repairs = gr.Slider(0, 4, 4, step=1, label="Repairs, at most", elem_id="repairs")
        strategies = gr.Slider(1, 3, 1, step=1, label="Repair strategies tried in parallel", elem_id="strategies")
        with gr.Row():
            budget_usd = gr.Number(0, label="Budget, US dollars (0: none)", minimum=0, elem_id="budget-usd")
            budget_calls = gr.Number(40, label="Budget, model calls", precision=0, minimum=1, elem_id="budget-calls")
    return autonomy, strategies, repairs, budget_usd, budget_calls


def gallery_html(scenarios: Sequence[Scenario]) -> str:
    """Cards to click; each fills the form and starts nothing."""
    cards = [
        tag(
            "button",
            span("card-name", one.name.replace("_", " ").replace("-", " ")),
            span("card-shows", one.shows),
            cls="example",
            type="button",
            data_name=one.name,
            title=one.task[:300],
        )
        for one in scenarios
    ]
    note = tag("p", "Played by the scripted demo model; checks, sandbox and verdict run live.", cls="hint")
    return div("gallery", *cards) + note if cards else join(())
