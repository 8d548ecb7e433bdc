"""Reads what a script drew, from the record of its calls to the plot library. A recorder that runs before the script
keeps it."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from sandbox.types import Artifact

from .figures import Figure, close
from .inserted import with_before

RECORD = "drawn.record.json"
_DRAWS = re.compile(r"\b(?:matplotlib|seaborn|pylab)\b|\.plot\(|\.hist\(")


@dataclass(frozen=True, slots=True)
class Axes:
    """One pair of axes, as the recorder describes it."""

    title: str = ""
    x: str = ""
    y: str = ""
    bars: Sequence[float] = ()
    lines: Sequence[Sequence[float]] = ()
    along: Sequence[Sequence[float]] = ()
    """For each line, the x values of its points."""
    points: int = 0
    data: Sequence[Sequence[Sequence[float]]] = ()
    """What is drawn point by point, or counted in a histogram: for each series its points, of one or two values."""
    wedges: Sequence[float] = ()
    images: int = 0
    patches: int = 0
    texts: int = 0

    @property
    def empty(self) -> bool:
        return not (self.bars or self.lines or self.points or self.wedges or self.images or self.patches or self.texts)

    @property
    def labelled(self) -> bool:
        """Whether both axes are labelled. A pie and a picture of pixels need no labels."""
        return bool((self.x.strip() and self.y.strip()) or self.wedges or self.images)


@dataclass(frozen=True, slots=True)
class Drawing:
    picture: str
    axes: tuple[Axes, ...] = field(default_factory=tuple[Axes, ...])


def with_recorder(code: str) -> str:
    """Returns the script with the recorder before it; a script that does not use the plot library as it is."""
    return with_before(code, "recorder", _DRAWS)


def drawings_in(artifacts: Sequence[Artifact]) -> tuple[Drawing, ...]:
    """Returns the recorder's drawings; () when its record is missing or malformed."""
    record = next((artifact.data for artifact in artifacts if artifact.name == RECORD), b"[]")
    try:
        told: Any = json.loads(record)
        return tuple(Drawing(str(one["picture"]), tuple(Axes(**axes) for axes in one["axes"])) for one in told)
    except (ValueError, TypeError, KeyError, RecursionError):
        return ()


Curve = tuple[Sequence[float], Sequence[float]]
"""The x values and y values of a line."""
_SAMPLED = 20
"""A line with at least this many points is taken for the curve of a function."""
_CLOSE, _ROUNDING = 0.02, 1e-6
"""How far two curves may lie apart, as shares of their height: at most _CLOSE between their points, and _ROUNDING
anywhere."""


def curves_of(drawing: Drawing) -> list[Curve]:
    return [curve for axes in drawing.axes for curve in zip(axes.along, axes.lines, strict=False) if len(curve[0]) > 1]


def same_curve(one: Curve, other: Curve) -> bool:
    """Returns whether two authors drew one function, each over a range and at x values of their own. The curves must be
    equal where both are drawn, for at least a third of the shorter range. Equal x values are not the authors' choice;
    such lines are data, and False is returned."""
    rising = all(a < b for xs, _ in (one, other) for a, b in pairwise(xs))
    if not rising or min(len(one[0]), len(other[0])) < _SAMPLED or list(one[0]) == list(other[0]):
        return False
    low, high = max(one[0][0], other[0][0]), min(one[0][-1], other[0][-1])
    if 3 * (high - low) < min(xs[-1] - xs[0] for xs, _ in (one, other)):
        return False
    places = [x for xs in (one[0], other[0]) for x in xs if low <= x <= high]
    values = [(*_at(one, x), *_at(other, x)) for x in places]
    height = max(max(a, b) for a, _, b, _ in values) - min(min(a, b) for a, _, b, _ in values)
    return all(
        abs(mine - theirs) <= min(_CLOSE * height, _ROUNDING * height + bend + other_bend)
        for mine, bend, theirs, other_bend in values
    )


def _at(curve: Curve, x: float) -> tuple[float, float]:
    """Returns the curve's value at `x`, between two points, and how strongly it bends there. On a smooth curve, a
    straight piece misses at most a quarter of that bend."""
    xs, ys = curve
    right = min(max(bisect_left(xs, x), 1), len(xs) - 1)
    share = (x - xs[right - 1]) / (xs[right] - xs[right - 1])
    near = range(max(right - 1, 1), min(right + 1, len(xs) - 1))
    bend = max(abs(ys[i - 1] - 2 * ys[i] + ys[i + 1]) / 2 for i in near)
    return ys[right - 1] + share * (ys[right] - ys[right - 1]), bend


def shape_of(drawing: Drawing, *, by_chance: bool) -> list[Any]:
    """Returns what two authors' pictures of the same data have in common: the drawn values, not their looks. With
    `by_chance`, only how many there are."""
    return [shape for axes in drawing.axes if (shape := _shape(axes, by_chance))]


def _shape(axes: Axes, by_chance: bool) -> list[Any]:
    lines = [line for line in axes.lines if len(line) > 1]
    if by_chance:
        counted = sum(axes.bars) if all(float(bar).is_integer() for bar in axes.bars) else -1
        found = [["bars", counted]] if axes.bars else [["lines", *sorted(map(len, lines))]] if lines else []
        return [*found, *([["points", axes.points]] if axes.points else [])]
    found = [["bars", *sorted(map(_plain, axes.bars))]] if axes.bars else []
    found += [["lines", *sorted([_plain(value) for value in line] for line in lines)]] if lines else []
    found += [["wedges", *sorted(map(_plain, axes.wedges))]] if axes.wedges else []
    return [*found, *([["points", axes.points]] if axes.points else [])]


def _plain(value: float) -> float:
    return float(f"{value:.4g}")


def table_of(drawings: Sequence[Drawing], printed: Sequence[Figure]) -> str:
    """Returns the drawn data as CSV, for another program to compute from; "" without any. Series whose values are among
    the `printed` figures are left out, because they are answers."""
    series = [one for drawing in drawings for axes in drawing.axes for one in axes.data if not _among(one, printed)]
    rows = [[number, *map(_short, point), ""][:3] for number, points in enumerate(series) for point in points]
    return "".join(",".join(map(str, row)) + "\n" for row in (["series", "x", "y"], *rows)) if rows else ""


def _among(points: Sequence[Sequence[float]], printed: Sequence[Figure]) -> bool:
    """Returns whether most of the series' values were printed."""
    values = [Figure(_short(value), ()) for point in points for value in point]
    return 2 * sum(any(close(value, one) for one in printed) for value in values) > len(values)


def _short(value: float) -> str:
    return f"{value:.7g}"
