"""Builds the fields in which a person answers a paused run.

An answer is a choice, words, a file, or the proposed program as the person changed it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import gradio as gr
from gradio.blocks import BlockContext
from gradio.components import Component

from agent.outcome.words import ORIGIN_WORDS
from agent.state.questions import Payload, QuestionKind

from ..view.names import attempt_names
from ..view.shot import Shot

MAX_ANSWER_CHARS = 200_000
"""The most characters of an answer. A file may be pasted instead of uploaded."""
_TICK, _WORDS, _FILE, _EDIT = "tick", "words", "file", "edit"


@dataclass(frozen=True, slots=True)
class _AnswerForm:
    """How a kind of question can be answered, apart from ending the run."""

    approve: str
    revise: str = ""
    words: str = ""
    """The label over the field for words; "" if there is no such field."""
    also: tuple[str, ...] = ()


_REVISE = ("Approve", "Revise", "What should be different (needed to revise)")
_FORMS: Mapping[QuestionKind, _AnswerForm] = {
    "review_plan": _AnswerForm(*_REVISE),
    "review_repair": _AnswerForm(*_REVISE, also=(_EDIT,)),
    "ambiguous": _AnswerForm("Confirm", also=(_TICK,)),
    "clarify": _AnswerForm("Confirm", "Answer in my words", "Or in your own words", also=(_TICK,)),
    "missing_packages": _AnswerForm("Install for this run"),
    "missing_file": _AnswerForm("Go on without it", "Hand it in", "Or paste its content", also=(_FILE,)),
}


class Answers:
    """The components of a pause."""

    def __init__(self) -> None:
        with gr.Column(visible=False, elem_id="answers", elem_classes="answers") as self.box:
            self.ticks = gr.Radio([], label="Your choice", visible=False, elem_id="ticks")
            self.files = gr.File(
                label="The missing file", file_count="multiple", height=110, visible=False, elem_id="answer-files"
            )
            self.words = gr.Textbox(
                label="Your words", lines=1, max_lines=8, max_length=MAX_ANSWER_CHARS, elem_id="answer-text"
            )
            with gr.Accordion("Change it yourself", open=False, visible=False, elem_id="answer-edit") as self.edit:
                self.code = gr.Code(
                    label="The program as proposed", language="python", lines=8, max_lines=24, elem_id="answer-code"
                )
                self.take = gr.Button("Use my version", size="sm", elem_id="take")
            with gr.Row():
                self.approve = gr.Button("Approve", variant="primary", elem_id="approve")
                self.revise = gr.Button("Revise", elem_id="revise")
                self.abort = gr.Button("End the run", variant="stop", elem_id="abort")
        self.question = gr.Textbox("", visible=False, label="Question")

    @property
    def outputs(self) -> list[Component | BlockContext]:
        """The components that change, in the order of `answers_frame`."""
        shown = [self.box, self.ticks, self.files, self.words, self.edit, self.code, self.approve, self.revise]
        return [*shown, self.question]


def _offered(shot: Shot, payload: Payload) -> list[tuple[str, str]]:
    """Returns (words, answer) for each answer to choose from; the words say who gives it if that is known."""
    by, names = payload.get("by", {}), attempt_names(shot.view)
    origins = {check.id: ORIGIN_WORDS[suite.origin] for suite, check in shot.view.checks}
    told: list[tuple[str, str]] = []
    for answer in payload.get("options", []):
        who = [names.get(one) or f"a check {origins.get(one, '')}".strip() for one in by.get(answer, [])]
        told.append((f"{answer}   ({', '.join(who)})" if who else answer, answer))
    return told


def answers_frame(shot: Shot) -> list[object]:
    """Returns the values of `Answers.outputs` for this moment."""
    pending = shot.pending
    asked = _FORMS[cast(QuestionKind, pending.kind)] if pending else _AnswerForm("Approve")
    payload = cast(Payload, pending.payload) if pending else Payload()
    offered = _offered(shot, payload) if _TICK in asked.also else []
    code = payload.get("code", "") if _EDIT in asked.also else ""
    return [
        gr.update(visible=pending is not None and shot.mine),
        gr.update(choices=offered, visible=bool(offered), value=None),
        gr.update(visible=_FILE in asked.also, value=None),
        gr.update(visible=bool(asked.words), label=asked.words or "Your words"),
        gr.update(visible=bool(code)),
        code,
        asked.approve,
        gr.update(visible=bool(asked.revise), value=asked.revise),
        pending.id if pending else "",
    ]
