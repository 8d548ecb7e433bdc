"""Reads clauses about one case of the inputs: "for an even count the smaller one", "an empty list gives 0"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from agent.examples.grammar.page import Page
from agent.examples.grammar.values import is_error
from agent.examples.types import Clause
from agent.examples.vocabulary import any_of, meanings, named, pattern

from .segments import is_told, quoted, segment

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
            own, numbers = page.doubts.clause_start(begin, match.start()), _NUMBER.findall(match.group())
            if not is_told(page, *match.span(), *(() if numbers else ("denied",))):
                continue  # what is not divisible is a case too
            derived = pattern("derived").search(page.reading.masked, own, match.end())
            if derived or any(map(is_error, _ERROR.findall(page.text[begin:stop]))):
                continue
            for names in [(case, number) for number in numbers] or [(case,)]:
                if names not in said:
                    said.add(names)
                    yield Clause(segment(page, *match.span()), "case", names=names)
    yield from (clause for clause in _kind_clauses(page) if clause.names not in said)


def kinds_listed(text: str) -> tuple[str, ...]:
    """Returns the kinds of inputs that a text lists beside each other, "for negative numbers, zero and strings"; ()
    if it names only one, because further words may then narrow it."""
    listed = _listed().search(text)
    if listed is None:
        return ()
    kinds = [kind for kind, _ in meanings("kinds_of_input")]
    found = _kind().finditer(listed["kinds"])
    return tuple(dict.fromkeys(kinds[(match.lastindex or 1) - 1] for match in found))


@cache
def _kind() -> re.Pattern[str]:
    """Returns the pattern of one kind, with a group for each in the order of the table."""
    return re.compile("|".join(rf"(?<!\w)({words})(?!\w)" for _, words in meanings("kinds_of_input")), re.I)


@cache
def _listed() -> re.Pattern[str]:
    kind = rf"(?:an? |eine? )?(?:{'|'.join(words for _, words in meanings('kinds_of_input'))})(?!\w)"
    joint = rf"(?:,\s+(?:(?:{any_of('and_word')}|{any_of('or')})\s+)?|\s+(?:{any_of('and_word')}|{any_of('or')})\s+)"
    lead = r"(?<!\w)(?:for|if|when|including|on|für|bei|wenn|pour|si|para)(?:\s+\w+,?){0,3}?\s+"
    return re.compile(rf"{lead}(?P<kinds>{kind}(?:{joint}(?:for |für |is |are )?{kind})+)", re.I)


def _kind_clauses(page: Page) -> Iterator[Clause]:
    """Yields a clause for each of several kinds of inputs of which one sentence tells a result, because programs and
    tests alike may forget one of them. Errors are read as error clauses."""
    begin = 0
    for stop in page.reading.stops:
        words, doubts = page.reading.masked[begin:stop], page.doubts
        doubted = doubts.between(begin, stop, "reported", "denied") or doubts.is_question(begin, stop)
        if not (doubted or any(map(is_error, _ERROR.findall(words)))):
            for kind in kinds_listed(words):
                yield Clause(quoted(page, begin, stop), "case", names=(kind,))
        begin = stop


def letter_case_clauses(page: Page) -> Iterator[Clause]:
    """Reads "Ignoring case", "case-insensitive"."""
    for match in page.reading.find("ignores_case"):
        if is_told(page, *match.span(), "denied", "supposed"):
            yield Clause(segment(page, *match.span()), "any_case")
