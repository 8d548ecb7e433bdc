"""Reads claims of growth that say it in other ways than by a big O: what is too slow ("no quadratic algorithm"), and
growth in words ("proportional to the length", "in n log n time")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from agent.examples.grammar.page import Page
from agent.examples.types import Clause
from agent.examples.vocabulary import Phrase, any_of, meanings, pattern

from .segments import segment

_BIG_O = r"[OΘ]\s?\((?P<inside>(?:[^()\n]|\([^()\n]{0,30}\)){1,40})\)"
_SLOW = "n^2"
"""The growth whose adjectives name what is too slow."""
_FORMULA = r"n\s?\*?\s?log\s?n|n\s?\^\s?2|log\s?n"
_BARE = Phrase(
    rf"(?<!\w)(?:in|within|most|than|only|takes?|needs?|uses?|mit|höchstens)\s+(?P<growth>{_FORMULA})"
    r"(?=\s+(?:(?:run(?:ning)? ?)?time|runtime|steps?|operations?|comparisons?|laufzeit|schritte\w*|vergleiche\w*)"
    r"(?!\w))"
    r"|(?:complexity|runtime|running time|laufzeit|komplexität)\s*(?::|is|of|ist|von)?\s*"
    r"(?:(?:{must}\s+)?(?:be\s+)?(?:{not_worse}|{at_most})\s+)?"
    rf"(?P<labelled>{_FORMULA})(?![\w)])"
)
"""Matches a growth without a big O beside a word for what is counted."""
_NO_MORE = Phrase(
    r"(?<!\w){avoids}\s+(?:\w+\s+){0,2}?(?:{extra}\s+{space}|{space}\s+{extra})"
    r"(?=\s*(?:[.,;:!)]|\Z|\n)|\s+(?:{and_word}|{must})(?!\w))"
)
"""Matches "without extra space", but not "without extra space between the words"."""


def avoided_clauses(page: Page) -> Iterator[tuple[Clause, int, int]]:
    """Yields a clause for each growth that the text rules out, with its place; the growth is spelled as in the text."""
    text = page.reading.masked
    for match in _avoided().finditer(text) if page.reading.mentions("avoids", "is_too_slow") else ():
        found = match["big"] or match["late"]
        begin, stop = page.reading.sentence(match.start(), match.end())
        inside = re.fullmatch(_BIG_O, found) if found else None
        if page.doubts.is_question(begin, stop):
            continue
        told = segment(page, match.start(), match.end())
        growth = inside["inside"] if inside else _SLOW
        yield Clause(told, "complexity", growth=growth, below=True), match.start(), match.end()


@cache
def _avoided() -> re.Pattern[str]:
    """Returns the pattern of "do not use a quadratic algorithm", "no O(n^2)", "a quadratic solution is too slow"."""
    slow, kinds = dict(meanings("growth"))[_SLOW], any_of("way_of_doing")
    big = _BIG_O.replace("?P<inside>", "?:")
    few = r"(?:\s+(?:an?|any|the|with|in|naive|simple|of|be|run|using|have|eine[nmr]?|un[ea]?))*\s+"
    ruled_out = rf"(?<!\w){any_of('avoids')}{few}(?:(?P<big>{big})|{slow}\s+{kinds}(?!\w))"
    too_slow = rf"(?:(?P<late>{big})|(?<!\w){slow})(?:\s+{kinds})?\s+{any_of('is_too_slow')}"
    return re.compile(f"{ruled_out}|{too_slow}", re.I)


def worded_growths(page: Page) -> Iterator[tuple[str, str, int, int]]:
    """Yields (growth, "time" or "space", start, end) of what grows in proportion to the input, or as a bare formula
    says, and of space of which no more is to be taken."""
    text = page.reading.masked
    for match in pattern("proportional").finditer(text):
        yield "n", "time", match.start(), match.end()
    for match in _BARE.finditer(text):
        yield match["growth"] or match["labelled"], "time", match.start(), match.end()
    for match in _NO_MORE.finditer(text):
        yield "1", "space", match.start(), match.end()
