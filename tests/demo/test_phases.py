"""Every box of the diagram has its place and its words on the screen."""

from __future__ import annotations

from agent.graph import build_graph
from agent.outcome.words import doing_words, node_words
from demo.view.phases import phase_of

BOXES = set(build_graph().nodes)
PAUSES = {"ask_person", "review_plan", "review_repair"}


def test_only_what_runs_and_judges_is_told_as_running() -> None:
    assert {box for box in BOXES if phase_of(box) == "Run"} == {"run_tests", "judge", "quarantine", "arbitrate"}


def test_a_box_at_work_is_told_in_other_words_than_in_the_list() -> None:
    assert {box for box in BOXES if doing_words(box) == node_words(box)} == PAUSES
