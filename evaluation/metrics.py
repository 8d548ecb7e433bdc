"""Computes figures of trials. These are pure functions; each percentage comes with its interval.

The intervals of plain proportions are fractions and never have width 0.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .trials import Trial

_Z = 1.96
"""The quantile of the normal distribution for 95 % on both sides."""
_HALVINGS = 60
"""The steps of the search for a bound. Its error is far below any figure that is shown."""


def wilson(hits: float, total: int) -> tuple[float, float]:
    """Returns the 95 % interval of a proportion; (0, 1) if `total` is 0. `hits` may be a sum of shares, one for each of
    `total` units."""
    if not total:
        return 0.0, 1.0
    share, spread = hits / total, _Z * _Z / total
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def at_most(hits: int, total: int, share: float) -> float:
    """Returns the probability of at most `hits` among `total` independent units that each hit with probability
    `share`."""
    return math.fsum(math.comb(total, k) * share**k * (1 - share) ** (total - k) for k in range(hits + 1))


def upper_bound(hits: int, total: int, level: float) -> float:
    """Returns the exact (Clopper-Pearson) one-sided bound: the share at which so few hits have probability `level`."""
    if hits >= total:
        return 1.0
    low, high = hits / total, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(hits, total, middle) > level else (low, middle)
    return high


Count = Callable[[Trial], float]
"""Returns what a trial counts for, e.g. 1 if its program is right."""
RESAMPLES = 2000
"""How many resamples a bootstrap draws."""
MEANS = (
    "attempts", "calls", "input_tokens", "output_tokens", "seconds", "model_seconds", "sandbox_seconds",
    "grading_seconds",
)  # fmt: skip
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
    "false_accept": (lambda t: t.accepted and not t.final_correct, lambda t: not t.final_correct),
    "false_reject": (lambda t: t.final_correct and not t.accepted, lambda t: t.final_correct),
    "right_among_not_accepted": (lambda t: t.final_correct and not t.accepted, lambda t: not t.accepted),
}
"""For each figure, what counts and out of what."""


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """Returns the unbiased estimate that one of k samples is right, if `correct` of `samples` are (Chen et al.,
    2021)."""
    if samples - correct < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / n for n in range(samples - correct + 1, samples + 1))


def figures(trials: Sequence[Trial]) -> dict[str, Any]:
    """Returns all figures of a set of trials. Percentages have 95 % intervals of a cluster bootstrap over problems."""
    graded = [trial for trial in trials if not trial.error]
    told: dict[str, Any] = {"problems": len({t.problem for t in graded}), "trials": len(graded)}
    told["errors"] = len(trials) - len(graded)
    for name, (hit, base) in RATES.items():
        told[name], told[f"{name}_ci"] = ratio(graded, hit, base)
    told["verdicts"] = {word: precision([t for t in graded if t.verdict == word]) for word in VERDICTS}
    for word, entry in told["verdicts"].items():
        entry["share"], entry["share_ci"] = ratio(graded, lambda t, word=word: t.verdict == word, _each)
    told |= {f"mean_{name}": _mean(graded, name) for name in MEANS}
    costs = [t.cost_usd for t in graded]
    told["cost_usd"] = None if None in costs else round(sum(cost or 0.0 for cost in costs), 4)
    solved = sum(t.final_correct for t in graded)
    tokens = sum(t.input_tokens + t.output_tokens for t in graded)
    whole: float | None = told["cost_usd"]
    told["cost_per_solved_usd"] = round(whole / solved, 6) if solved and whole is not None else None
    told["tokens_per_solved"] = round(tokens / solved) if solved else None
    return told


def _mean(trials: Sequence[Trial], name: str) -> float | None:
    """Returns the mean over the trials that report the value, to two digits; None if none does."""
    values = [value for trial in trials if (value := getattr(trial, name)) is not None]
    return round(float(np.mean(values)), 2) if values else None


def by_problem(trials: Sequence[Trial]) -> dict[str, dict[str, Any]]:
    """Returns the figures of each problem, in the order of their names: how many trials it has, what percentage of them
    is right and so on, and their means."""
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        if not trial.error:
            groups[trial.problem].append(trial)
    return {name: _of_problem(groups[name]) for name in sorted(groups)}


def _of_problem(trials: Sequence[Trial]) -> dict[str, Any]:
    told: dict[str, Any] = {"trials": len(trials)}
    told |= {name: ratio(trials, hit, base)[0] for name, (hit, base) in RATES.items()}
    told["verdicts"] = {word: count for word in VERDICTS if (count := sum(t.verdict == word for t in trials))}
    told |= {f"mean_{name}": _mean(trials, name) for name in MEANS}
    costs = [trial.cost_usd for trial in trials if trial.cost_usd is not None]
    return {**told, "cost_usd": round(sum(costs), 6) if len(costs) == len(trials) else None}


def pass_rates(trials: Sequence[Trial]) -> dict[str, tuple[float, list[float]]]:
    """Returns pass@1 of the final programs, and pass@k if problems have k samples, in percent with Wilson's interval
    over problems."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for trial in trials:
        if not trial.error:
            groups[trial.problem].append(trial.final_correct)
    found: dict[str, tuple[float, list[float]]] = {}
    most = min((len(group) for group in groups.values()), default=0)
    for k in sorted({min(1, most), most} - {0}):
        solved = sum(pass_at_k(len(group), sum(group), k) for group in groups.values())
        found[f"pass@{k}"] = 100 * solved / len(groups), [100 * bound for bound in wilson(solved, len(groups))]
    return found


