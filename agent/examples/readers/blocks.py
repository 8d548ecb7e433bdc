"""Reads promises in labelled blocks, "Input: ... Output: ... Expected: ...", in several languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from agent.examples.grammar.arguments import arguments_of
from agent.examples.grammar.page import Page
from agent.examples.grammar.values import promise, value_at
from agent.examples.types import Example
from agent.examples.vocabulary import Phrase

Label = Literal["input", "output", "expected", "actual"]
LABELS: tuple[Label, ...] = ("input", "expected", "actual", "output")
ANY_LABEL = "|".join(f"(?P<{label}>{{{label}_label}})" for label in LABELS)
LABEL = Phrase(
    rf"(?:^|(?<=[.:;,)] )|(?<=\|\| ))[ \t>*#-]{{0,12}}(?:{ANY_LABEL})\*{{0,2}}(?:\s*#?\d+)?\s*:\**[ \t]*", re.M | re.I
)
"""A label at the beginning of a line or after a stop; the group's name tells which label."""
_ENDED = re.compile(r"`*\s*(?:[.;]\s|[.,;]?\s*(?:$|\n|#|\(|[^\W\d_]{3,}[^\n:]{0,20}:))", re.I)
_MOST_BLOCKS, _LONGEST_INPUT = 200, 400
"""How many labels of a text are looked at, and how many characters the input of a block may have."""


@dataclass(frozen=True, slots=True)
class _Labelled:
    label: Label
    start: int
    end: int


def block_examples(page: Page) -> list[Example]:
    """Returns the examples whose input names or fills every required parameter of the entry."""
    names = page.names
    if names.entry is None or names.parameters is None or not names.required:
        return []
    return [example for block in _blocks(page.text) if (example := _example(page, names.entry, block)) is not None]


def _blocks(text: str) -> Iterator[list[_Labelled]]:
    """Yields each input label with the labels up to the next one."""
    block: list[_Labelled] = []
    for match in islice(LABEL.finditer(text), _MOST_BLOCKS):
        found = _Labelled(_label_of(match), match.start(), match.end())
        if found.label == "input":
            yield block
            block = []
        block.append(found)
    yield block


def _label_of(match: re.Match[str]) -> Label:
    return next(label for label in LABELS if match.group(label))


def _example(page: Page, entry: str, block: list[_Labelled]) -> Example | None:
    """Returns the pair of input and output; a value labelled as expected is preferred to one labelled as output."""
    outputs = {item.label: item for item in reversed(block[1:])}
    wanted = outputs.get("expected") or outputs.get("output")
    if not block or block[0].label != "input" or wanted is None:
        return None
    if "expected" not in outputs and ("actual" in outputs or not page.is_law(block[0].start, "says")):
        return None
    given = page.text[block[0].end : block[1].start].strip()
    arguments = arguments_of(given, page.names) if _is_one_piece(given) else None
    place = _value_place(page.text, wanted.end)
    value = value_at(page.text, place)
    if arguments is None or value is None or not _ENDED.match(page.text, value[1]):
        return None
    return promise(f"{entry}({arguments})", value[0], page.reading.quote(block[0].start, value[1]))


def _is_one_piece(given: str) -> bool:
    return 0 < len(given) <= _LONGEST_INPUT and not re.search(r"\n[ \t]*\n", given)


def _value_place(text: str, place: int) -> int:
    match = re.compile(r"[ \t`>]*\n?(?:[ \t]*```\w*\n)?[ \t`>]*").match(text, place)
    return match.end() if match else place
