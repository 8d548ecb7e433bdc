"""Reads clauses about one case of the inputs: "for an even count the smaller one", "an empty list gives 0"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.examples.page import Page
from agent.examples.types import Clause
from agent.examples.values import is_error
from agent.examples.vocabulary import named, pattern

from .segments import segment

_NUMBER = re.compile(r"\d+")
_ERROR = re.compile(r"[A-Z][A-Za-z]*(?:Error|Exception)(?![A-Za-z])")


def case_clauses(page: Page) -> Iterator[Clause]:
    """Yields what the task says of inputs of one kind. Left out are cases that demand an exception, which are read as
    error clauses, and cases of something that is made from the input."""
    said = set[tuple[str, ...]]()
    for case, words, parts in named("cases"):
        if parts is not None and not any(part in page.reading.lowered for part in parts):
            continue
        for match in words.finditer(page.reading.masked):
            begin, stop = page.reading.sentence(*match.span())
            own, doubts = page.doubts.clause_start(begin, match.start()), page.doubts
            numbers = _NUMBER.findall(match.group())
            denied = not numbers and doubts.between(own, match.start(), "denied")  # what is not divisible is a case too
            if denied or doubts.between(begin, match.start(), "reported") or doubts.is_question(begin, stop):
                continue
            derived = pattern("derived").search(page.reading.masked, own, match.end())
            if derived or any(map(is_error, _ERROR.findall(page.text[begin:stop]))):
                continue
            for names in [(case, number) for number in numbers] or [(case,)]:
                if names not in said:
                    said.add(names)
                    yield Clause(segment(page, *match.span()), "case", names=names)


def letter_case_clauses(page: Page) -> Iterator[Clause]:
    """Reads "Ignoring case", "case-insensitive"."""
    for match in page.reading.find("ignores_case"):
        begin, stop = page.reading.sentence(*match.span())
        own, doubts = page.doubts.clause_start(begin, match.start()), page.doubts
        doubted = doubts.between(own, match.start(), "denied", "supposed") or doubts.is_question(begin, stop)
        if not doubted and not doubts.between(begin, match.start(), "reported"):
            yield Clause(segment(page, *match.span()), "any_case")
