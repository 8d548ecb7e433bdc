"""Reads texts that stand without quotes: `abc -> cba` on a line of its own, `print(f("abc"))  # cba`. Such a text is
taken for a value only if it has the letters of the input in any order and case, because it may also be a remark."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from agent.source.parsing import expression_of

from .calls import TextCall
from .links import ARROW, same_letters
from .page import Page
from .types import Clause, Example
from .values import promise, value_at
from .vocabulary import pattern

_LINE = re.compile(
    rf"^[ \t>*•-]*(?:\d+[.)][ \t])?(?P<given>[^\n]*?)[ \t]*(?:{ARROW})[ \t]*(?P<told>[^\n]*?)[ \t]*$", re.M
)
_BEHIND = re.compile(rf"`?[ \t]*(?:\n?[ \t]*(?:#|//)[ \t]*(?:{ARROW})?|{ARROW})[ \t]*(?P<told>[^\n]+?)[ \t]*$", re.M)
_MARKED = re.compile("[\"'`\\[\\](){}<>=]")
"""Signs of code, which no bare text holds."""


def bare_examples(page: Page, calls: Sequence[TextCall], clauses: Sequence[Clause]) -> Iterator[Example]:
    """Yields what such texts promise; nothing if the function gives something else than a text, and for reports."""
    other = any(one.kind == "type" and one.subject == "result" and one.names[0] != "str" for one in clauses)
    if page.names.entry is None or page.names.is_class or page.reporting or other:
        return
    yield from _told_behind(page, calls)
    if page.names.required == 1:
        yield from _told_on_lines(page, page.names.entry)


def _told_behind(page: Page, calls: Sequence[TextCall]) -> Iterator[Example]:
    """Reads a text behind a call."""
    for call in calls:
        found = _BEHIND.match(page.text, call.end)
        told = found["told"] if found else ""
        if found and _is_bare(told) and same_letters(_texts_in(call.source), told) and _is_law(page, call.start):
            yield promise(call.source, repr(told), page.reading.quote(call.start, found.end()))


def _texts_in(call: str) -> str:
    """Returns all texts among the arguments of the call."""
    nodes = ast.walk(expression_of(call) or ast.Constant(0))
    return " ".join(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def _told_on_lines(page: Page, entry: str) -> Iterator[Example]:
    """Reads lines that stand below each other, all of such texts."""
    for lines in _blocks(page.text):
        pairs = [(line, line["given"], line["told"]) for line in lines]
        alike = all(_is_bare(given) and _is_bare(told) and same_letters(given, told) for _, given, told in pairs)
        if alike and any(given != told for _, given, told in pairs) and _is_law(page, lines[0].start()):
            for line, given, told in pairs:
                yield promise(f"{entry}({given!r})", repr(told), page.reading.quote(*line.span()))


def _blocks(text: str) -> Iterator[list[re.Match[str]]]:
    """Yields the lines with an arrow, as groups of neighbours."""
    block: list[re.Match[str]] = []
    for line in _LINE.finditer(text):
        if block and line.start() != block[-1].end() + 1:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _is_bare(text: str) -> bool:
    said = pattern("denied").fullmatch(text)
    return bool(text) and said is None and _MARKED.search(text) is None and value_at(text, 0) is None


def _is_law(page: Page, place: int) -> bool:
    begin, end = page.reading.sentence(place, place)
    doubted = page.doubts.between(begin, end, "denied", "about", "supposed", "imagined", "reported")
    return page.is_law(place, "symbol") and not doubted and not page.doubts.taken_back(end)
