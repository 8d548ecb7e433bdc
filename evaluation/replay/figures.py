"""Figures of decisions against the truth, each with the interval of a cluster bootstrap over tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.intervals import wilson

from .data import POOLS, SELECTIONS, StoredTask, selection_draw
from .decisions import Row

Truth = Mapping[str, Mapping[str, bool]]
Figures = dict[str, Any]
RESAMPLES = 2000
PERCENT = 100.0


class Bootstrap:
    """Resamples of whole tasks; one object gives paired draws to every figure."""

    def __init__(self, tasks: int) -> None:
        self.draws = np.random.default_rng(0).integers(0, tasks, (RESAMPLES, tasks))

    def ratio(
        self, name: str, numerator: Sequence[float], denominator: Sequence[float], scale: float = PERCENT
    ) -> Figures:
        """{name: scale x sum(numerator) / sum(denominator), name_ci: its 95 % interval}; None where nothing counts."""
        if not sum(denominator):
            return {name: None, f"{name}_ci": None}
        figure, draws = self._resampled(numerator, denominator)
        low, high = np.percentile(draws, [2.5, 97.5])
        return {
            name: round(scale * figure, 2),
            f"{name}_ci": [round(scale * float(low), 2), round(scale * float(high), 2)],
        }

    def gap(
        self, one: tuple[Sequence[float], Sequence[float]], other: tuple[Sequence[float], Sequence[float]], scale: float
    ) -> list[float]:
        """[difference of two ratios, low, high], both resampled on the same tasks."""
        ratios = [self._resampled(*pair) for pair in (one, other)]
        low, high = np.percentile(ratios[0][1] - ratios[1][1], [2.5, 97.5])
        return [round(scale * float(value), 2) for value in (ratios[0][0] - ratios[1][0], low, high)]

    def _resampled(self, numerator: Sequence[float], denominator: Sequence[float]) -> tuple[float, Any]:
        num, den = np.array(numerator, float), np.array(denominator, float)
        draws = num[self.draws].sum(1) / np.maximum(den[self.draws].sum(1), 1e-9)
        return float(num.sum() / max(den.sum(), 1e-9)), draws


class Spread(Bootstrap):
    """As the bootstrap, except where a share is all or nothing: there a bootstrap knows no spread, and the interval is
    Wilson's over the tasks that count. (The plain one gives the figures of the published references.)"""

    def ratio(
        self, name: str, numerator: Sequence[float], denominator: Sequence[float], scale: float = PERCENT
    ) -> Figures:
        found = super().ratio(name, numerator, denominator, scale)
        if scale == PERCENT and found[name] in (0.0, PERCENT):
            counted = sum(1 for value in denominator if value)
            bounds = wilson(counted if found[name] else 0, counted)
            found[f"{name}_ci"] = [round(PERCENT * bound, 2) for bound in bounds]
        return found


def accept_figures(rows: Iterable[Row], tasks: Sequence[StoredTask], truth: Truth, boot: Bootstrap) -> Figures | None:
    """Per pool: false_reject (of right), false_accept (of wrong), wrong_among_accepted."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in rows:
        right = truth[row["task_id"]][row["candidate"]]
        counts[row["pool"], row["task_id"]][2 * right + row["accepted"]] += 1
    if not counts:
        return None
    figures: Figures = {}
    for pool in POOLS:
        wrong_out, wrong_in, right_out, right_in = zip(*(counts[pool, task.id] for task in tasks), strict=True)
        figures[pool] = {
            **boot.ratio("false_reject", right_out, _sum(right_out, right_in)),
            **boot.ratio("false_accept", wrong_in, _sum(wrong_out, wrong_in)),
            **boot.ratio("wrong_among_accepted", wrong_in, _sum(wrong_in, right_in)),
        }
    return figures


def select_figures(rows: Iterable[Row], tasks: Sequence[StoredTask], truth: Truth, boot: Bootstrap) -> Figures | None:
    """Per pool: accuracy of the chosen program, of the first one, and of an oracle."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    by_id = {task.id: task for task in tasks}
    for row in rows:
        right = truth[row["task_id"]]
        draw = selection_draw(by_id[row["task_id"]], row["pool"], row["seed"])
        tally = counts[row["pool"], row["task_id"]]
        for place, hit in enumerate((right[row["chosen"]], right[row["first"]], any(right[p.id] for p in draw), True)):
            tally[place] += hit
    if not counts:
        return None
    figures: Figures = {}
    for pool in SELECTIONS:
        chosen, first, oracle, total = zip(*(counts[pool, task.id] for task in tasks), strict=True)
        figures[pool] = {
            **boot.ratio("accuracy", chosen, total),
            **boot.ratio("first", first, total),
            **boot.ratio("oracle", oracle, total),
        }
    return figures


def loop_figures(rows: Iterable[Row], tasks: Sequence[StoredTask], truth: Truth, boot: Bootstrap) -> Figures | None:
    """Final accuracy, attempts, what was broken and healed, and points won per attempt after the first."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
    for row in rows:
        right = truth[row["task_id"]]
        first, final = right[row["first"]], right[row["chosen"]]
        tally = counts[row["task_id"]]
        for place, value in enumerate((1, final, row["attempts"], first, first and not final, not first and final)):
            tally[place] += value
    if not counts:
        return None
    total, final, used, right, broken, healed = zip(*(counts[task.id] for task in tasks), strict=True)
    wrong = [n - r for n, r in zip(total, right, strict=True)]
    return {
        **boot.ratio("final", final, total),
        **boot.ratio("attempts", used, total, 1.0),
        **boot.ratio("broken_of_right", broken, right),
        **boot.ratio("healed_of_wrong", healed, wrong),
        **boot.ratio(
            "net_gain_per_extra_attempt",
            [f - r for f, r in zip(final, right, strict=True)],
            [u - n for u, n in zip(used, total, strict=True)],
        ),
    }


def verdict_figures(rows: Iterable[Row], tasks: Sequence[StoredTask], truth: Truth, boot: Bootstrap) -> Figures | None:
    """For each word that was given: how often, and how often the program was right, in percent."""
    counts: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    totals: dict[str, int] = defaultdict(int)
    for row in rows:
        if "verdict" in row:
            tally = counts[row["verdict"]][row["task_id"]]
            tally[0] += truth[row["task_id"]][row["chosen"]]
            tally[1] += 1
            totals[row["task_id"]] += 1
    if not counts:
        return None
    total = [totals[task.id] for task in tasks]
    figures: Figures = {}
    for word, by_task in sorted(counts.items()):
        right, given = zip(*(by_task[task.id] for task in tasks), strict=True)
        figures[word] = {**boot.ratio("given", given, total), **boot.ratio("right", right, given)}
    return figures


def _sum(one: Sequence[int], other: Sequence[int]) -> list[int]:
    return [a + b for a, b in zip(one, other, strict=True)]
