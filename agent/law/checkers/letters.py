"""Checks that upper and lower case make no difference."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from agent.checks.program_calls import HARNESS
from agent.examples.types import Clause
from agent.law.bench import KnownInput, LawBench, count_of
from agent.law.passed import is_of_sentence, shown_by
from agent.law.types import kept, left_open
from agent.source.parsing import module_of
from agent.state import Check
from agent.state.findings import Finding

_PLACES = 12
"""How many letters or words of an argument are changed alone."""


async def check_any_case(clause: Clause, bench: LawBench) -> Finding:
    """Changes the case of letters, or of words in a list, in one argument of known inputs at a time; the answers must
    be equal but for their own letters. A difference may be intended, so it breaks nothing."""
    if bench.brief.form == "program":
        return _typed_in_both(clause, bench)
    asked = [(given, text, other) for given, text in await bench.answered() for other in _otherwise(given, bench)]
    told = await bench.answers([other.shown(bench.entry) for _, _, other in asked])
    for (given, text, other), output in zip(asked, told, strict=True):
        if output.kind != "value" or output.text.casefold() != text.casefold():
            shown = f"{given.shown(bench.entry)} gives {text[:60]}, and {other.shown(bench.entry)} {str(output)[:60]}"
            return left_open(clause, shown)
    if not asked:
        return left_open(clause, "no known input holds a letter whose case could be changed")
    if not any(_has_twice(given, bench) for given, _, _ in asked) and not await _one_word_matters(asked, bench):
        return left_open(clause, "no known input holds two equal letters or words, of which one could be changed")
    return kept(clause, f"{count_of(len(asked), 'known input')} with letters in the other case, answered alike")


async def _one_word_matters(asked: Sequence[tuple[KnownInput, str, KnownInput]], bench: LawBench) -> bool:
    """Returns whether some known input has a single word in an argument, such as the name of a mode, and another word
    there changes the answer: then a program that tells case apart would answer otherwise too."""
    others: dict[str, str] = {}
    for given, text, _ in asked:
        for name, value in given.named(bench.parameters).items():
            if isinstance(value, str) and value.isalpha() and len(set(value.lower())) == len(value):
                other = "".join(chr((ord(letter) - 96) % 26 + 97) for letter in value.lower())
                others[given.with_value(bench.parameters, name, other).shown(bench.entry)] = text
    told = await bench.answers([*others])
    return any(str(output) != text for output, text in zip(told, others.values(), strict=True))


def _typed_in_both(clause: Clause, bench: LawBench) -> Finding:
    """Looks for a passed check that runs the program on some letter in both cases."""
    seen = [check for check in bench.passed if any(map(_in_both_cases, _texts_of_calls(check)))]
    about = [check for check in seen if is_of_sentence(check, clause)]
    return shown_by(clause, about, "no passed check of this sentence types a letter in both cases")


def _texts_of_calls(check: Check) -> Iterator[str]:
    """Yields what the check gives to each run of the program, as one text."""
    for node in ast.walk(module_of(check.source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == HARNESS:
            texts = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
            yield " ".join(text for text in texts if isinstance(text, str))


def _in_both_cases(text: str) -> bool:
    return any(letter.swapcase() in text for letter in text if letter.swapcase() != letter)


def _otherwise(given: KnownInput, bench: LawBench) -> Iterator[KnownInput]:
    for name, value in given.named(bench.parameters).items():
        yield from (given.with_value(bench.parameters, name, other) for other in _swapped(value) if other != value)


def _swapped(value: Any) -> Iterator[object]:
    """Yields the value with every second letter, or word of a list, in the other case; then with each one alone, which
    separates it from others that were equal to it."""
    things = _things(value)
    for places in (range(0, len(things), 2), *([place] for place in range(min(len(things), _PLACES)))):
        other = [thing.swapcase() if place in places else thing for place, thing in enumerate(things)]
        yield "".join(other) if isinstance(value, str) else other or value


def _things(value: Any) -> list[Any]:
    """Returns the letters of a text, or the words of a list."""
    things: list[Any] = list(value) if isinstance(value, str | list) else []  # pyright: ignore[reportUnknownArgumentType]
    return things if all(isinstance(thing, str) for thing in things) else []


def _has_twice(given: KnownInput, bench: LawBench) -> bool:
    """Returns whether changing one item separates it from another that was equal."""
    told = [_things(value)[:_PLACES] for value in given.named(bench.parameters).values()]
    return any(things.count(one) > 1 and one.swapcase() != one for things in told for one in things)
