"""Reads promises in labelled blocks, "Input: ... Output: ... Expected: ...", in several languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Literal

from agent.examples.grammar.arguments import call_of
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
class Labelled:
    label: Label
    start: int
    end: int
    stop: int
    """Where the next label begins."""


def block_examples(page: Page) -> list[Example]:
    """Returns the examples whose input is a call, or names or fills every required parameter of the entry."""
    found = (_example(page, block) for block in blocks_in(page.text, LABEL))
    return [example for example in found if example is not None]


def is_labelled_input(page: Page, place: int) -> bool:
    """Returns whether only the label of an input stands before the place in its line; what its output is, its block
    says."""
    label = LABEL.match(page.text, page.text.rfind("\n", 0, place) + 1)
    return label is not None and label["input"] is not None and not page.text[label.end() : place].strip("` ")


def blocks_in(text: str, form: Phrase) -> Iterator[list[Labelled]]:
    """Yields each label of an input with the labels of that form behind it, up to the next input."""
    found = [*islice(form.finditer(text), _MOST_BLOCKS)]
    block: list[Labelled] = []
    for match, after in zip_longest(found, found[1:]):
        label: Label = next(label for label in LABELS if match.group(label))
        if label == "input":
            yield from [block] if block else []
            block = []
        if block or label == "input":
            block.append(Labelled(label, match.start(), match.end(), after.start() if after else len(text)))
    yield from [block] if block else []


def _example(page: Page, block: list[Labelled]) -> Example | None:
    """Returns the pair of input and output; a value labelled as expected is preferred to one labelled as output."""
    outputs = {item.label: item for item in reversed(block[1:])}
    wanted = outputs.get("expected") or outputs.get("output")
    if wanted is None:
        return None
    if "expected" not in outputs and ("actual" in outputs or not page.is_law(block[0].start, "says")):
        return None
    given = page.text[block[0].end : block[1].start].strip()
    call = call_of(page.names.method or page.names, given) if _is_one_piece(given) else None
    place = _value_place(page.text, wanted.end)
    value = value_at(page.text, place)
    if call is None or value is None or not _ENDED.match(page.text, value[1]):
        return None
    return promise(call, value[0], page.reading.quote(block[0].start, value[1]))


def _is_one_piece(given: str) -> bool:
    return 0 < len(given) <= _LONGEST_INPUT and not re.search(r"\n[ \t]*\n", given)


def _value_place(text: str, place: int) -> int:
    match = re.compile(r"[ \t`>]*\n?(?:[ \t]*```\w*\n)?[ \t`>]*").match(text, place)
    return match.end() if match else place
