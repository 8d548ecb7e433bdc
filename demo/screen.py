"""The run screen, panel by panel, and which of them changed: the same for live, paused, ended and shared runs."""

from __future__ import annotations

from dataclasses import dataclass, fields

import gradio as gr
from gradio.components import Component

from .editor import Editor, build_editor
from .panels.bar import actions_panel, meters_panel, title_panel
from .panels.folds import folds_panel
from .panels.output import output_panel
from .panels.pause import options_to_tick, pause_panel
from .panels.program import program_panel
from .panels.proof import proof_panel
from .panels.strip import verdict_strip
from .panels.timeline import timeline_panel
from .player import Player, build_player
from .shot import Shot
from .slot import panel

_APPROVE, _CHOOSE = "Approve", "Confirm"


@dataclass(frozen=True, slots=True)
class Screen:
    """The components that a viewer writes, in the order of `frame`."""

    title: gr.HTML
    meters: gr.HTML
    actions: gr.HTML
    strip: gr.HTML
    pause: gr.HTML
    answers: gr.Column
    ticks: gr.Radio
    words: gr.Textbox
    approve: gr.Button
    revise: gr.Button
    question: gr.Textbox
    output: gr.HTML
    program: gr.HTML
    proof: gr.HTML
    timeline: gr.HTML
    folds: gr.HTML

    @property
    def outputs(self) -> list[Component]:
        return [getattr(self, field.name) for field in fields(self)]


def build_screen() -> tuple[Screen, gr.Button, Editor, Player]:
    """The screen, the button that ends a paused run, the editor, and the bar that plays a run again."""
    empty = Shot()
    with gr.Row(elem_id="bar"):
        title = panel("title", title_panel(empty))
        meters = panel("meters")
        actions = panel("actions")
    player = build_player()
    strip = panel("strip", verdict_strip(empty))
    pause, answers, ticks, words, approve, revise, abort = _pause_part()
    with gr.Row(elem_id="work", equal_height=False):
        with gr.Column(elem_id="left", min_width=320):
            output = panel("output")
            program = panel("program", program_panel(empty))
            editor = build_editor()
        with gr.Column(elem_id="right", min_width=320):
            proof = panel("proof", proof_panel(empty.view))
    timeline = panel("timeline", timeline_panel(empty.view))
    folds = panel("folds")
    question = gr.Textbox("", visible=False, label="Question")
    screen = Screen(
        title, meters, actions, strip, pause, answers, ticks, words, approve, revise, question, output, program, proof,
        timeline, folds,
    )  # fmt: skip
    return screen, abort, editor, player


def _pause_part():
    pause = panel("pause")
    with gr.Column(visible=False, elem_id="answers", elem_classes="answers") as answers:
        ticks = gr.Radio([], label="Expected output", visible=False, elem_id="ticks")
        words = gr.Textbox(
            label="What should be different (needed to revise)",
            lines=2,
            max_lines=6,
            max_length=4000,
            elem_id="answer-text",
        )
        with gr.Row():
            approve = gr.Button(_APPROVE, variant="primary", elem_id="approve")
            revise = gr.Button("Revise", elem_id="revise")
            abort = gr.Button("End the run", variant="stop", elem_id="abort")
    return pause, answers, ticks, words, approve, revise, abort


def frame(shot: Shot) -> list[object]:
    """The values of `Screen.outputs` for this moment."""
    view = shot.view
    offered = options_to_tick(shot.pending)
    return [
        str(title_panel(shot)),
        str(meters_panel(view)),
        str(actions_panel(shot)),
        str(verdict_strip(shot)),
        str(pause_panel(shot)),
        gr.update(visible=shot.pending is not None and shot.mine),
        gr.update(choices=offered, visible=bool(offered), value=None),
        gr.update(visible=not offered),
        gr.update(value=_CHOOSE if offered else _APPROVE),
        gr.update(visible=not offered),
        shot.pending.id if shot.pending else "",
        str(output_panel(shot)),
        str(program_panel(shot)),
        str(proof_panel(view)),
        str(timeline_panel(view)),
        str(folds_panel(view)),
    ]


def changed(old: list[object] | None, new: list[object]) -> list[object]:
    """Only what differs from the last frame is sent."""
    if old is None:
        return new
    return [gr.skip() if before == after else after for before, after in zip(old, new, strict=True)]
