"""Computes figures of decisions against the truth, each with the interval of a cluster bootstrap over tasks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.metrics import wilson

from .data import POOLS, SELECTIONS, StoredTask, selection_draw
from .decisions import Row

Truth = Mapping[str, Mapping[str, bool]]
Figures = dict[str, Any]
Right = Mapping[str, bool]
"""Which programs of one task are right, by program id."""
Score = Callable[[Row, Right, StoredTask], tuple[float, float]]
"""Returns (counted, out of) for one decision."""
RESAMPLES = 2000
"""How many resamples a bootstrap draws."""
PERCENT = 100.0
SCALES = {"attempts": 1.0}
"""The scale of figures that are no percentages."""


class Scorer:
    """Scores decisions against the truth. All figures come from the same resamples of whole tasks, so that two policies
    are compared on paired draws."""

    def __init__(self, tasks: Sequence[StoredTask], truth: Truth) -> None:
        self._tasks = {task.id: task for task in tasks}
        self._truth = truth
        self._draws = np.random.default_rng(0).integers(0, len(tasks), (RESAMPLES, len(tasks)))

    def accept(self, rows: Iterable[Row]) -> Figures | None:
        """Returns for each pool: false_reject (of right), false_accept (of wrong), wrong_among_accepted."""
        return self._figures(rows, ACCEPT, POOLS)

    def select(self, rows: Iterable[Row]) -> Figures | None:
        """Returns for each pool the accuracy of the chosen program, of the first one, and of an oracle."""
        return self._figures(rows, SELECT, SELECTIONS)

    def loop(self, rows: Iterable[Row]) -> Figures | None:
        """Returns final accuracy, attempts, what was broken and healed, and points won per attempt after the first."""
        found = self._figures(rows, LOOP, ("",))
        return found and found[""]

    def verdicts(self, rows: Iterable[Row]) -> Figures | None:
        """Returns for each verdict how often it was given, and how often the program was then right, in percent."""
        told = [row for row in rows if "verdict" in row]
        figures: Figures = {}
        for word in sorted({row["verdict"] for row in told}):
            given = self._tally(told, "", lambda row, _, __, word=word: (row["verdict"] == word, 1))
            right = self._tally([row for row in told if row["verdict"] == word], "", _chosen_right)
            figures[word] = {**self._ratio("given", *given), **self._ratio("right", *right)}
        return figures or None

    def differences(self, one: Mapping[str, list[Row]], other: Mapping[str, list[Row]]) -> dict[str, list[float]]:
        """Returns {figure: [one - other, low, high]} in percentage points (for attempts: in attempts), for the figures
        that both have."""
        found: dict[str, list[float]] = {}
        for section, scores in COMPARED.items():
            pools = dict.fromkeys(str(row.get("pool", "")) for row in one[section]) if other[section] else {}
            for pool, (name, score) in itertools.product(pools, scores.items()):
                pair = [self._tally(rows[section], pool, score) for rows in (one, other)]
                if all(sum(out_of) for _, out_of in pair):
                    label = ".".join(part for part in (section, pool, name) if part)
                    found[label] = self._gap(pair[0], pair[1], SCALES.get(name, PERCENT))
        return found

    def _figures(
        self, rows: Iterable[Row], scores: Mapping[str, Score], pools: Iterable[str]
    ) -> dict[str, Figures] | None:
        """Returns the figures of each pool's decisions; None if nothing was decided."""
        section = list(rows)
        found: dict[str, Figures] = {pool: {} for pool in pools}
        for pool, figures in found.items():
            for name, score in scores.items():
                figures |= self._ratio(name, *self._tally(section, pool, score), SCALES.get(name, PERCENT))
        return found if section else None

    def _tally(self, rows: Iterable[Row], pool: str, score: Score) -> tuple[list[float], list[float]]:
        """Returns what a score counts and what it is out of, each summed over the decisions of a pool ("": rows without
        a pool) and listed by task."""
        sums = {name: [0.0, 0.0] for name in self._tasks}
        for row in rows:
            if row.get("pool", "") == pool:
                name = row["task_id"]
                counted, out_of = score(row, self._truth[name], self._tasks[name])
                sums[name][0] += counted
                sums[name][1] += out_of
        return [pair[0] for pair in sums.values()], [pair[1] for pair in sums.values()]

    def _ratio(
        self, name: str, numerator: Sequence[float], denominator: Sequence[float], scale: float = PERCENT
    ) -> Figures:
        """Returns {name: scale x sum(numerator) / sum(denominator), name_ci: its 95 % interval}; both are None if
        nothing counts. The interval of a share of 0 or 100 percent is Wilson's over the tasks that count."""
        if not sum(denominator):
            return {name: None, f"{name}_ci": None}
        figure, draws = self._resampled(numerator, denominator)
        low, high = np.percentile(draws, [2.5, 97.5])
        if scale == PERCENT and figure in (0.0, 1.0):
            # A bootstrap shows no spread here.
            counted = sum(1 for value in denominator if value)
            low, high = wilson(counted if figure else 0, counted)
        return {
            name: round(scale * figure, 2),
            f"{name}_ci": [round(scale * float(low), 2), round(scale * float(high), 2)],
        }

    def _gap(
        self, one: tuple[Sequence[float], Sequence[float]], other: tuple[Sequence[float], Sequence[float]], scale: float
    ) -> list[float]:
        """Returns [difference of two ratios, low, high], with both resampled on the same tasks."""
        ratios = [self._resampled(*pair) for pair in (one, other)]
        low, high = np.percentile(ratios[0][1] - ratios[1][1], [2.5, 97.5])
        return [round(scale * float(value), 2) for value in (ratios[0][0] - ratios[1][0], low, high)]

    def _resampled(self, numerator: Sequence[float], denominator: Sequence[float]) -> tuple[float, Any]:
        num, den = np.array(numerator, float), np.array(denominator, float)
        draws = num[self._draws].sum(1) / np.maximum(den[self._draws].sum(1), 1e-9)
        return float(num.sum() / max(den.sum(), 1e-9)), draws


