"""What stands above the policy's verdict on one program: who ended the run, what was lacking, what nothing covers."""

from __future__ import annotations

from typing import Any

import pytest

from agent.outcome.final import ENDED, verdict_of_run, without_program, word_without_program
from agent.state import PersonAnswer
from agent.state.done import Done
from agent.state.steps import Step
from agent.trust import Verdict
from tests.agent.nodes.scripted import state

STOPPED = [PersonAnswer("review_repair", "abort")]
LACKS = [Done("lacks", "numpy")]


@pytest.mark.parametrize(
    ("more", "word", "after"),
    [
        ({}, "failed", ("a check fails",)),
        ({}, "verified", ("a check fails",)),
        ({"answers": STOPPED}, "failed", (ENDED, "a check fails")),
        ({"answers": STOPPED}, "verified", ("a check fails",)),
        ({"answers": STOPPED, "candidates": []}, "failed", (ENDED,)),
        ({"answers": [PersonAnswer("review_repair", "revise")]}, "failed", ("a check fails",)),
    ],
)
def test_what_the_person_ended_before_it_was_right_is_no_failure(more: Any, word: Any, after: tuple[str, ...]) -> None:
    found = verdict_of_run(state(**more), Verdict(word, ("a check fails",)), None, (), ())
    assert (found.word, found.reasons) == ("unverified" if ENDED in after else word, after)


@pytest.mark.parametrize("word", ["verified", "failed"])
def test_a_program_that_lacks_a_package_was_not_run_whatever_is_said_of_it(word: Any) -> None:
    found = verdict_of_run(state(done=LACKS, answers=STOPPED), Verdict(word, ("a check fails",)), None, (), ())
    assert (found.word, "numpy" in found.reasons[0], len(found.reasons)) == ("unverified", True, 1)


@pytest.mark.parametrize(
    ("more", "word", "reason"),
    [
        ({}, "failed", "no program was written"),
        ({"done": [Done("declined")]}, "failed", "the model gave words instead of a program"),
        ({"answers": STOPPED, "candidates": []}, "unverified", ENDED),
    ],
)
def test_a_run_without_a_program_says_why(more: Any, word: str, reason: str) -> None:
    found = without_program(state(**more))
    assert (found.word, found.reasons) == (word, (reason,))


@pytest.mark.parametrize(
    ("code", "ended", "told"),
    [
        ("", "", ("failed", "no program was written")),
        ("x = 1", "", ("unverified", "no program was written")),
        ("", "the budget is spent", ("unverified", "the budget is spent")),
    ],
)
def test_a_step_for_which_nothing_was_written_keeps_what_it_had(code: str, ended: str, told: tuple[str, str]) -> None:
    assert word_without_program(Step("Write a.csv", code=code), ended) == told
