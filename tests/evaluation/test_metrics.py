"""Figures against values worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.metrics import (
    RATES,
    by_problem,
    figures,
    gap,
    pass_at_k,
    precision,
    problem_gaps,
    ratio,
    risk_coverage,
    wilson,
)
from evaluation.trials import Trial
from tests.evaluation.made import trial


@pytest.mark.parametrize(
    ("samples", "correct", "k", "expected"),
    [
        (1, 1, 1, 1.0),
        (1, 0, 1, 0.0),
        (5, 2, 1, 0.4),
        (5, 2, 2, 1 - 3 / 10),  # 1 - C(3,2)/C(5,2)
        (10, 3, 5, 1 - 21 / 252),  # 1 - C(7,5)/C(10,5)
        (5, 3, 3, 1.0),  # any three hold a right one
    ],
)
def test_pass_at_k(samples: int, correct: int, k: int, expected: float) -> None:
    assert pass_at_k(samples, correct, k) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (97, 100, 0.9155, 0.9897)],
)
def test_wilson_interval(hits: int, total: int, low: float, high: float) -> None:
    assert wilson(hits, total) == pytest.approx((low, high), abs=1e-4)


FOUR = [
    trial("a", first=True, final=True, verdict="verified"),
    trial("b", first=True, final=False, verdict="failed"),
    trial("c", first=False, final=True, verdict="partly_verified"),
    trial("d", first=False, final=False, verdict="verified"),
]
HAND = {
    "first_correct": 50.0,
    "final_correct": 50.0,
    "oracle": 75.0,
    "healed_of_wrong": 50.0,
    "broken_of_right": 50.0,
    "wrong_among_accepted": pytest.approx(33.33),
    "false_accept": 50.0,
    "false_reject": 0.0,
    "right_among_not_accepted": 0.0,
}


def test_rates_of_four_trials() -> None:
    told = figures(FOUR)
    assert {name: told[name] for name in RATES} == HAND
    assert told["trials"] == told["problems"] == 4
    assert told["verdicts"]["verified"]["trials"] == 2
    assert told["verdicts"]["verified"]["right"] == 50.0
    assert told["verdicts"]["unverified"]["right"] is None


def test_an_error_is_neither_right_nor_wrong() -> None:
    broken = replace(trial("e"), error="the sandbox broke")
    told = figures([*FOUR, broken])
    assert told["errors"] == 1
    assert {name: told[name] for name in RATES} == HAND


def test_a_rate_of_nothing_is_unknown() -> None:
    told = figures([trial("a", first=True, final=True)])
    assert told["healed_of_wrong"] is None
    assert told["healed_of_wrong_ci"] is None


def test_a_cost_is_unknown_as_soon_as_one_is() -> None:
    assert figures([trial("a", cost=0.25), trial("b", cost=0.5)])["cost_usd"] == 0.75
    assert figures([trial("a", cost=0.25), trial("b", cost=None)])["cost_usd"] is None


def test_repeated_trials_of_one_problem_do_not_narrow_the_interval() -> None:
    apart = [trial(str(place), final=place % 2 == 0) for place in range(40)]
    together = [replace(t, problem=str(int(t.problem) % 4)) for t in apart]

    def width(trials: list[Trial]) -> float:
        interval = ratio(trials, lambda t: t.final_correct, lambda _: 1)[1]
        assert interval is not None
        return interval[1] - interval[0]

    assert width(together) > 2 * width(apart)


def test_precision_without_a_miss_still_has_a_lower_bound() -> None:
    told = precision([trial("a", final=True), trial("a", final=True), trial("b", final=True)])
    assert told["right"] == 100.0
    assert told["right_ci"] == [pytest.approx(100 * wilson(2, 2)[0], abs=0.01), 100.0]


def test_a_share_of_all_or_none_has_an_interval_over_its_problems() -> None:
    share, interval = ratio([trial("a"), trial("b"), trial("b")], lambda t: t.final_correct, lambda _: 1)
    assert share == 0.0
    assert interval == [0.0, pytest.approx(100 * wilson(0, 2)[1], abs=0.01)]


def test_problems_without_a_difference_do_not_prove_that_there_is_none() -> None:
    same = [trial("a", final=True), trial("b", final=True)]
    told = gap(problem_gaps(same, same, lambda t: t.final_correct))
    half = pytest.approx(100 * wilson(0, 2)[1], abs=0.01)
    assert (told["difference"], told["ci"][1], -told["ci"][0]) == (0.0, half, half)


def test_risk_and_coverage_by_hand() -> None:
    told = [("a", True, 0.9), ("b", False, 0.9), ("c", True, 0.5), ("d", False, None)]
    points = risk_coverage([replace(trial(name, final=right), chance=given) for name, right, given in told])
    assert [(p["chance"], p["share"], p["wrong"]) for p in points] == [(0.9, 50.0, 50.0), (0.5, 75.0, 33.33)]


def test_paired_difference_uses_only_problems_of_both() -> None:
    first = [trial("a", final=False), trial("b", final=True), trial("only here", final=True)]
    second = [trial("a", final=True), trial("b", final=True)]
    assert problem_gaps(first, second, lambda t: t.final_correct) == [100.0, 0.0]
    assert problem_gaps(first[2:], second, lambda t: t.final_correct) == []


@pytest.mark.parametrize(("problems", "low"), [(3, -12.3), (20, 67.8), (164, 95.4)])
def test_a_difference_that_is_always_the_same_is_bounded_by_how_many_problems_show_it(
    problems: int, low: float
) -> None:
    told = gap([100.0] * problems)
    assert (told["difference"], told["ci"]) == (100.0, [pytest.approx(low, abs=0.1), 100.0])


def test_problems_that_all_have_the_same_share_have_a_width() -> None:
    half = [replace(trial(name, final=right), sample=right) for name in "abcd" for right in (True, False)]
    assert ratio(half, lambda t: t.final_correct, lambda _: 1)[1] == [pytest.approx(15.0), pytest.approx(85.0)]


def test_figures_of_each_problem() -> None:
    again = replace(trial("a", verdict="failed"), sample=1, calls=7, sandbox_seconds=0.5)
    told = by_problem([*FOUR, again, replace(trial("e"), error="the sandbox broke")])
    assert list(told) == ["a", "b", "c", "d"]
    assert told["a"]["verdicts"] == {"verified": 1, "failed": 1}
    assert (told["a"]["trials"], told["a"]["final_correct"], told["a"]["healed_of_wrong"]) == (2, 50.0, 0.0)
    assert (told["a"]["mean_calls"], told["a"]["mean_sandbox_seconds"]) == (6.0, 0.5)
    assert told["b"]["mean_sandbox_seconds"] is None
