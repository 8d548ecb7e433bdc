"""Makes checks of what a call shows, and tells a function that is to print its result: what a task shows behind a call
is then printed, not returned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from agent.examples.types import Example
from agent.examples.vocabulary import Phrase, any_of, has, pattern
from agent.source.inputs import literal

from .page import Page

_RETURNING = re.compile(r"(?<!\w)return\w*", re.I)
_RETURNING_NOTHING = Phrase(r"(?<!\w)(?:return\w*|{returns}|{gives_back})\s+`?None(?!\w)")
_NOT_RETURNING = re.compile(r"return\w*\s+nothing|(?:not|n't|without)\s+return\w*\s+anything", re.I)
_OF_VALUES = re.compile(r"\([^()]*['\"\d\[]")
"""Matches a call with values, which is told of one input and not of the function."""
_LINES = "[line.rstrip() for line in {}.rstrip().splitlines()]"


def seen_example(page: Page, call: str, text: str, sentence: str, *, ordered: bool) -> Example:
    """Returns the example that a sentence of printing tells. "f(2) prints 4" may be how its author sees what is
    returned, unless the function is said to print or the sentence orders it."""
    prints = is_printing(page) or (ordered and not _speaks_of_returning(page.reading.masked))
    return (_printed if prints else shown)(call, text, sentence)


def _printed(call: str, text: str, sentence: str) -> Example:
    """Returns the example that `call` prints the text, whatever it returns. Blanks at the end of lines, and empty lines
    at the end of all, do not count."""
    told = _LINES.format("capsys.readouterr().out")
    return _example([call, f"assert {told} == {_lines_of(text)!r}"], sentence)


def shown(call: str, text: str, sentence: str, setup: Sequence[str] = ()) -> Example:
    """Returns the example that the text is what one sees after `call`: printed, or returned and then shown with or
    without quotes. `setup` is done before, and what that prints is not looked at."""
    before = [*setup, "capsys.readouterr()"] if setup else []
    lines = [
        *before,
        f"answer = {call}",
        "printed = capsys.readouterr().out",
        "seen = [printed, str(answer), repr(answer), f'{printed}{answer}', f'{printed}{answer!r}']",
        f"assert {_lines_of(text)!r} in [{_LINES.format('text')} for text in seen]",
    ]
    return _example(lines, sentence)


def _lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


def _example(lines: Iterable[str], sentence: str) -> Example:
    body = "\n".join(f"    {line}" for each in lines for line in each.split("\n"))
    return Example(f"def test_shown(capsys):\n{body}", " ".join(sentence.split()))


def text_of(value: str) -> str | None:
    """Returns what printing the literal shows; None for a decimal number, which the author may have rounded, and for
    what Python prints in its own spelling."""
    found = literal(value)
    if found is None or isinstance(found[0], float) or not isinstance(found[0], str | int | None):
        return None
    return str(found[0])


def as_printed(page: Page, example: Example) -> Example:
    """Returns what `print(f(5))  # 101` promises: 101 or '101', which print alike, unless the signature says that it
    is a number."""
    number = example.expected is not None and example.expected.lstrip("-").isdigit()
    if not number or re.search(r"-> *(?:int|float)", page.names.signature or ""):
        return example
    source = f"assert {example.call} in ({example.expected}, {example.expected!r})"
    return replace(example, source=source, call=None, expected=None)


def as_shown(page: Page, examples: Iterable[Example]) -> list[Example]:
    """Returns the examples; if the function is to print, those whose value is only shown (`>>> f(2)` and 4, f(2) -> 4)
    become checks of what one sees. A written equation, an error and None still say what the call does."""
    if not is_printing(page):
        return [*examples]
    return [one for each in examples if (one := _as_shown(each)) is not None]


def _as_shown(example: Example) -> Example | None:
    if re.search(r"==|\bNone\b", example.sentence) or re.search(r"pytest\.raises|capsys", example.source):
        return example
    text = text_of(example.expected) if example.expected else None
    return shown(example.call, text, example.sentence) if example.call and text else None


def without_changed(page: Page, examples: Sequence[Example]) -> list[Example]:
    """Returns the examples, for a function that changes its argument and of which the text says nowhere that it returns
    something: without the collections that are shown behind a call, which may be what the argument then holds."""
    if _speaks_of_returning(_NOT_RETURNING.sub(" ", page.reading.masked)):
        return [*examples]
    return [one for one in examples if (one.expected or "")[:1] not in ("[", "{") or "==" in one.sentence]


def only_right(text: str, examples: Sequence[Example]) -> list[Example]:
    """Returns the examples without those beside which another result is right too: where any answer is, all but truth
    values, None and what is empty, and where any order is, collections of several items."""
    if has(text, "any_answer"):
        return [
            one
            for one in examples
            if one.expected is None or not (found := literal(one.expected)) or _is_sure(found[0])
        ]
    if not has(text, "any_order"):
        return [*examples]
    return [one for one in examples if not _is_ordered(one)]


def _is_sure(value: object) -> bool:
    return value is None or isinstance(value, bool) or not value


def _is_ordered(example: Example) -> bool:
    found = literal(example.expected) if example.expected else None
    return found is not None and isinstance(found[0], list | tuple) and len(found[0]) > 1  # pyright: ignore[reportUnknownArgumentType]


def without_chance(text: str, examples: Sequence[Example]) -> list[Example]:
    """Returns the examples without those of what is printed, if the task speaks of chance or of the present time: each
    run may print something else, and no call tells that its value is drawn."""
    by_chance = has(text, "by_chance")
    return [one for one in examples if not (by_chance and "capsys" in one.source)]


def is_printing(page: Page) -> bool:
    """Returns whether the words right behind the name of the function, or behind "function", say that it prints, and
    the text has no word of returning. What is said of a call with values is said of that call alone."""
    entry = page.names.entry
    if entry is None or page.names.is_class or not page.reading.mentions("print", "print_anywhere"):
        return False
    text = page.reading.masked
    told = re.search(_led(re.escape(entry)), text, re.I) or re.search(_led(any_of("function")), text, re.I)
    if told is None or _OF_VALUES.search(told.group()):
        return False
    return not _speaks_of_returning(f"{text[: told.start()]}_{text[told.end() :]}")


def _led(head: str) -> str:
    soon = rf"(?:[^\w\n(]{{1,3}}\w+){{0,2}}?[^\w\n(]{{1,3}}(?:{any_of('print')})"
    late = rf"[^.\n]{{1,60}}?(?:{any_of('print_anywhere')})"
    return rf"(?<!\w)(?:{head})`?(?:\([^()\n]*\))?(?:{soon}|{late})"


def _speaks_of_returning(text: str) -> bool:
    """Returns whether a word of returning stands in the text; to return None is to return nothing."""
    text = _RETURNING_NOTHING.compiled.sub(" ", text)
    return any(each.search(text) for each in (_RETURNING, pattern("returns"), pattern("gives_back")))
