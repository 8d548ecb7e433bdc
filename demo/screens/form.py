"""Builds the first screen: a task card like a search box, its chips, the options behind them, and the examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr
from gradio.components import Component

from agent.state import Task
from agent.task.order import Order

from ..look.theme import panel
from ..options import UiOptions
from ..panels.gallery import gallery
from ..panels.header import intro_panel, proof_points
from ..submission import checked_key, read_uploads, task_from
from .choices import Choices

_PLACEHOLDER = 'Write slugify(title): lower case, words joined by hyphens.\nslugify("Hello, World!") -> "hello-world"'
CHIPS = ("+ Code", "+ Tests", "+ Files", "Options")
_TOGGLE = "(open) => [!open, {__type__: 'update', visible: !open}]"


class Form:
    """The components of the first screen."""

    def __init__(self, options: UiOptions) -> None:
        panel("intro", str(intro_panel()))
        with gr.Column(elem_id="card"):
            self.task = gr.Textbox(
                label="Task",
                show_label=False,
                placeholder=_PLACEHOLDER,
                lines=3,
                max_lines=12,
                elem_id="task",
                container=False,
            )
            code_field, self.code = _code_field("Code to fix or extend", "code-in")
            tests_field, self.tests = _code_field("Your tests (pytest): they decide", "tests")
            with gr.Column(visible=False, elem_classes="field") as files_field:
                self.files = gr.File(
                    label="Data files, or a project as ZIP (10 MB together)",
                    file_count="multiple",
                    height=150,
                    elem_id="data",
                )
            with gr.Column(visible=False, elem_classes="field", elem_id="options") as options_field:
                self.choices = Choices(options)
            with gr.Row(elem_id="card-foot"):
                chips = [gr.Button(words, size="sm", elem_classes="chip-button", min_width=60) for words in CHIPS]
                self.run = gr.Button("Run", variant="primary", elem_id="run", min_width=90)
        self.fields = (code_field, tests_field, files_field, options_field)
        """What the chips open: code, tests, files, options."""
        _toggles(chips, self.fields)
        self.estimate = panel("estimate")
        self.ways = panel("ways")
        self.gallery = panel("gallery", str(gallery()))
        panel("points", str(proof_points()))

    @property
    def order_inputs(self) -> list[Component]:
        return [
            self.task, self.code, self.tests, self.files, *self.choices.kept, self.choices.key,
        ]  # fmt: skip

    def order(self, values: Mapping[Component, Any], owner: str) -> Order:
        """Returns the order in the form's values. Raises BadInput."""
        task = task_from(
            values[self.task] or "",
            values[self.code] or "",
            values[self.tests] or "",
            read_uploads(values[self.files] or []),
        )
        return self.chosen(task, values, owner)

    def chosen(self, task: Task, values: Mapping[Component, Any], owner: str, parent: str = "") -> Order:
        """Returns the order for a new task, or for one that follows on from `parent`, with the options as they are
        chosen. Raises BadInput."""
        chosen = self.choices
        provider = str(values[chosen.provider] or "")
        return Order(
            task,
            chosen.options(values),
            provider=provider,
            model=str(values[chosen.model] or "").strip(),
            key=checked_key(values[chosen.key] or "", provider),
            owner=owner,
            parent=parent,
        )


def _toggles(chips: list[gr.Button], fields: tuple[gr.Column, ...]) -> None:
    """Lets each chip open its field in the page itself: no server is asked, and nothing is loaded before it is
    wanted."""
    for chip, field in zip(chips, fields, strict=True):
        state = gr.Checkbox(False, visible=False, label=f"{chip.value} is open")
        chip.click(None, state, [state, field], js=_TOGGLE, api_visibility="private")


def _code_field(label: str, elem_id: str) -> tuple[gr.Column, gr.Code]:
    with gr.Column(visible=False, elem_classes="field") as field:
        code = gr.Code(label=label, language="python", lines=4, max_lines=14, elem_id=elem_id)
    return field, code
