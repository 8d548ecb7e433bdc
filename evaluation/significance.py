"""Says what may be concluded from a difference, and how many problems it takes to see one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from .metrics import RESAMPLES, wilson
from .trials import Rating, Trial

Floats = npt.NDArray[np.float64]
LEVEL, POWER = 0.05, 0.8
"""The level of a test, and the share of tries in which a difference should be seen."""
NOTHING = 1e-6
"""The percentage points below which a mean of differences counts as 0, because only rounding keeps it from 0."""
FULL = 3
"""The highest score of a model judge."""
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
"""The edges of the reliability diagram. They are closer where most verdicts lie."""


def sign_test(gaps: Sequence[float]) -> float:
    """Returns the exact two-sided chance of so uneven a split among the problems that differ, if the arms were equal;
    1.0 if none differs. The test is paired and exact, so that it also holds for few problems."""
    better, worse = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    total, few = better + worse, min(better, worse)
    tail = sum(math.comb(total, k) for k in range(few + 1)) / 2**total
    return min(1.0, 2 * tail)


def holm(chances: Mapping[str, float]) -> dict[str, float]:
    """Returns the chances after Holm's correction for having looked at all of them."""
    adjusted: dict[str, float] = {}
    least = 0.0
    for place, name in enumerate(sorted(chances, key=lambda each: chances[each])):
        least = max(least, min(1.0, chances[name] * (len(chances) - place)))
        adjusted[name] = least
    return adjusted


def problems_needed(gaps: Sequence[float]) -> int | None:
    """Returns how many problems like these a paired comparison needs to see their mean difference at the 5 % level in
    80 % of all tries; None if nothing differs, because the spread is unknown then."""
    spread = float(np.std(gaps, ddof=1)) if len(gaps) > 1 else 0.0
    difference = float(np.mean(gaps)) if len(gaps) else 0.0
    if not spread or abs(difference) < NOTHING:
        return None
    normal = NormalDist()
    reach = normal.inv_cdf(1 - LEVEL / 2) + normal.inv_cdf(POWER)
    return max(2, math.ceil((reach * spread / difference) ** 2))


def verdict(difference: float, interval: Sequence[float], adjusted: float, problems: int, needed: int | None) -> str:
    """Returns the comparison in words. A difference counts as seen only if interval and corrected test agree."""
    clear = (interval[0] > 0 or interval[1] < 0) and adjusted < LEVEL
    if clear:
        word = "higher" if difference > 0 else "lower"
        return f"{abs(difference):.1f} points {word}: a difference can be seen with {problems} problems"
    more = f"; about {needed} would be needed for {abs(difference):.1f} points" if needed and needed > problems else ""
    return f"no difference can be seen with {problems} problems{more}"


def weighted_kappa(given: Sequence[int], labels: Sequence[int]) -> tuple[float | None, list[float] | None]:
    """Returns Cohen's kappa with quadratic weights, and its 95 % interval by a bootstrap over the pairs. Both are None
    if all labels are the same. The interval is None if all given scores are the same, because every draw then agrees
    only by chance."""
    pairs = np.array([given, labels], float)
    if len(set(labels)) < 2:
        return None, None
    draws = np.random.default_rng(0).integers(0, len(labels), (RESAMPLES, len(labels)))
    (observed, expected), (drawn, chance) = _disagreement(*pairs), _disagreement(*pairs[:, draws])
    kappa = round(float(1 - observed / expected), 3)
    if not observed:
        # A bootstrap of equal pairs shows no spread. By Wilson's bound at most so many pairs differ, each by the full
        # score.
        return kappa, [round(max(-1.0, float(1 - FULL**2 * wilson(0, len(labels))[1] / expected)), 3), 1.0]
    if len(set(given)) < 2:
        return kappa, None
    low, high = np.percentile(1 - drawn[chance > 0] / chance[chance > 0], [2.5, 97.5])
    return kappa, [round(float(low), 3), round(float(high), 3)]


def _disagreement(given: Floats, labels: Floats) -> tuple[Floats, Floats]:
    """Returns the mean squared difference of the pairs, and of all given scores with all labels."""
    apart = given.mean(-1) - labels.mean(-1)
    return ((given - labels) ** 2).mean(-1), given.var(-1) + labels.var(-1) + apart**2


def opinions(ratings: Sequence[Rating]) -> list[dict[str, Any]]:
    """Returns each judge's scores of each kind of answer: their mean over problems with Wilson's interval of the share
    of the full score, how often each score was given, and the agreement with the answers that were rated by hand."""
    groups: dict[tuple[str, str], list[Rating]] = defaultdict(list)
    for rating in ratings:
        if rating.score is not None:
            groups[rating.judge, rating.kind].append(rating)
    return [{"judge": judge, "kind": kind, **_opinion(group)} for (judge, kind), group in sorted(groups.items())]


def _opinion(ratings: Sequence[Rating]) -> dict[str, Any]:
    problems: dict[str, list[int]] = defaultdict(list)
    for rating in ratings:
        if rating.label is None:
            problems[rating.problem].append(rating.score or 0)
    share = sum(float(np.mean(scores)) / FULL for scores in problems.values())
    scores = [score for each in problems.values() for score in each]
    pairs = [(rating.score or 0, rating.label) for rating in ratings if rating.label is not None]
    kappa, bounds = weighted_kappa([given for given, _ in pairs], [label for _, label in pairs])
    return {
        "rated": len(scores),
        "mean": round(FULL * share / len(problems), 3) if problems else None,
        "mean_ci": [round(FULL * bound, 3) for bound in wilson(share, len(problems))] if problems else None,
        "scores": [scores.count(score) for score in range(FULL + 1)],
        "labelled": len(pairs),
        "same": sum(given == label for given, label in pairs),
        "kappa": kappa,
        "kappa_ci": bounds,
    }


def reliability(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """Groups verdicts by the calibrated chance that they carried. Returns how many percent of each group were right,
    with Wilson's interval over problems. An honest chance lies within the interval."""
    told = [trial for trial in trials if not trial.error and trial.chance is not None]
    found: list[dict[str, Any]] = []
    for low, high in pairwise(BINS):
        group = [t for t in told if low <= (t.chance or 0.0) < high or (high == 1.0 == t.chance)]
        if not group:
            continue
        right = [t.final_correct for t in group]
        problems = len({t.problem for t in group})
        bounds = wilson(problems * sum(right) / len(right), problems)
        found.append(
            {
                "from": low,
                "to": high,
                "trials": len(group),
                "chance": round(100 * float(np.mean([t.chance or 0.0 for t in group])), 2),
                "right": round(100 * sum(right) / len(right), 2),
                "right_ci": [round(100 * bound, 2) for bound in bounds],
            }
        )
    return found
