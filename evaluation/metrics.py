"""Figures of trials: pure functions, each percentage with its interval."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .trials import Trial

Count = Callable[[Trial], float]
RESAMPLES = 2000
VERDICTS = ("verified", "partly_verified", "unverified", "failed")


def _each(_trial: Trial) -> float:
    return 1.0


RATES: dict[str, tuple[Count, Count]] = {
    "first_correct": (lambda t: t.first_correct, _each),
    "final_correct": (lambda t: t.final_correct, _each),
    "oracle": (lambda t: t.any_correct, _each),
    "healed_of_wrong": (lambda t: t.final_correct and not t.first_correct, lambda t: not t.first_correct),
    "broken_of_right": (lambda t: t.first_correct and not t.final_correct, lambda t: t.first_correct),
    "wrong_among_accepted": (lambda t: t.accepted and not t.final_correct, lambda t: t.accepted),
    "right_among_not_accepted": (lambda t: t.final_correct and not t.accepted, lambda t: not t.accepted),
}
"""Figure -> (what counts, out of what)."""


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """Unbiased estimate that one of k samples is right, from `correct` right ones of `samples` (Chen et al., 2021)."""
    if samples - correct < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / n for n in range(samples - correct + 1, samples + 1))


def wilson(hits: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """95 % interval of a plain proportion, as fractions; (0, 1) for none."""
    if not total:
        return 0.0, 1.0
    share, spread = hits / total, z * z / total
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def figures(trials: Sequence[Trial]) -> dict[str, Any]:
    """All figures of a set of trials, percentages with 95 % intervals of a cluster bootstrap over problems."""
    graded = [trial for trial in trials if not trial.error]
    told: dict[str, Any] = {"problems": len({t.problem for t in graded}), "trials": len(graded)}
    told["errors"] = len(trials) - len(graded)
    for name, (hit, base) in RATES.items():
        told[name], told[f"{name}_ci"] = ratio(graded, hit, base)
    told["verdicts"] = {word: precision([t for t in graded if t.verdict == word]) for word in VERDICTS}
    for name in ("attempts", "calls", "seconds", "input_tokens", "output_tokens"):
        told[f"mean_{name}"] = round(float(np.mean([getattr(t, name) for t in graded])), 2) if graded else None
    costs = [t.cost_usd for t in graded]
    told["cost_usd"] = None if None in costs else round(sum(cost or 0.0 for cost in costs), 4)
    return told


def precision(trials: Sequence[Trial]) -> dict[str, Any]:
    """How often these trials' programs are right by the hidden tests, percent, with the cluster interval over problems.
    Where all or none are right a bootstrap knows no spread: then Wilson's interval over the problems is given."""
    right = sum(trial.final_correct for trial in trials)
    if 0 < right < len(trials):
        share, interval = ratio(trials, lambda t: t.final_correct, _each)
        return {"trials": len(trials), "right": share, "right_ci": interval}
    problems = len({trial.problem for trial in trials})
    low, high = wilson(problems if right else 0, problems)
    share = round(100 * right / len(trials), 2) if trials else None
    return {"trials": len(trials), "right": share, "right_ci": [round(100 * low, 2), round(100 * high, 2)]}


def ratio(trials: Sequence[Trial], hit: Count, base: Count) -> tuple[float | None, list[float] | None]:
    """sum(hit) / sum(base) in percent with its interval; (None, None) where the base is empty."""
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial.problem].append(trial)
    hits = np.array([sum(hit(t) for t in group) for group in groups.values()], float)
    bases = np.array([sum(base(t) for t in group) for group in groups.values()], float)
    if not bases.sum():
        return None, None
    draws = np.random.default_rng(0).integers(0, len(groups), (RESAMPLES, len(groups)))
    total = bases[draws].sum(1)
    low, high = np.percentile(hits[draws].sum(1)[total > 0] / total[total > 0], [2.5, 97.5])
    return round(float(100 * hits.sum() / bases.sum()), 2), [round(float(100 * low), 2), round(float(100 * high), 2)]


def paired(first: Sequence[Trial], second: Sequence[Trial], hit: Count) -> dict[str, Any]:
    """Difference second - first in percentage points over the problems both have, with its paired interval."""
    means = [_means(trials, hit) for trials in (first, second)]
    shared = sorted(set(means[0]) & set(means[1]))
    if not shared:
        return {"problems": 0, "difference": None, "ci": None}
    return {"problems": len(shared), **gap([100 * (means[1][name] - means[0][name]) for name in shared])}


def gap(differences: Sequence[float]) -> dict[str, Any]:
    """Mean of the problems' differences with the 95 % interval of a bootstrap over problems."""
    gaps = np.array(differences)
    draws = np.random.default_rng(0).integers(0, len(gaps), (RESAMPLES, len(gaps)))
    low, high = np.percentile(gaps[draws].mean(1), [2.5, 97.5])
    return {"difference": round(float(gaps.mean()), 2), "ci": [round(float(low), 2), round(float(high), 2)]}


def _means(trials: Sequence[Trial], hit: Count) -> dict[str, float]:
    groups: dict[str, list[float]] = defaultdict(list)
    for trial in trials:
        if not trial.error:
            groups[trial.problem].append(float(hit(trial)))
    return {name: float(np.mean(values)) for name, values in groups.items()}
