"""The sentences of a verdict that put its counts into words."""

from __future__ import annotations

import pytest

from agent.trust.agreement import Comparison
from agent.trust.facts import OUTPUT, WORDING
from agent.trust.telling import assumed_told, compared_told, otherwise_told, programs_told, renamed_told

from .build import FIVE, FOUR, check, program


@pytest.mark.parametrize(
    ("programs", "found", "apart_from", "told"),
    [
        (1, Comparison(0, (), 0), "", "no input is known by which it could be compared with 1 independent program"),
        (2, Comparison(0, (), 3), "", "2 independent programs answered no input that could be compared"),
        (1, Comparison(0, (), 3), WORDING, "compared with 1 independent program by the checks that both pass: how they"
         " word what they print is left to the author"),
        (1, Comparison(0, (OUTPUT,), 0), "", "compared with 1 independent program: what they put out is not equal"),
        (1, Comparison(1, (), 0), "", "compared with 1 independent program: 1 of 1 inputs equal"),
        (2, Comparison(2, ("f(1)",), 0), "", "compared with 2 independent programs: 2 of 3 inputs equal, 1 differs"),
        (1, Comparison(0, ("f(1)", OUTPUT), 1), "",
         "compared with 1 independent program: 0 of 2 inputs equal, 2 differ, 1 without an answer"),
        (1, Comparison(2, (), 1), "how they ask",
         "compared with 1 independent program: 2 of 2 inputs equal apart from how they ask, 1 without an answer"),
        (1, Comparison(2, (), 1), WORDING, "compared with 1 independent program: 2 of 2 inputs equal, 1 worded"
         " otherwise, which is left to the author"),
    ],
)  # fmt: skip
def test_a_comparison_is_told_by_what_is_equal_what_differs_and_what_is_silent(
    programs: int, found: Comparison, apart_from: str, told: str
) -> None:
    assert compared_told(programs, found, apart_from) == told


@pytest.mark.parametrize(
    ("count", "programs", "who"),
    [(1, 1, "it does"), (2, 2, "all of them do"), (1, 2, "1 of them does"), (2, 3, "2 of them do")],
)
def test_programs_that_only_use_other_names_are_told(count: int, programs: int, who: str) -> None:
    assert renamed_told(count, programs) == f"{who} the same step by step as this one, under other names"


def test_what_nothing_decides_is_told_with_what_the_program_makes_of_it() -> None:
    gives, silent = program("c1", "", [], answers={"f(1)": FOUR}), program("c2", "", [])
    assert (assumed_told(gives, "f(1)"), assumed_told(silent, "f(1)")) == (
        "the program gives 4",
        "the program decides it",
    )
    stated, bare = check("a", expected=FIVE), check("b")
    assert otherwise_told(gives, stated, "f(1)") == (
        "no example says what f(1) gives: this program gives 4, another reading of the task 5"
    )
    assert otherwise_told(silent, bare, "f(1)") == (
        "no example says what f(1) gives: this program does otherwise, another reading of the task something else"
    )
    assert (programs_told(1), programs_told(3)) == ("1 independent program", "3 independent programs")
