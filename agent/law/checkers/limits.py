"""Checks seconds and megabytes that the task states for a size, by one run of that size."""

from __future__ import annotations

import re
from math import isqrt

from agent.examples.types import Clause
from agent.law.bench import LawBench
from agent.law.measure import Measurement, measured
from agent.law.shapes import Variant, variants_of
from agent.law.types import broken, kept, left_open
from agent.state.findings import Finding

FACTOR = 2.0
"""A run of more than this many times the stated seconds, on an ordinary idle machine, is certainly too slow. Between
once and that nothing is decided, since the task does not say which machine it means."""
_MOST_SECONDS = 20.0
"""CPU seconds that one run of the stated size may take here."""
_MOST_SIZE = 10_000_000
"""The largest input, in elements, that is made here."""
_MEGABYTE = 1 << 20
_TRIES = 3
"""How often the time is measured; a busy machine may spoil one measurement."""


async def check_seconds(clause: Clause, bench: LawBench) -> Finding:
    """Measures whether a call on an input of the stated size ends within the stated seconds, for each kind of input
    that the claim surely means. The slowest decides the finding."""
    size = clause.size or _size_in(bench)
    limit = clause.seconds or 0.0
    if size is None:
        return left_open(clause, "no size is stated for which the time could be measured")
    variants = _inputs_of_size(clause, bench, size)
    if not variants or size > _MOST_SIZE:
        return left_open(clause, f"no input of size {size} could be made for it")
    if limit > _MOST_SECONDS:
        return left_open(clause, f"a run of {limit:g} s is longer than what is measured here")
    slowest: Measurement | None = None
    for variant, length in variants:
        reading = await _fastest(bench, variant, length, limit)
        if reading.error not in ("", "over"):
            continue
        if slowest is None or reading.amount > slowest.amount:
            slowest = reading
        if reading.error:
            break
    return (
        left_open(clause, f"no input of size {size} was answered")
        if slowest is None
        else _timed(clause, slowest, limit, size)
    )


def _inputs_of_size(clause: Clause, bench: LawBench, size: int) -> list[tuple[Variant, int]]:
    """Returns ways of making an input that the claim surely means, each with the size to make."""
    strong = [variant for variant in variants_of(bench) if variant.strong] if _fitting(bench) else []
    told = [(variant, _letters(clause, variant)) for variant in strong]
    return [(variant, round(size * letters)) for variant, letters in told if letters is not None]


def _letters(clause: Clause, variant: Variant) -> float | None:
    """Returns how many letters make up one unit of what the clause counts: for words or lines of a text, measured on
    the repeated text; otherwise 1. Returns None when that text has fewer than two units."""
    texts = [shape for shape in variant.shapes if shape[0] in ("tiled", "text", "needle") and isinstance(shape[1], str)]
    if len(texts) != 1 or len(texts) < len([shape for shape in variant.shapes if shape[0] != "value"]):
        return 1.0
    counted = _PARTS.search(clause.text)
    if counted is None:
        return 1.0
    kind, text = texts[0][:2]
    found = text.splitlines() if counted["lines"] else text.split()
    return len(text) / (len(found) - 1) if kind == "tiled" and len(found) > 1 else None


_PARTS = re.compile(
    r"(?<!\w)(?:words?|tokens?|wörter\w*|mots|palabras|parole|palavras|слов\w*"
    r"|(?P<lines>lines?|rows?|zeilen|lignes|líneas|righe|linhas|строк\w*))(?!\w)|单词|単語",
    re.I,
)
"""Words for what a size may count in a text instead of its letters."""


async def _fastest(bench: LawBench, variant: Variant, size: int, limit: float) -> Measurement:
    """Returns the best of a few runs; one that keeps the limit is enough."""
    side = isqrt(size) if variant.square and size > 2048 else size
    readings: list[Measurement] = []
    for turn in range(_TRIES):
        seconds = min(_MOST_SECONDS, 2 * FACTOR * limit * max([1.0, *(each.slowness for each in readings)]) + 0.5)
        reading = await measured(bench, variant, side, seed=turn, seconds=seconds)
        readings.append(reading)
        if reading.error or reading.amount <= limit:
            break
    return min(readings, key=lambda each: each.amount / each.slowness)


def _timed(clause: Clause, found: Measurement, limit: float, size: int) -> Finding:
    made = f" (a text of {found.size} letters)" if found.size > size else ""
    at = f"size {min(size, found.size)}{made}: {'more than ' if found.error else ''}{found.amount:.3g} s of computing"
    if found.amount <= limit and not found.error:
        return kept(clause, f"{at}, {limit:g} s are allowed")
    if found.amount / found.slowness > FACTOR * limit:
        return broken(clause, f"{at}, {limit:g} s are allowed")
    return left_open(
        clause, f"not decided: {at}, {limit:g} s are allowed, and this machine need not be the one that is meant"
    )


def _size_in(bench: LawBench) -> int | None:
    """Returns the largest size that the task's own limits allow, if it states them for one argument only."""
    sizes = [c for c in bench.brief.clauses if c.kind == "size" and c.interval is not None and c.interval.high]
    ranges = [c for c in bench.brief.clauses if c.kind == "range" and c.interval is not None and c.interval.high]
    numbered = [c for c in ranges if c.subject in (*bench.parameters, "n") and "[" not in c.subject]
    chosen = sizes if len(sizes) == 1 else numbered if not sizes and len(numbered) == 1 else []
    return int(chosen[0].interval.high) if chosen and chosen[0].interval and chosen[0].interval.high else None


def _fitting(bench: LawBench) -> bool:
    return bench.brief.form == "function"


async def check_memory(clause: Clause, bench: LawBench) -> Finding:
    """Measures the bytes that a call on an input of the stated size needs beside its input."""
    size = clause.size or _size_in(bench)
    limit = (clause.megabytes or 0.0) * _MEGABYTE
    if size is None:
        return left_open(clause, "no size is stated for which the memory could be measured")
    variants = [variant for variant in variants_of(bench) if variant.strong] if _fitting(bench) else []
    if not variants or size > _MOST_SIZE // 5:
        return left_open(clause, f"no input of size {size} could be made for it")
    reading = await measured(bench, variants[0], size, what="spaced", seconds=_MOST_SECONDS)
    if reading.error:
        return left_open(clause, f"an input of size {size} was not answered: {reading.error}")
    used = reading.amount + reading.second
    told = f"size {size}: {used / _MEGABYTE:.3g} MB beside the input, {clause.megabytes:g} MB are allowed"
    return kept(clause, told) if used <= limit else broken(clause, told)
