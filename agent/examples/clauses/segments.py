"""Cuts out the part of a sentence that states one clause, in the person's own words."""

from __future__ import annotations

import re

from agent.examples.grammar.doubts import Doubt
from agent.examples.grammar.page import Page
from agent.examples.vocabulary import Phrase, pattern

_PARTS = re.compile(r"[,;:](?=[\s\u3040-\u30ff\u3400-\u9fff])|\s[\u2014\u2013]\s")
_BRACKETED = re.compile(r"\((?:[^()\n]|\([^()\n]*\))*\)|\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]")
"""Brackets with at most one pair inside them, whose commas separate no parts of a sentence."""
_CONDITION = Phrase(r"\W*(?:else |otherwise |{and_word}\s+)?{condition}(?![^\W\u3040-\u9fff])")
_OPENING = re.compile(r"(?:[\s*_>#•]|-\s|\"\"\"|'''|\((?:\d{1,2}|[a-z])\)\s|\d{1,2}[.)]\s)*")


def segment(page: Page, start: int, end: int) -> str:
    """Returns the words around `text[start:end]` up to the next comma, colon or end of the sentence, exactly as
    typed."""
    begin, stop = page.reading.sentence(start, end)
    cuts = _cuts(page, begin, stop)
    left = max((behind for _, behind in cuts if behind <= start), default=begin)
    right = min((before for before, _ in cuts if before >= end), default=stop)
    return quoted(page, left, right)


def _cuts(page: Page, begin: int, stop: int) -> list[tuple[int, int]]:
    shallow = _BRACKETED.sub(lambda match: "_" * len(match.group()), page.reading.masked[begin:stop])
    return [(begin + match.start(), begin + match.end()) for match in _PARTS.finditer(shallow)]


def parts_of(page: Page, begin: int, stop: int) -> list[tuple[int, int]]:
    """Returns the parts of the sentence, cut as `segment` cuts them."""
    cuts = _cuts(page, begin, stop)
    return list(zip([begin, *(end for _, end in cuts)], [*(start for start, _ in cuts), stop], strict=True))


def between_semicolons(page: Page, begin: int, stop: int) -> list[tuple[int, int]]:
    """Returns the parts of the sentence between semicolons, each of which is a sentence by itself."""
    ends = [end for _, end in _cuts(page, begin, stop) if page.text[end - 1] == ";"]
    return list(zip([begin, *ends], [*ends, stop], strict=True))


def quoted(page: Page, start: int, end: int) -> str:
    """Returns the person's words for `text[start:end]`, without the marks of a list item or docstring before them and
    the stop after them."""
    opening = _OPENING.match(page.text, start, end)
    words = page.reading.quote(opening.end() if opening else start, end)
    return words.rstrip(" \t.。;；,，").removesuffix('"""').rstrip()  # noqa: RUF001


def is_conditional(page: Page, place: int) -> bool:
    """Returns whether the part of the sentence that leads to `place`, or its line, begins as a condition, or a
    condition stands right before it ("and TypeError if x is a string")."""
    own = page.doubts.clause_start(page.reading.sentence(place, place)[0], place)
    line = page.text.rfind("\n", 0, place) + 1
    lead = page.text[line:place].rstrip(" `")
    near = any(match.end() == len(lead) for match in pattern("condition").finditer(lead))
    return near or any(_CONDITION.match(page.text, begin) for begin in (own, line))


def is_case(page: Page, place: int) -> bool:
    """Returns whether the words belong to a case of the task ("returns True when 1 < x < 3") and not to its inputs."""
    own = page.doubts.clause_start(page.reading.sentence(place, place)[0], place)
    return is_conditional(page, place) or pattern("case").search(page.reading.masked, own, place) is not None


def is_told(page: Page, start: int, end: int, *doubts: Doubt) -> bool:
    """Returns whether the text tells what stands there: its sentence neither asks nor reports, and no doubt of these
    kinds stands before it in its clause."""
    begin, stop = page.reading.sentence(start, end)
    doubted = page.doubts.between(page.doubts.clause_start(begin, start), start, *doubts)
    return not (doubted or page.doubts.is_question(begin, stop) or page.doubts.between(begin, start, "reported"))
