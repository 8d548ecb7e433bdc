"""The right column: what is known about the run, panel by panel, and which of them changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import gradio as gr
from gradio.components import Component

from .panels.code import BEST, choices, diff_panel, shown_code
from .panels.evidence import evidence_card
from .panels.files import downloads, files_panel
from .panels.lists import learning_panel, suites_panel
from .panels.matrix import matrix
from .panels.pause import options_to_tick, pause_panel
from .panels.timeline import live_text, status_line, timeline_lines
from .shot import Shot

# Whoever opened a fold keeps it open when the panel changes, and a timeline that was at its end stays there.
_KEEP_JS = """
const opened = new Map();
element.addEventListener('toggle', event => {
  if (event.target.dataset.key) opened.set(event.target.dataset.key, event.target.open);
}, true);
let atEnd = true;
const box = () => element.querySelector('.timeline');
element.addEventListener('scroll', () => {
  const b = box(); if (b) atEnd = b.scrollTop + b.clientHeight >= b.scrollHeight - 40;
}, true);
watch('value', () => {
  element.querySelectorAll('details[data-key]').forEach(one => {
    if (opened.has(one.dataset.key)) one.open = opened.get(one.dataset.key);
  });
  const b = box(); if (b && atEnd) b.scrollTop = b.scrollHeight;
});
"""
_APPROVE, _CHOOSE = "Approve", "Confirm"
_TIMELINE = (
    '<ol class="timeline" role="log" aria-live="polite" aria-label="Timeline of the run" tabindex="0">${value}</ol>'
)


@dataclass(frozen=True, slots=True)
class Screen:
    """The components that a viewer writes, in the order of `frame`."""

    status: gr.HTML
    evidence: gr.HTML
    pause: gr.HTML
    answers: gr.Column
    ticks: gr.Radio
    words: gr.Textbox
    approve: gr.Button
    revise: gr.Button
    question: gr.Textbox
    resume: gr.Button
    timeline: gr.HTML
    live: gr.HTML
    code: gr.Code
    picker: gr.Dropdown
    diff: gr.HTML
    tests: gr.HTML
    matrix: gr.HTML
    learning: gr.HTML
    files: gr.HTML
    downloads: gr.HTML
    run: gr.Button
    stop: gr.Button

    @property
    def outputs(self) -> list[Component]:
        return [getattr(self, field.name) for field in fields(self)]


def panel(elem_id: str, template: str = "${value}", value: str = "") -> gr.HTML:
    return gr.HTML(
        value,
        elem_id=elem_id,
        elem_classes="sha",
        html_template=template,
        js_on_load=_KEEP_JS,
        apply_default_css=False,
    )


def build_screen(run: gr.Button, stop: gr.Button) -> tuple[Screen, gr.Button]:
    """The screen, and the button that ends a paused run."""
    empty = Shot()
    status = panel("status", value=status_line(empty.view))
    pause, answers, ticks, words, approve, revise, abort = _pause_part()
    evidence = panel("evidence", value=evidence_card(empty.view))
    downloads_html = panel("downloads")
    resume = gr.Button("Continue this run", visible=False, size="sm", elem_id="resume")
    with gr.Tabs(elem_id="panels"):
        with gr.Tab("Timeline", id="timeline"):
            live = panel("live")
            timeline = panel("timeline", _TIMELINE, timeline_lines(empty.view))
        with gr.Tab("Code", id="code"):
            picker = gr.Dropdown(choices(empty.view), value=BEST, label="Version", elem_id="picker")
            code = gr.Code(label="Program", language="python", interactive=False, max_lines=40, elem_id="code-out")
            diff = panel("diff", value=diff_panel(empty.view))
        with gr.Tab("Matrix", id="matrix"):
            matrix_html = panel("matrix", value=matrix(empty.view))
        with gr.Tab("Tests", id="tests"):
            tests = panel("tests-out", value=suites_panel(empty.view))
        with gr.Tab("Learning", id="learning"):
            learning = panel("learning", value=learning_panel(empty.view))
        with gr.Tab("Files", id="files"):
            files = panel("files", value=files_panel(empty))
    question = gr.Textbox("", visible=False, label="Question")
    screen = Screen(
        status, evidence, pause, answers, ticks, words, approve, revise, question, resume, timeline, live, code,
        picker, diff, tests, matrix_html, learning, files, downloads_html, run, stop,
    )  # fmt: skip
    return screen, abort


def _pause_part():
    pause = panel("pause")
    with gr.Column(visible=False, elem_id="answers", elem_classes="answers") as answers:
        ticks = gr.Radio([], label="Expected output", visible=False, elem_id="ticks")
        words = gr.Textbox(
            label="Your words (needed to revise)", lines=2, max_lines=6, max_length=4000, elem_id="answer-text"
        )
        with gr.Row():
            approve = gr.Button(_APPROVE, variant="primary", elem_id="approve")
            revise = gr.Button("Revise", elem_id="revise")
            abort = gr.Button("End the run", variant="stop", elem_id="abort")
    return pause, answers, ticks, words, approve, revise, abort


def frame(shot: Shot, picked: str = BEST) -> list[object]:
    """The values of `Screen.outputs` for this moment."""
    view = shot.view
    offered = options_to_tick(shot.pending)
    return [
        str(status_line(view, shot.queued)),
        str(evidence_card(view)),
        str(pause_panel(shot)),
        gr.update(visible=shot.pending is not None),
        gr.update(choices=offered, visible=bool(offered), value=None),
        gr.update(visible=not offered),
        gr.update(value=_CHOOSE if offered else _APPROVE),
        gr.update(visible=not offered),
        shot.pending.id if shot.pending else "",
        gr.update(visible=shot.status == "stopped"),
        str(timeline_lines(view)),
        str(live_text(view)),
        shown_code(view, picked),
        gr.update(choices=choices(view), value=picked),
        str(diff_panel(view, picked)),
        str(suites_panel(view)),
        str(matrix(view)),
        str(learning_panel(view)),
        str(files_panel(shot)),
        str(downloads(shot)),
        gr.update(interactive=not shot.busy),
        gr.update(interactive=shot.busy),
    ]


def changed(old: list[object] | None, new: list[object]) -> list[object]:
    """Only what differs from the last frame is sent."""
    if old is None:
        return new
    return [gr.skip() if before == after else after for before, after in zip(old, new, strict=True)]


def idle(components: Iterable[object]) -> list[object]:
    return [gr.skip() for _ in components]
