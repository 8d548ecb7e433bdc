"""Checks that what is kept of the input stays in its order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from agent.examples.types import Clause
from agent.law.bench import KnownInput, LawBench, count_of, stated_first
from agent.law.types import kept, left_open
from agent.source.inputs import literal
from agent.state.findings import Finding

_LEAST = 2
"""How many items a result needs to have an order at all."""


async def check_order(clause: Clause, bench: LawBench) -> Finding:
    """Compares answers made of the items of one argument with the order of that argument, or of each item's first place
    in it. The clause is never broken: a stated answer in another order shows that the sentence means another order, and
    other inputs may be meant differently."""
    seen = [
        (given, text, held) for given, text in await bench.answered() if (held := _in_order(given, text)) is not None
    ]
    if not seen:
        turned = await _turned(bench)
        if turned:
            return kept(
                clause, f"turning the argument round turns the answer round, in {count_of(turned, 'known input')}"
            )
        return left_open(clause, "no answer to a known input is made of items or parts of an argument")
    wrong = [(given, text) for given, text, held in seen if not held]
    if wrong:
        given, text = stated_first(wrong)
        return left_open(clause, f"{given.shown(bench.entry)} gives {text[:80]}, in another order")
    return kept(clause, f"{count_of(len(seen), 'answer')} to known inputs compared with the order of the argument")


async def _turned(bench: LawBench) -> int:
    """Returns for how many known inputs reversing a list reverses the answer; each item is then changed in its
    place."""
    count = 0
    for given, text in await bench.answered():
        value = literal(text)
        result = _items(value[0]) if value is not None and text.startswith("[") else None
        if result is None or len(result) < _LEAST or result == result[::-1]:
            continue
        for name, items in given.named(bench.parameters).items():
            if isinstance(items, list):
                turned = given.with_value(bench.parameters, name, items[::-1])
                (back,) = await bench.answers([turned.shown(bench.entry)])
                count += back.kind == "value" and literal(back.text) == (result[::-1],)
    return count


def _in_order(given: KnownInput, text: str) -> bool | None:
    """Returns whether the answer's items stand in the order of an argument; None when they are no selection of its
    items, nor parts of a text."""
    value = literal(text)
    result = _items(value[0]) if value is not None else None
    if result is None or len(result) < _LEAST:
        return None
    for items in _arguments(given):
        if all(item in items for item in result):
            firsts = [items.index(item) for item in result]
            return firsts == sorted(firsts) or _is_subsequence(result, items)
    return next(_in_order_of_text(given, result), None)


def _in_order_of_text(given: KnownInput, result: Sequence[Any]) -> Iterator[bool]:
    """Yields for each text among the arguments that holds all items of the answer whether they stand in it in that
    order, by their first places or one behind the other."""
    for text in (*given.args, *given.keywords.values()):
        if isinstance(text, str) and all(isinstance(item, str) and item and item in text for item in result):
            firsts = [text.index(item) for item in result]
            rest = re.compile(".*?".join(map(re.escape, result)), re.S)
            yield firsts == sorted(firsts) or rest.search(text) is not None


def _items(value: Any) -> list[Any] | None:
    """Returns the items of an answer in order, of a mapping its keys."""
    return list(value) if isinstance(value, list | tuple | str | dict) else None  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _arguments(given: KnownInput) -> Iterator[list[Any]]:
    for value in (*given.args, *given.keywords.values()):
        if isinstance(value, list | tuple | str):
            yield list(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _is_subsequence(result: Sequence[Any], items: Sequence[Any]) -> bool:
    rest = iter(items)
    return all(any(item == other for other in rest) for item in result)