def describe(gap: Sequence[Any]) -> str:
    """Returns "+1.2 [0.1, 2.4]", with a mark if the interval contains 0."""
    figure, low, high = gap
    return f"{figure:+.2f} [{low:.2f}, {high:.2f}]{' (noise)' if low <= 0 <= high else ''}"


def _chosen_right(row: Row, right: Right, _: StoredTask) -> tuple[float, float]:
    return right[row["chosen"]], 1


def _any_right(row: Row, right: Right, task: StoredTask) -> tuple[float, float]:
    return any(right[program.id] for program in selection_draw(task, row["pool"], row["seed"])), 1


ACCEPT: Mapping[str, Score] = {
    "false_reject": lambda row, right, _: (not row["accepted"], 1) if right[row["candidate"]] else (0, 0),
    "false_accept": lambda row, right, _: (0, 0) if right[row["candidate"]] else (row["accepted"], 1),
    "wrong_among_accepted": lambda row, right, _: (not right[row["candidate"]], 1) if row["accepted"] else (0, 0),
}
SELECT: Mapping[str, Score] = {
    "accuracy": _chosen_right,
    "first": lambda row, right, _: (right[row["first"]], 1),
    "oracle": _any_right,
}
LOOP: Mapping[str, Score] = {
    "final": _chosen_right,
    "attempts": lambda row, _, __: (row["attempts"], 1),
    "broken_of_right": lambda row, right, _: (not right[row["chosen"]], 1) if right[row["first"]] else (0, 0),
    "healed_of_wrong": lambda row, right, _: (0, 0) if right[row["first"]] else (right[row["chosen"]], 1),
    "net_gain_per_extra_attempt": lambda row, right, _: (
        right[row["chosen"]] - right[row["first"]],
        row["attempts"] - 1,
    ),
}
_ACCEPT = {name: ACCEPT[name] for name in ("false_reject", "wrong_among_accepted")}
_SELECT = {"accuracy": _chosen_right}
_LOOP: Mapping[str, Score] = {
    **{name: LOOP[name] for name in ("final", "attempts", "broken_of_right")},
    "wrong_among_verified": lambda row, right, _: (
        (not right[row["chosen"]], 1) if row.get("verdict") == "verified" else (0, 0)
    ),
}
COMPARED: Mapping[str, Mapping[str, Score]] = {
    "accept": _ACCEPT,
    "accept_without_examples": _ACCEPT,
    "select": _SELECT,
    "select_without_examples": _SELECT,
    "with_examples": _LOOP,
    "without_examples": _LOOP,
}
"""For each section, in what two policies are compared."""
