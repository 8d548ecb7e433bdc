"""Checks values and sizes of arguments: the program must answer inputs up to both ends of what the task allows."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from agent.examples.types import Clause, Interval
from agent.law.bench import KnownInput, LawBench, is_number
from agent.law.types import kept, left_open
from agent.state.findings import Finding

from .errors import LAW, is_about
from .types import given_to

_MOST_ITEMS = 1_000_000
"""The most items of an input that is made for the end of a range."""
_SECONDS = 2.0
"""CPU seconds that a call at an end of the range may take."""


async def check_range(clause: Clause, bench: LawBench) -> Finding:
    """Runs known inputs with the value put to each end of its range."""
    if bench.brief.form == "class" and clause.interval is not None and clause.subject:
        return _check_objects(clause, bench)
    name, inside = _parameter(clause, bench)
    base = _base(bench, name, (list, tuple) if inside else (int, float))
    if base is None:
        return await _check_as_length(clause, bench, name)
    present = base.named(bench.parameters)[name]
    ends = [_end(value, present, inside=inside) for value in _values(clause.interval, present)]
    calls = [(f"{name}={_short(end)}", base.with_value(bench.parameters, name, end).shown(bench.entry)) for end in ends]
    return await _at_ends(clause, bench, calls)


def _check_objects(clause: Clause, bench: LawBench) -> Finding:
    """Checks a class and its methods by passed checks that give them each end."""
    given = [value for values in given_to(bench, clause.subject) for value in values]
    ends = _values(clause.interval, 0)
    missing = next((end for end in ends if end not in given), None)
    if missing is not None or not ends:
        return left_open(clause, f"no passed check gives {clause.subject} an end of its range")
    return kept(clause, f"passed checks give {clause.subject} {' and '.join(map(str, ends))}")


async def check_size(clause: Clause, bench: LawBench) -> Finding:
    """Runs a known input shortened or repeated to each end of the sizes."""
    return await _sized(clause, bench, _parameter(clause, bench)[0])


async def _check_as_length(clause: Clause, bench: LawBench, name: str) -> Finding:
    """Reads "1 <= n <= 100" as a length, if only one argument has a length and none is called n. What a program reads
    has no arguments: there a passed check of the sentence is looked for."""
    sized = _with_length(bench)
    if not name and clause.subject.lower() == "n" and len(sized) == 1:
        found = await _sized(clause, bench, next(iter(sized)))
        return replace(found, told=f"n taken as the length of {next(iter(sized))}; {found.told}")
    if bench.brief.form == "program" and (about := [one for one in bench.passed if is_about(one, clause)]):
        return kept(
            clause, f"the passed check {about[0].id}{'' if about[0].origin in LAW else ', which a model wrote'}"
        )
    return left_open(clause, f"no known input has a number {clause.subject!r} that could be put to its ends")


async def _sized(clause: Clause, bench: LawBench, name: str) -> Finding:
    base = _base(bench, name, (list, tuple, str), filled=True)
    if base is None:
        return left_open(clause, "no known input could be made so short or long")
    value = base.named(bench.parameters)[name]
    calls: list[tuple[str, str]] = []
    for end in _values(clause.interval, 0):
        size = min(int(end), _MOST_ITEMS)
        told = base.with_value(bench.parameters, name, "@sized@").shown(bench.entry)
        sized = repr(value[:size]) if size <= len(value) else f"({value!r} * {size // len(value) + 1})[:{size}]"
        calls.append((f"{name} of length {size}", told.replace("'@sized@'", sized)))
    return await _at_ends(clause, bench, calls)


async def _at_ends(clause: Clause, bench: LawBench, calls: list[tuple[str, str]]) -> Finding:
    if not calls:
        return left_open(clause, "it has no end that could be tried")
    told = await bench.answers([call for _, call in calls], _SECONDS)
    silent = next(((end, output) for (end, _), output in zip(calls, told, strict=True) if output.kind != "value"), None)
    if silent and silent[1].kind != "opaque":
        end, output = silent
        why = f"no end within {_SECONDS:g} s of computing" if output.kind == "timeout" else str(output)
        return left_open(clause, f"tried with {end}: {why}")
    return kept(clause, f"tried with {' and with '.join(end for end, _ in calls)}: answered")


def _parameter(clause: Clause, bench: LawBench) -> tuple[str, bool]:
    """Returns the parameter that the clause is about, and whether it is about what is inside; ("", False) when that is
    unclear."""
    name = re.split(r"\W", clause.subject)[0]
    if name in bench.parameters:
        return name, clause.kind == "range" and "[" in clause.subject
    if name:
        return "", False
    fitting = list(_with_length(bench) if clause.kind == "size" else _numbers(bench))
    return (fitting[0], False) if len(fitting) == 1 else ("", False)


def _with_length(bench: LawBench) -> dict[str, None]:
    """Returns the parameters that are given lists, tuples or texts."""
    named = (given.named(bench.parameters) for given in bench.known)
    return {name: None for values in named for name, value in values.items() if isinstance(value, list | tuple | str)}


def _numbers(bench: LawBench) -> dict[str, None]:
    named = (given.named(bench.parameters) for given in bench.known)
    return {name: None for values in named for name, value in values.items() if is_number(value)}


def _base(bench: LawBench, name: str, kinds: tuple[type, ...], *, filled: bool = False) -> KnownInput | None:
    """Returns the first known input whose value for the parameter is of one of the kinds; None without one."""
    for given in bench.known:
        value = given.named(bench.parameters).get(name)
        if isinstance(value, kinds) and not isinstance(value, bool) and (not filled or value):
            return given
    return None


def _values(interval: Interval | None, present: Any) -> list[float]:
    """Returns the ends that belong to the interval; for an open end, the value next to it inside."""
    if interval is None:
        return []
    step = 1e-6 if isinstance(present, float) else 1
    low, high = interval.low, interval.high
    ends = [] if low is None else [low if interval.low_in else low + step]
    ends += [] if high is None else [high if interval.high_in else high - step]
    return [end for end in ends if (low is None or end >= low) and (high is None or end <= high)]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _end(end: float, present: Any, *, inside: bool) -> Any:
    """Returns the end as a value like the present one; for a collection, the present one with the end as its first
    item."""
    if inside:
        first = present[0] if present else 0
        return type(present)([_end(end, first, inside=isinstance(first, list | tuple)), *present[1:]])
    return float(end) if isinstance(present, float) or end != int(end) else int(end)
