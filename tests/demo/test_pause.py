"""What a pause asks a person, and that it is asked in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from demo.panels.pause import pause_panel
from demo.shot import Shot
from framework.engine import Pending

REPAIRS: list[dict[str, Any]] = [
    {"code": "a = 2\n", "diff": "-a = 1\n+a = 2", "strategy": "minimal", "note": "one figure"},
    {"code": "a = 3\n", "diff": "-a = 1\n+a = 3", "strategy": "rethink", "note": "another figure"},
]


def asked(kind: str, payload: dict[str, Any]) -> str:
    return str(pause_panel(Shot("r", status="waiting", pending=Pending("q", kind, payload))))


@pytest.mark.parametrize("kind", ["missing_file", "clarify", "review_plan", "review_repair", "ambiguous"])
def test_every_question_of_a_run_has_its_own_words(kind: str) -> None:
    assert "Your answer is needed" not in asked(kind, {})


@pytest.mark.parametrize("count", [1, 2])
def test_each_proposed_repair_is_shown_as_a_change_and_not_as_data(count: int) -> None:
    shown = asked("review_repair", {**REPAIRS[0], "proposals": REPAIRS[:count]})
    assert shown.count("The proposed change") == count
    assert all(repair["note"] in shown for repair in REPAIRS[:count])
    assert "Proposals" not in shown
    assert json.dumps("strategy") not in shown


def test_the_panel_carries_the_question_that_its_buttons_answer() -> None:
    assert 'data-question="q"' in asked("review_repair", {})
