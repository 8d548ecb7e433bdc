"""What is concluded from differences, against values worked out by hand and by simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evaluation.commands.compare import COMPARED
from evaluation.metrics import gap
from evaluation.significance import holm, problems_needed, reliability, sign_test, verdict
from tests.evaluation.made import trial


@pytest.mark.parametrize(
    ("gaps", "chance"),
    [([], 1.0), ([0, 0], 1.0), ([100] * 5, 2 / 32), ([100] * 5 + [-100], 14 / 64), ([100, -100], 1.0)],
)  # fmt: skip
def test_sign_test(gaps: list[float], chance: float) -> None:
    assert sign_test(gaps) == pytest.approx(chance)


def test_holm_by_hand() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})
    assert holm({"a": 0.9, "b": 0.8}) == pytest.approx({"a": 1.0, "b": 1.0})


def test_so_many_problems_do_show_the_difference_in_four_of_five_tries() -> None:
    draw = np.random.default_rng(1)
    population = np.array([0] * 80 + [100] * 14 + [-100] * 6, float)
    needed = problems_needed(list(population))
    assert needed is not None
    seen = 0
    for _ in range(300):
        sample = draw.choice(population, needed)
        half = 1.96 * sample.std(ddof=1) / np.sqrt(needed)
        seen += abs(sample.mean()) > half
    assert 0.7 < seen / 300 < 0.9


def test_nobody_knows_how_many_are_needed_where_nothing_differs() -> None:
    assert problems_needed([0.0] * 50) is None
    assert problems_needed([100.0]) is None
    assert problems_needed([100.0, -100.0, 0.0]) is None


def test_the_verdict_in_words() -> None:
    gaps = [100.0] * 3 + [-100.0] * 1 + [0.0] * 78
    told = gap(gaps)
    words = verdict(told["difference"], told["ci"], sign_test(gaps), 82, problems_needed(gaps))
    assert words.startswith("no difference can be seen with 82 problems; about ")
    assert words.endswith(" would be needed for 2.4 points")
    clear = [100.0] * 30 + [0.0] * 52
    told = gap(clear)
    assert verdict(told["difference"], told["ci"], sign_test(clear), 82, 20) == (
        "36.6 points higher: a difference can be seen with 82 problems"
    )
    assert "36.6 points lower" in verdict(-36.6, [-50, -20], 0.001, 82, 20)


def test_looking_at_many_figures_is_paid_for() -> None:
    """One of four figures with six problems to none: 3 % alone, not enough among four."""
    gaps = {"final correct": [100.0] * 6, **{name: [100.0, -100.0] for name in "abc"}}
    chances = holm({name: sign_test(each) for name, each in gaps.items()})
    assert len(chances) == len(COMPARED)
    assert sign_test(gaps["final correct"]) < 0.05 < chances["final correct"]
    assert verdict(100.0, [100.0, 100.0], chances["final correct"], 6, None).startswith("no difference can be seen")


def test_reliability_by_hand() -> None:
    told = [("a", True, 0.96), ("b", True, 1.0), ("c", False, 0.97), ("d", True, 0.6), ("e", False, None)]
    groups = reliability([replace(trial(name, final=right), chance=chance) for name, right, chance in told])
    assert [(g["from"], g["to"], g["trials"], g["right"]) for g in groups] == [
        (0.5, 0.7, 1, 100.0),
        (0.95, 1.0, 3, 66.67),
    ]
    assert groups[1]["chance"] == pytest.approx(97.67)
    assert all(low < high for low, high in (g["right_ci"] for g in groups))
