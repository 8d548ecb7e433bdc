"""The timeline: each box of the graph with what was done in it, and for the owner what was said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agent.events import NodeFinished, NodeStarted, Noted, RunFailed, RunFinished
from demo.panels.dialogue import links_panel, with_dialogue
from demo.panels.timeline import timeline_panel
from demo.screens.run import frame
from demo.view.shot import Shot

from . import story
from .reading import text_of
from .story import fold_all


def test_boxes_that_had_nothing_to_do_are_left_out_of_the_timeline():
    words = text_of(timeline_panel(fold_all(story.whole())))
    assert "Run started scripted demo model, isolation: walled Understand" in words
    assert "Verdict: Verified" in words
    assert "in progress" not in words


def test_after_a_failure_of_the_engine_nothing_is_in_progress():
    cut = [*story.beginning(), NodeStarted("diagnose"), RunFailed("no provider", 3)]
    words = text_of(timeline_panel(fold_all(cut)))
    assert "in progress" not in words
    assert "not finished" in words


def test_how_long_a_model_is_waited_for_is_told_once():
    notes = [Noted(f"waiting for the first word of a:b: {seconds} s") for seconds in (1, 16, 31)]
    words = text_of(timeline_panel(fold_all([*story.beginning(), NodeStarted("diagnose"), *notes, Noted("else")])))
    assert words.count("waiting for") == words.count("a:b: 31 s") == words.count("else") == 1


def test_work_done_side_by_side_is_told_where_it_belongs():
    entries = fold_all(story.beginning()).timeline
    homes = {entry.title: entry.within for entry in entries if entry.shape in ("call", "code", "tests")}
    assert homes["Spec tester answered"] == "write_spec_tests"
    assert homes["Program c1"] == "write_code"


def test_what_was_said_stands_in_the_line_of_its_call_and_unpaid_calls_at_the_end():
    rows = [_said("generator", "write this"), _said("debugger", "why?", "1"), _said("spec_tester", "check this")]
    view = with_dialogue(fold_all(story.whole()), [*rows, _said("critic", "object") | {"failed": "out of reach"}])
    told = {entry.title: entry.body for entry in view.timeline if entry.shape == "call"}
    assert "--- user\nwrite this\n--- reply\nwrite this!" in told["Generator answered"]
    assert "check this" in told["Spec tester answered"]
    assert "why?" in told["Debugger answered"]
    assert "no usable reply: out of reach" in told["Critic was asked"]
    assert list(told)[-1] == "Critic was asked"
    assert "write this!" in timeline_panel(view)


def test_only_the_owner_is_offered_what_was_said_and_the_links():
    shot = Shot("r", fold_all(story.whole()), "done")
    own, other = ("".join(map(str, frame(replace(shot, mine=mine)))) for mine in (True, False))
    assert ("Show what each role" in own, "Show what each role" in other) == (True, False)
    assert ("Take links back" in links_panel(shot), links_panel(replace(shot, mine=False))) == (True, "")


def test_the_box_that_ends_a_run_is_done_and_one_that_was_cut_off_is_not():
    events = [
        NodeStarted("judge"),
        NodeStarted("conclude"),
        RunFinished(story.outcome()),
        NodeFinished("conclude", 0.5),
    ]
    judge, conclude, _ = fold_all(events).timeline
    assert (judge.note, conclude.note, conclude.seconds) == ("not finished", "", 0.5)


def _said(role: str, words: str, question: str = "first") -> dict[str, Any]:
    said = [{"role": "user", "content": words}]
    row: dict[str, Any] = {
        "role": role,
        "question": question,
        "prompt": "",
        "model": "m",
        "messages": said,
        "tools": [],
    }
    return row | {"reply": words + "!", "notes": []}
