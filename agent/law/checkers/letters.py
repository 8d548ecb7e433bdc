"""Upper and lower case make no difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent.examples.types import Clause
from agent.law.bench import KnownInput, LawBench, count_of
from agent.law.types import kept, left_open
from agent.state import Finding


async def check_any_case(clause: Clause, bench: LawBench) -> Finding:
    """Known inputs with every second letter, or word of a list, in the other case, in one argument at a time: the
    answers are alike but for their own letters. What differs may be meant so, and breaks nothing."""
    asked = [(given, text, other) for given, text in await bench.answered() for other in _otherwise(given, bench)]
    told = await bench.answers([other.shown(bench.entry) for _, _, other in asked])
    for (given, text, other), output in zip(asked, told, strict=True):
        if output.kind != "value" or output.text.casefold() != text.casefold():
            shown = f"{given.shown(bench.entry)} gives {text[:60]}, and {other.shown(bench.entry)} {str(output)[:60]}"
            return left_open(clause, shown)
    if not asked:
        return left_open(clause, "no known input holds a letter whose case could be changed")
    return kept(clause, f"{count_of(len(asked), 'known input')} with letters in the other case, answered alike")


def _otherwise(given: KnownInput, bench: LawBench) -> Iterator[KnownInput]:
    for name, value in given.named(bench.parameters).items():
        if (other := _swapped(value)) != value:
            yield given.with_value(bench.parameters, name, other)


def _swapped(value: Any) -> object:
    if isinstance(value, str):
        return "".join(sign if place % 2 else sign.swapcase() for place, sign in enumerate(value))
    words: list[Any] = list(value) if isinstance(value, list) else []  # pyright: ignore[reportUnknownArgumentType]
    if not all(isinstance(word, str) for word in words):
        return value  # pyright: ignore[reportUnknownVariableType]
    return [word if place % 2 else word.swapcase() for place, word in enumerate(words)] or value  # pyright: ignore[reportUnknownVariableType]
