"""What a pause asks a person, and that it is asked in words."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, cast, get_args

import gradio as gr
import pytest
from gradio.blocks import postprocess_update_dict

from agent.by_output.missing import MAX_PASTED_CHARS
from agent.state.questions import QuestionKind
from demo.panels.pause import pause_panel
from demo.screens.answers import MAX_ANSWER_CHARS, Answers, answers_frame
from demo.screens.run import changed, frame, nothing_new
from demo.view.fold import RunView
from demo.view.shot import Shot
from framework.engine import Pending

from . import story
from .story import fold_all

REPAIRS: list[dict[str, Any]] = [
    {"code": "a = 2\n", "diff": "-a = 1\n+a = 2", "strategy": "minimal", "note": "one figure"},
    {"code": "a = 3\n", "diff": "-a = 1\n+a = 3", "strategy": "rethink", "note": "another figure"},
]


def asked(kind: str, payload: dict[str, Any]) -> str:
    return str(pause_panel(Shot("r", status="waiting", pending=Pending("q", kind, payload))))


@pytest.mark.parametrize("kind", get_args(QuestionKind))
def test_every_question_of_a_run_has_its_own_words_and_ways_to_answer(kind: str) -> None:
    assert asked(kind, {}).count("<h2>") == 1
    assert _answers(Pending("q", kind, {}))["box"]["visible"]


def test_why_it_is_asked_is_shown() -> None:
    assert "two programs differ" in asked("ambiguous", {"reason": "two programs differ", "options": ["1"]})


@pytest.mark.parametrize("count", [1, 2])
def test_each_proposed_repair_is_shown_as_a_change_and_not_as_data(count: int) -> None:
    shown = asked("review_repair", {**REPAIRS[0], "proposals": REPAIRS[:count]})
    assert shown.count("The proposed change") == count
    assert all(repair["note"] in shown for repair in REPAIRS[:count])
    assert "Proposals" not in shown
    assert json.dumps("strategy") not in shown


def test_the_panel_carries_the_question_that_its_buttons_answer() -> None:
    assert 'data-question="q"' in asked("review_repair", {})


def test_an_ambiguous_task_offers_its_outputs():
    view = fold_all(story.beginning())
    check = story.CHECKS[0]
    payload = {"call": "f(1)", "options": ["1", "2", "3"], "by": {"1": ["c1", check], "2": []}}
    ticks = _answers(Pending("q", "ambiguous", payload), view)["ticks"]
    assert ticks["choices"] == [("1   (First try, a check read from the task by code)", "1"), ("2", "2"), ("3", "3")]
    assert _answers(Pending("q", "review_plan", {"plan": "x", "options": ["1"]}))["ticks"]["visible"] is False


def test_each_question_offers_the_ways_in_which_it_can_be_answered():
    shown = {
        kind: [name for name, value in _answers(Pending("q", kind, payload)).items() if value and value["visible"]]
        for kind, payload in {
            "review_plan": {"plan": "x"},
            "review_repair": {"code": "a = 1"},
            "ambiguous": {"options": ["1"]},
            "clarify": {"options": ["1"]},
            "missing_file": {"files": ["a.csv"]},
        }.items()
    }
    assert shown == {
        "review_plan": ["box", "words", "revise"],
        "review_repair": ["box", "words", "edit", "revise"],
        "ambiguous": ["box", "ticks"],
        "clarify": ["box", "ticks", "words", "revise"],
        "missing_file": ["box", "files", "words", "revise"],
    }
    assert MAX_ANSWER_CHARS == MAX_PASTED_CHARS


def test_what_a_person_has_chosen_stays_while_the_run_waits():
    """Gradio takes the value out of an update that it sends: the next frame must not look new for that."""
    payload = {"call": "f(1)", "options": ["1", "2"]}
    shot = Shot("r", RunView(), "waiting", Pending("q", "ambiguous", payload))
    first, again = frame(shot), frame(shot)
    for value in changed(None, first):
        if isinstance(value, dict):
            postprocess_update_dict(gr.Radio(["1", "2"]), cast(dict[str, Any], value))
    assert changed(first, again) == nothing_new()


def _answers(pending: Pending, view: RunView | None = None) -> dict[str, Any]:
    """Component -> what is changed of it; of the two fields that are plain texts, nothing."""
    values = answers_frame(Shot("r", view or RunView(), "waiting", pending))
    return {name: value if isinstance(value, dict) else None for name, value in zip(_names(), values, strict=True)}


@cache
def _names() -> list[str]:
    """The components that a frame fills, in its order."""
    with gr.Blocks():
        answers = Answers()
    return [name for shown in answers.outputs for name, one in vars(answers).items() if one is shown]
