"""Reads by code what a task demands besides its examples. Each clause keeps the task's own words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import pairwise

from agent.examples.grammar.calls import TextCall, calls_in
from agent.examples.grammar.doubts import Doubts
from agent.examples.grammar.page import Page, page_of
from agent.examples.types import Clause

from .bounds import range_clauses, size_clauses
from .cases import case_clauses, letter_case_clauses
from .errors import error_clauses
from .limits import (
    at_once_clauses,
    complexity_clauses,
    faster_clauses,
    form_clauses,
    memory_clauses,
    time_clauses,
)
from .rules import change_clauses, given_algorithm, order_clauses, sorted_clauses, use_clauses
from .shapes import output_clauses, signature_clauses, type_clauses

__all__ = ["clauses_of", "read_clauses"]


def read_clauses(task: str, code: str | None = None) -> tuple[Clause, ...]:
    """Returns the clauses of a task text. `code` is the person's own program, which the text may report on."""
    page = page_of(task, code)
    return clauses_of(page, calls_in(page))


def clauses_of(page: Page, calls: Collection[TextCall]) -> tuple[Clause, ...]:
    """Returns each clause once. `calls` are those in the text, whose sentences are examples and no clauses. A sentence
    that only tells of another program demands nothing of this one."""
    own = _without_asides(page)
    found = [*_all(own, {own.reading.sentence(call.start, call.end)[0] for call in calls})]
    if not any(clause.kind == "algorithm" for clause in found):
        found += given_algorithm(page)
    return tuple(dict.fromkeys(found))


def _without_asides(page: Page) -> Page:
    """Returns the page with blanks in place of sentences about other programs."""
    text = page.text
    for begin, end in pairwise((0, *page.reading.stops)):
        if page.doubts.aside(begin, end):
            text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
    if text == page.text:
        return page
    reading = replace(page.reading, text=text)
    return replace(page, reading=reading, doubts=Doubts(reading))


def _all(page: Page, told: set[int]) -> Iterator[Clause]:
    yield from complexity_clauses(page)
    yield from time_clauses(page)
    yield from memory_clauses(page)
    yield from faster_clauses(page)
    yield from at_once_clauses(page)
    yield from form_clauses(page)
    yield from range_clauses(page)
    yield from size_clauses(page)
    yield from change_clauses(page)
    yield from order_clauses(page)
    yield from sorted_clauses(page)
    yield from use_clauses(page)
    yield from error_clauses(page, told)
    yield from output_clauses(page)
    yield from signature_clauses(page)
    yield from type_clauses(page)
    yield from case_clauses(page)
    yield from letter_case_clauses(page)
