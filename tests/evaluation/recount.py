"""Every figure of `report --json` and `compare`, computed again from the lines of trials by other means: nothing of
the evaluation is imported, and where a formula has another form, the other form is used.

    python -m tests.evaluation.recount DIR          the report of a folder, as JSON
    python -m tests.evaluation.recount DIR DIR      the comparison of two
"""

from __future__ import annotations

import json
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, combinations
from math import comb, sqrt
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
Hit = Callable[[Row], bool]
WORDS = ("verified", "partly_verified", "unverified", "failed")
MEANS = ("attempts", "calls", "input_tokens", "output_tokens", "seconds", "model_seconds", "sandbox_seconds",
         "grading_seconds")  # fmt: skip
EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
MISTAKE = 4.5 * sqrt(0.025 * 0.975 / 2000)
"""How far from 2.5 % the share of 2,000 draws below a bound may be."""
Part = tuple[Any, int]
"""Hits, and out of how many."""
Bounds = tuple[tuple[float, float], tuple[float, float]]
"""Where the lower and where the upper end of an interval may lie."""


def accepted(row: Row) -> bool:
    return row["verdict"].endswith("verified") and row["verdict"] != "unverified"


def right(row: Row) -> bool:
    return row["final_correct"]


SHARES: dict[str, tuple[Hit, Hit]] = {
    "first_correct": (lambda r: r["first_correct"], lambda r: True),
    "final_correct": (right, lambda r: True),
    "oracle": (lambda r: r["any_correct"], lambda r: True),
    "healed_of_wrong": (right, lambda r: not r["first_correct"]),
    "broken_of_right": (lambda r: not right(r), lambda r: r["first_correct"]),
    "wrong_among_accepted": (lambda r: not right(r), accepted),
    "false_accept": (accepted, lambda r: not right(r)),
    "false_reject": (lambda r: not accepted(r), right),
    "right_among_not_accepted": (right, lambda r: not accepted(r)),
}
"""Figure -> (what counts, of what)."""
GAPS: dict[str, Hit] = {
    "first correct": lambda r: r["first_correct"],
    "final correct": right,
    "accepted and right": lambda r: accepted(r) and right(r),
    "accepted and wrong": lambda r: accepted(r) and not right(r),
}


