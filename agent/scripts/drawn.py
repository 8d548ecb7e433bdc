"""What a script drew, as the plot library was told: kept by a recorder that is put before the script."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from agent.parsing import UNREADABLE
from llm.files import join_files, split_files
from sandbox.types import Artifact

RECORD = "drawn.record.json"
_DRAWS = re.compile(r"\b(?:matplotlib|seaborn|pylab)\b|\.plot\(|\.hist\(")


@dataclass(frozen=True, slots=True)
class Axes:
    """One pair of axes, in the recorder's words."""

    title: str = ""
    x: str = ""
    y: str = ""
    bars: Sequence[float] = ()
    lines: Sequence[Sequence[float]] = ()
    points: int = 0
    wedges: Sequence[float] = ()
    images: int = 0
    patches: int = 0
    texts: int = 0

    @property
    def empty(self) -> bool:
        return not (self.bars or self.lines or self.points or self.wedges or self.images or self.patches or self.texts)

    @property
    def labelled(self) -> bool:
        """A pie and a picture of pixels have no axes to be labelled."""
        return bool((self.x.strip() and self.y.strip()) or self.wedges or self.images)


@dataclass(frozen=True, slots=True)
class Drawing:
    picture: str
    axes: tuple[Axes, ...] = field(default_factory=tuple[Axes, ...])


def with_recorder(code: str) -> str:
    """The script with the recorder before its first statement, on the same line where that can be; a script that draws
    nothing by the plot library, or that does not parse, as it is."""
    if not _DRAWS.search(code):
        return code
    if (files := split_files(code)) is not None:
        first = next((path for path, text in files.items() if _DRAWS.search(text)), "")
        return join_files({path: with_recorder(text) if path == first else text for path, text in files.items()})
    try:
        body = ast.parse(code).body
    except UNREADABLE:
        return code
    opening = 0
    while opening < len(body) and _must_be_first(body[opening], opening):
        opening += 1
    line = f"exec({_source()!r}, {{'__name__': 'recorder'}})"
    lines = code.split("\n")
    if opening == 0:
        return f"{line}\n{code}"
    last = body[opening - 1].end_lineno or 1
    lines[last - 1] += f"; {line}"
    return "\n".join(lines)


def _must_be_first(statement: ast.stmt, place: int) -> bool:
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return (place == 0 and is_text) or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")


@cache
def _source() -> str:
    return Path(__file__).with_name("recorder.py").read_text(encoding="utf-8")


def drawings_in(artifacts: Sequence[Artifact]) -> tuple[Drawing, ...]:
    """What the recorder kept; nothing where its record is missing or is none."""
    record = next((artifact.data for artifact in artifacts if artifact.name == RECORD), b"[]")
    try:
        told: Any = json.loads(record)
        return tuple(Drawing(str(one["picture"]), tuple(Axes(**axes) for axes in one["axes"])) for one in told)
    except (ValueError, TypeError, KeyError, RecursionError):
        return ()


def shape_of(drawing: Drawing, *, by_chance: bool) -> list[Any]:
    """What two authors' pictures of the same data have in common: the values that are drawn, not how. `by_chance`: how
    many there are."""
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
