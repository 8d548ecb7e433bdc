"""The result stands in the order that the task names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from agent.examples.types import Clause
from agent.inputs import literal
from agent.law.bench import Bench, Given, count_of, parts
from agent.law.types import kept, left_open
from agent.state import Check, Finding

from .errors import LAW, is_about

_LEAST = 2
"""Items that a result needs to have an order at all."""
_ALPHABET = re.compile(r"al[fp]h?ab|алфавит", re.I)
"""Texts stand in order of their letters where the task says so: versions and days are texts too."""


async def check_sorted(clause: Clause, bench: Bench) -> Finding:
    """Answers to known inputs whose items can be put in that order by code; by another key, and where things are
    equal, what a passed check shows. A stated answer in another order shows that the sentence means another key."""
    way, by = (*clause.names, "", "")[:2]
    if way in ("key", "ties"):
        return _shown(clause, bench, way)
    seen: list[tuple[Given, str, bool]] = []
    for given, text in await bench.answered():
        keys = _keys(clause, given, text, by)
        if keys is not None and len({*map(repr, keys)}) >= _LEAST:
            seen.append((given, text, _stands(keys if way == "ascending" else keys[::-1])))
    wrong = [(given, text) for given, text, held in seen if not held]
    if not seen or any(given.stated for given, _ in wrong):
        return _shown(clause, bench, "key")
    if wrong:
        given, text = wrong[0]
        return left_open(clause, f"{given.shown(bench.entry)} gives {text[:80]}, in another order")
    return kept(clause, f"{count_of(len(seen), 'answer')} to known inputs, each in {way} order of {by}")


def _stands(keys: Sequence[Any]) -> bool:
    """Whether they ascend; texts also without regard to case."""
    folded = [key.casefold() if isinstance(key, str) else key for key in keys]
    return any(all(a <= b for a, b in pairwise(told)) for told in (keys, folded))


def _keys(clause: Clause, given: Given, text: str, by: str) -> Sequence[Any] | None:
    """By what the items of the answer are to be sorted; None where that cannot be told."""
    value = literal(text)
    items: list[Any] = _items(value[0]) if value is not None else []
    if by == "value":
        plain = (int, float) if _ALPHABET.search(clause.text) is None else str
        told = (
            items and all(isinstance(item, plain) and not isinstance(item, bool) for item in items) and text.isascii()
        )
        return items if told and not text.startswith("{") else None
    firsts: list[Any] = [item[0] if isinstance(item, tuple) else item for item in items]
    if by == "length":
        return [len(str(item)) for item in firsts] if all(isinstance(item, str) for item in firsts) else None
    return next((found for found in _counted(given, firsts) if 0 not in found), None)


def _items(value: Any) -> list[Any]:
    """Returns what stands in an order: the items of a list or tuple, the keys of a mapping."""
    return list(value) if isinstance(value, list | tuple | dict) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _counted(given: Given, items: Sequence[Any]) -> Iterator[list[int]]:
    """How often each item occurs in an argument: as an item, a letter or a word of it."""
    for argument in (*given.args, *given.keywords.values()):
        text = argument.lower() if isinstance(argument, str) else ""
        for parted in (_items(argument), list(text), text.split(), re.findall(r"\w+", text)):
            counts = Counter(map(repr, parted))
            yield [counts[repr(item)] for item in items]


def _shown(clause: Clause, bench: Bench, way: str) -> Finding:
    telling = [check for check in bench.passed if is_about(check, clause) and _tells(check, way)]
    if not telling:
        missing = (
            "no check of this sentence has two equal things to decide" if way == "ties" else "no check of this sentence"
        )
        return left_open(clause, missing)
    own = [check for check in telling if check.origin in LAW]
    author = "" if own else ", which a model wrote"
    return kept(clause, f"the passed check {(own or telling)[0].id}{author}")


def _tells(check: Check, way: str) -> bool:
    """Whether the check can show an order: its value has two items; for ties, two that are alike in something. A
    property that quotes the sentence, over many inputs, does."""
    value = literal(check.expected) if check.expected else None
    if value is None:
        return "property" in check.name
    stated: Any = value[0].split() if isinstance(value[0], str) else value[0]
    items = _items(stated)
    if way != "ties":
        return len(items) >= _LEAST
    return not items or _has_ties(items, check.call or "")


def _has_ties(items: Sequence[Any], call: str) -> bool:
    """Two neighbours share a part, are equally long, or occur equally often in the call."""
    shared = any({*map(repr, parts(a))} & {*map(repr, parts(b))} for a, b in pairwise(items))
    plain = all(isinstance(item, str) for item in items)
    counts = [len(re.findall(rf"(?<!\w){re.escape(str(item))}(?!\w)", call, re.I)) for item in items]
    return shared or (plain and any(a == b for a, b in pairwise(counts)))
