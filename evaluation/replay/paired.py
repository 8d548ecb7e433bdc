"""Differences between two policies on the same tasks and seeds, with the interval of a paired bootstrap."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .data import StoredTask
from .decisions import Row
from .figures import Bootstrap, Truth

Score = Callable[[Row, Mapping[str, bool]], tuple[float, float]]
"""(counted, out of) of one decision, given which programs of its task are right."""


def differences(
    one: Mapping[str, list[Row]],
    other: Mapping[str, list[Row]],
    tasks: Sequence[StoredTask],
    truth: Truth,
    boot: Bootstrap,
) -> dict[str, list[float]]:
    """{figure: [one less other, low, high]}, in percent points (attempts: in attempts), for figures that both have."""
    found: dict[str, list[float]] = {}
    for section, scores in _SCORES.items():
        for pool in _pools(one[section], other[section]):
            for name, score in scores.items():
                pair = [_tally(rows[section], pool, score, tasks, truth) for rows in (one, other)]
                if not all(sum(out_of) for _, out_of in pair):
                    continue
                label = ".".join(part for part in (section, pool, name) if part)
                found[label] = boot.gap(pair[0], pair[1], 1.0 if name == "attempts" else 100.0)
    return found


def _pools(one: list[Row], other: list[Row]) -> list[str]:
    if not one or not other:
        return []
    return list(dict.fromkeys(str(row.get("pool", "")) for row in one))


def _tally(
    rows: list[Row], pool: str, score: Score, tasks: Sequence[StoredTask], truth: Truth
) -> tuple[list[float], list[float]]:
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in rows:
        if row.get("pool", "") == pool:
            counted, total = score(row, truth[row["task_id"]])
            sums[row["task_id"]][0] += counted
            sums[row["task_id"]][1] += total
    return [sums[task.id][0] for task in tasks], [sums[task.id][1] for task in tasks]


def _false_reject(row: Row, right: Mapping[str, bool]) -> tuple[float, float]:
    hit = right[row["candidate"]]
    return float(hit and not row["accepted"]), float(hit)


def _wrong_among_accepted(row: Row, right: Mapping[str, bool]) -> tuple[float, float]:
    return float(row["accepted"] and not right[row["candidate"]]), float(row["accepted"])


def _chosen_right(row: Row, right: Mapping[str, bool]) -> tuple[float, float]:
    return float(right[row["chosen"]]), 1.0


def _attempts(row: Row, _right: Mapping[str, bool]) -> tuple[float, float]:
    return float(row["attempts"]), 1.0


def _broken(row: Row, right: Mapping[str, bool]) -> tuple[float, float]:
    first = right[row["first"]]
    return float(first and not right[row["chosen"]]), float(first)


def _wrong_among_verified(row: Row, right: Mapping[str, bool]) -> tuple[float, float]:
    verified = row.get("verdict") == "verified"
    return float(verified and not right[row["chosen"]]), float(verified)


_ACCEPT: dict[str, Score] = {"false_reject": _false_reject, "wrong_among_accepted": _wrong_among_accepted}
_SELECT: dict[str, Score] = {"accuracy": _chosen_right}
_LOOP: dict[str, Score] = {
    "final": _chosen_right,
    "attempts": _attempts,
    "broken_of_right": _broken,
    "wrong_among_verified": _wrong_among_verified,
}
_SCORES: Mapping[str, Mapping[str, Score]] = {
    "accept": _ACCEPT,
    "accept_without_examples": _ACCEPT,
    "select": _SELECT,
    "select_without_examples": _SELECT,
    "with_examples": _LOOP,
    "without_examples": _LOOP,
}


def describe(gap: Sequence[Any]) -> str:
    """ "+1.2 [0.1, 2.4]", with a mark when the interval contains 0."""
    figure, low, high = gap
    return f"{figure:+.2f} [{low:.2f}, {high:.2f}]{' (noise)' if low <= 0 <= high else ''}"