def read(folder: Path) -> list[Row]:
    """The last line of each key, as a resumed folder has it."""
    lines = (folder / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    return list({row["key"]: row for row in map(json.loads, lines)}.values())


def wilson(share: float, units: int) -> Bounds:
    """Both roots of (p - share)^2 = z^2 p (1 - p) / units."""
    if not units:
        return (0.0, 0.0), (1.0, 1.0)
    z2 = 1.96**2
    a, b, c = 1 + z2 / units, -(2 * share + z2 / units), share**2
    root = sqrt(max(0.0, b * b - 4 * a * c))
    low, high = max(0.0, (-b - root) / (2 * a)), min(1.0, (-b + root) / (2 * a))
    return (low, low), (high, high)


def percent(bounds: Bounds) -> Bounds:
    (low, lower), (upper, high) = bounds
    return (100 * low, 100 * lower), (100 * upper, 100 * high)


def resampled(units: Sequence[Part]) -> Bounds:
    """What 2.5 and 97.5 % of the samples of the units with replacement stay below, each from the least to the most
    that 2,000 draws can take it for: the sums of all samples with their exact weights, and no draw."""
    kinds, sums = Counter(units), {(0, 0): 1.0}
    for _ in units:
        grown: dict[Part, float] = defaultdict(float)
        for (hits, bases), weight in sums.items():
            for (more, wide), times in kinds.items():
                grown[hits + more, bases + wide] += weight * times / len(units)
        sums = grown
    weights: dict[float, float] = defaultdict(float)
    for (hits, bases), weight in sums.items():
        if bases:
            weights[float(Fraction(hits) / bases)] += weight
    parts = [0.025 - MISTAKE, 0.025 + MISTAKE, 0.975 - MISTAKE, 0.975 + MISTAKE]
    values = sorted(weights)
    below = list(accumulate(weights[value] for value in values))
    places = [values[min(bisect_left(below, part * below[-1]), len(values) - 1)] for part in parts]
    return (places[0], places[1]), (places[2], places[3])


def grouped(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["problem"], []).append(row)
    return found


def share(rows: Sequence[Row], hit: Hit, base: Hit) -> tuple[float | None, Bounds | None]:
    """In percent, exactly; the interval over problems."""
    parts = [(sum(hit(r) for r in group if base(r)), sum(map(base, group))) for group in grouped(rows).values()]
    counted = [part for part in parts if part[1]]
    if not counted:
        return None, None
    whole = Fraction(sum(hits for hits, _ in counted), sum(bases for _, bases in counted))
    if {Fraction(hits, bases) for hits, bases in counted} == {whole}:
        bounds = wilson(float(whole), len(counted))
    else:
        bounds = resampled(parts)
    return float(100 * whole), percent(bounds)


def pass_at(group: Sequence[Row], k: int) -> Fraction:
    """By listing every choice of k samples."""
    choices = list(combinations([right(row) for row in group], k))
    return Fraction(sum(map(any, choices)), len(choices))


def mean(values: Sequence[float | None]) -> float | None:
    known = [Fraction(str(value)) for value in values if value is not None]
    return float(sum(known) / len(known)) if known else None


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Figure -> its value, or (value, interval)."""
    graded = [row for row in rows if not row["error"]]
    groups = grouped(graded)
    told: dict[str, Any] = {"problems": len(groups), "trials": len(graded), "errors": len(rows) - len(graded)}
    told |= {name: share(graded, *counts) for name, counts in SHARES.items()}
    for word in WORDS:
        mine = [row for row in graded if row["verdict"] == word]
        told[f"{word}: trials"], told[f"{word}: right"] = len(mine), share(mine, right, lambda r: True)
        told[f"{word}: share"] = share(graded, lambda r, word=word: r["verdict"] == word, lambda r: True)
    told |= {f"mean_{name}": mean([row.get(name) for row in graded]) for name in MEANS}
    costs, solved = [row["cost_usd"] for row in graded], sum(map(right, graded))
    tokens = sum(row["input_tokens"] + row["output_tokens"] for row in graded)
    told["cost_usd"] = None if None in costs else sum(costs)
    told["cost_per_solved_usd"] = sum(costs) / solved if solved and None not in costs else None
    told["tokens_per_solved"] = tokens / solved if solved else None
    for k in {1, min(map(len, groups.values()), default=0)} - {0} if groups else ():
        rate = sum(pass_at(group, k) for group in groups.values()) / len(groups)
        told[f"pass@{k}"] = float(100 * rate), percent(wilson(float(rate), len(groups)))
    for least in {row["chance"] for row in graded} - {None}:
        taken = [row for row in graded if row["chance"] is not None and row["chance"] >= least]
        told[f"risk at {least}"] = share(taken, lambda r: not right(r), lambda r: True)
        told[f"coverage at {least}"] = 100 * len(taken) / len(graded)
    for place, group in sorted(binned(graded).items()):
        hits = Fraction(sum(map(right, group)), len(group))
        bounds = wilson(float(hits), len(grouped(group)))
        told[f"honest from {EDGES[place]}"] = float(100 * hits), percent(bounds)
    return told


def binned(rows: Sequence[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows:
        if row["chance"] is not None:
            place = bisect_left(EDGES[1:-1], row["chance"] + 1e-12)
            found.setdefault(place, []).append(row)
    return found


def compare(first: Sequence[Row], second: Sequence[Row]) -> dict[str, Any]:
    """Figure -> difference, interval, chance after Holm's correction, problems, problems needed."""
    sides = [grouped(row for row in rows if not row["error"]) for rows in (first, second)]
    both = sorted(set(sides[0]) & set(sides[1]))
    found: dict[str, Any] = {}
    for name, hit in GAPS.items():
        before, after = ([Fraction(sum(map(hit, side[one])), len(side[one])) for one in both] for side in sides)
        gaps = [100 * (late - early) for early, late in zip(before, after, strict=True)]
        found[name] = {"problems": len(both)} | (_gap(gaps) if gaps else {})
    corrected(found)
    return found


def _gap(gaps: Sequence[Fraction]) -> dict[str, Any]:
    middle = sum(gaps) / len(gaps)
    if len(set(gaps)) == 1:
        others = wilson(0.0, len(gaps))[1][0]
        low, high = ((1 - others) * float(middle) + sign * 100 * others for sign in (-1, 1))
        bounds = (low, low), (high, high)
    else:
        bounds = resampled([(gap, 1) for gap in gaps])
    spread = sum((gap - middle) ** 2 for gap in gaps) / (len(gaps) - 1) if len(gaps) > 1 else 0
    reach = 1.959963984540054 + 0.8416212335729143  # normal quantiles of 97.5 % and 80 %
    needed = reach**2 * float(spread / middle**2) if spread and middle else None
    return {"difference": float(middle), "interval": bounds, "raw": two_sided(gaps), "needed": needed}


def two_sided(gaps: Sequence[Fraction]) -> Fraction:
    """The sign test: the weight of every split at least as uneven as this one."""
    signs = [gap > 0 for gap in gaps if gap]
    uneven = abs(2 * sum(signs) - len(signs))
    splits = [comb(len(signs), k) for k in range(len(signs) + 1) if abs(2 * k - len(signs)) >= uneven]
    return Fraction(sum(splits), 2 ** len(signs))


def corrected(found: dict[str, Any]) -> None:
    """Holm: at each level the smallest chance that the step-down procedure still rejects at, by trying all."""
    raw = {name: told.get("raw", Fraction(1)) for name, told in found.items()}
    levels = {min(Fraction(1), chance * times) for chance in raw.values() for times in range(1, len(raw) + 1)}
    for name in raw:
        found[name]["chance"] = float(min(level for level in levels if name in rejected(raw, level)))


def rejected(raw: Mapping[str, Fraction], level: Fraction) -> set[str]:
    """The hypotheses that Holm's step-down procedure rejects at a level."""
    if level == 1:
        return set(raw)
    gone: set[str] = set()
    for name in sorted(raw, key=lambda one: raw[one]):
        if raw[name] * (len(raw) - len(gone)) > level:
            break
        gone.add(name)
    return gone


if __name__ == "__main__":
    told = [read(Path(folder)) for folder in sys.argv[1:]]
    print(json.dumps(compare(*told) if len(told) == 2 else report(*told), indent=1, default=float))