def failure_classes(trials: Sequence[Trial]) -> Counter[str]:
    """Counts what became of the trials that did not end right and accepted."""
    return Counter(word for trial in trials if (word := _class(trial)))


def _class(trial: Trial) -> str:
    """Returns in words how a trial failed; "" if it is right and accepted."""
    if trial.error:
        return "could not be run or graded"
    if trial.final_correct:
        return "" if trial.accepted else "right, but not accepted"
    if trial.accepted:
        return "wrong, but accepted"
    if trial.first_correct:
        return "broken by a repair"
    if trial.any_correct:
        return "a right program was there and not chosen"
    return "no program was right" if trial.attempts else "no program was written"


def risk_coverage(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """Returns one point for each calibrated chance, highest first: the percentage of trials whose verdict carried at
    least that chance, and how many percent of them are wrong, with the interval over problems."""
    graded = [trial for trial in trials if not trial.error]
    points: list[dict[str, Any]] = []
    for least in sorted({t.chance for t in graded if t.chance is not None}, reverse=True):
        taken = [trial for trial in graded if trial.chance is not None and trial.chance >= least]
        wrong, interval = ratio(taken, lambda t: not t.final_correct, _each)
        share = round(100 * len(taken) / len(graded), 2)
        points.append({"chance": least, "share": share, "wrong": wrong, "wrong_ci": interval})
    return points


def precision(trials: Sequence[Trial]) -> dict[str, Any]:
    """Returns how many of these trials' programs are right by the hidden tests, in percent, with the interval over
    problems."""
    share, interval = ratio(trials, lambda t: t.final_correct, _each)
    return {"trials": len(trials), "right": share, "right_ci": interval or [0.0, 100.0]}


def ratio(trials: Sequence[Trial], hit: Count, base: Count) -> tuple[float | None, list[float] | None]:
    """Returns sum(hit) / sum(base) in percent with its interval; (None, None) if the base is empty. The interval comes
    from a cluster bootstrap over problems. If all problems have the same share (e.g. all or none count), a bootstrap
    shows no spread, and the interval is Wilson's over the problems."""
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial.problem].append(trial)
    hits = np.array([sum(hit(t) for t in group) for group in groups.values()], float)
    bases = np.array([sum(base(t) for t in group) for group in groups.values()], float)
    if not bases.sum():
        return None, None
    share = float(hits.sum() / bases.sum())
    if np.allclose(hits, share * bases):
        problems = int((bases > 0).sum())
        low, high = wilson(problems * share, problems)
    else:
        draws = np.random.default_rng(0).integers(0, len(groups), (RESAMPLES, len(groups)))
        total = bases[draws].sum(1)
        low, high = np.percentile(hits[draws].sum(1)[total > 0] / total[total > 0], [2.5, 97.5])
    return round(100 * share, 2), [round(float(100 * low), 2), round(float(100 * high), 2)]


def problem_gaps(first: Sequence[Trial], second: Sequence[Trial], hit: Count) -> list[float]:
    """Returns second - first in percentage points for each problem that both have."""
    means = [_means(trials, hit) for trials in (first, second)]
    return [100 * (means[1][name] - means[0][name]) for name in sorted(set(means[0]) & set(means[1]))]


def gap(differences: Sequence[float], reach: float = 100.0) -> dict[str, Any]:
    """Returns the mean of the problems' differences with the 95 % interval of a bootstrap over problems. `reach` is how
    far apart a problem's two figures can be."""
    gaps = np.array(differences)
    mean = float(gaps.mean())
    if np.allclose(gaps, mean):
        # A bootstrap shows no spread here. By Wilson's bound at most so many problems could differ from this, each by
        # its full reach.
        otherwise = wilson(0, len(gaps))[1]
        low, high = mean - otherwise * (reach + mean), mean + otherwise * (reach - mean)
    else:
        draws = np.random.default_rng(0).integers(0, len(gaps), (RESAMPLES, len(gaps)))
        low, high = np.percentile(gaps[draws].mean(1), [2.5, 97.5])
    return {"difference": round(mean, 2), "ci": [round(float(low), 2), round(float(high), 2)]}


def _means(trials: Sequence[Trial], hit: Count) -> dict[str, float]:
    groups: dict[str, list[float]] = defaultdict(list)
    for trial in trials:
        if not trial.error:
            groups[trial.problem].append(float(hit(trial)))
    return {name: float(np.mean(values)) for name, values in groups.items()}
