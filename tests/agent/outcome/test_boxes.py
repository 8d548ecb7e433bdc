"""Every box of the diagram has its row in `agent/outcome/boxes.py`, and every row its box."""

from __future__ import annotations

from agent.graph import build_graph
from agent.outcome.boxes import BOXES, PHASES, box_named

PAUSES = {"ask_person", "review_plan", "review_repair"}


def test_every_box_has_a_row() -> None:
    without = build_graph().nodes.keys() - BOXES.keys()
    assert not without, f"agent/outcome/boxes.py wants a row for {', '.join(sorted(without))}"


def test_every_row_has_a_box() -> None:
    assert BOXES.keys() <= build_graph().nodes.keys()


def test_every_row_names_a_phase_and_says_what_is_done_and_what_was_done() -> None:
    for name, box in BOXES.items():
        assert (box.phase in PHASES, bool(box.words), bool(box.doing)) == (True, True, True), name


def test_a_box_at_work_is_told_in_other_words_than_in_the_list() -> None:
    assert {name for name, box in BOXES.items() if box.doing == box.words} == PAUSES


def test_a_box_of_an_older_run_is_told_by_its_name() -> None:
    assert box_named("count_words").words == "Count words"
