"""Reads texts that stand without quotes: `abc -> cba` on a line of its own, `print(f("abc"))  # cba`. Such a text is
taken for a value only if it has the letters of the input in any order and case, because it may also be a remark; and
for an input of `anna -> True, otto -> True, bo -> False` only if the function takes a text and nothing else can be
meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from agent.examples.fitting import fits
from agent.examples.grammar.calls import TextCall
from agent.examples.grammar.links import ARROW, kind_of_value, same_letters
from agent.examples.grammar.page import Page
from agent.examples.grammar.values import promise, value_at
from agent.examples.types import Clause, Example
from agent.examples.vocabulary import pattern
from agent.source.inputs import literal
from agent.source.parsing import expression_of

_LINE = re.compile(
    rf"^[ \t>*•-]*(?:\d+[.)][ \t])?(?P<given>[^\n]*?)[ \t]*(?:{ARROW})[ \t]*(?P<told>[^\n]*?)[ \t]*$", re.M
)
_BEHIND = re.compile(rf"`?[ \t]*(?:\n?[ \t]*(?:#|//)[ \t]*(?:{ARROW})?|{ARROW})[ \t]*(?P<told>[^\n]+?)[ \t]*$", re.M)
_MARKED = re.compile("[\"'`\\[\\](){}<>=]")
"""Signs of code, which no bare text holds."""


def bare_examples(page: Page, calls: Sequence[TextCall], clauses: Sequence[Clause]) -> Iterator[Example]:
    """Yields what such texts promise; nothing if the function gives something else than a text, and for reports."""
    other = any(one.kind == "type" and one.subject == "result" and one.names[0] != "str" for one in clauses)
    if page.names.entry is None or page.names.is_class or page.reporting:
        return
    if page.names.required == 1 and takes_text(page, clauses):
        yield from _told_in_rows(page, page.names.entry, clauses)
    if other:
        return
    yield from _told_behind(page, calls)
    if page.names.required == 1:
        yield from _told_on_lines(page, page.names.entry)


def _told_behind(page: Page, calls: Sequence[TextCall]) -> Iterator[Example]:
    """Reads a text behind a call."""
    for call in calls:
        found = _BEHIND.match(page.text, call.end)
        told = found["told"] if found else ""
        if found and is_bare(told) and _is_made_of(_texts_in(call.source), told) and _is_law(page, call.start):
            yield promise(call.source, repr(told), page.reading.quote(call.start, found.end()))


def _is_made_of(given: str, told: str) -> bool:
    """Returns whether the text has the letters of the input. With commas of its own it may be several texts."""
    return same_letters(given, told) and ("," not in told or "," in given)


def _texts_in(call: str) -> str:
    """Returns all texts among the arguments of the call."""
    nodes = ast.walk(expression_of(call) or ast.Constant(0))
    return " ".join(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def _told_on_lines(page: Page, entry: str) -> Iterator[Example]:
    """Reads lines that stand below each other, all of such texts."""
    for lines in _blocks(page.text):
        pairs = [(line, line["given"], line["told"]) for line in lines]
        alike = all(is_bare(given) and is_bare(told) and _is_made_of(given, told) for _, given, told in pairs)
        if alike and any(given != told for _, given, told in pairs) and _is_law(page, lines[0].start()):
            for line, given, told in pairs:
                yield promise(f"{entry}({given!r})", repr(told), page.reading.quote(*line.span()))


def takes_text(page: Page, clauses: Sequence[Clause]) -> bool:
    """Returns whether the first argument is a text: by its type or, without one, by its name."""
    first = (page.names.parameters or ("",))[0]
    told = [one.names[0] for one in clauses if one.kind == "type" and one.subject in ("", first)]
    return told == ["str"] or (not told and pattern("text_argument").fullmatch(first) is not None)


def _told_in_rows(page: Page, entry: str, clauses: Sequence[Clause]) -> Iterator[Example]:
    """Reads rows of bare inputs, each with a value. Words that stand elsewhere in the task too are kinds of inputs
    (`empty -> False`), and so may be those of a row that nobody calls examples and that tells of more than True and
    False."""
    results = [one.names[0] for one in clauses if one.kind == "type" and one.subject == "result"]
    for start, end, lead, row in _rows(page):
        shown = bool(lead) and pattern("example").search(lead) is not None
        values = [value[0] if (value := value_at(told, 0)) and value[1] == len(told) else "" for _, told in row]
        plain = all(is_bare(given) and _is_said_once(page, given) for given, _ in row)
        apart = {*values} == {"True", "False"} or (shown and len({*map(kind_of_value, values)}) == 1)
        typed = all(fits(told[0], name) is not False for told in map(literal, values) if told for name in results)
        if all(values) and plain and apart and typed and (shown or not lead) and _is_law(page, start):
            for (given, _), value in zip(row, values, strict=True):
                yield promise(f"{entry}({given!r})", value, page.reading.quote(start, end))


def _rows(page: Page) -> Iterator[tuple[int, int, str, list[tuple[str, str]]]]:
    """Yields each row of inputs and outcomes, with its bounds and the words that lead to it: lines below each other, or
    a sentence on one line."""
    for lines in _blocks(page.text):
        heading = page.heading(lines[0].start())
        if len(lines) > 1:
            row = [(line["given"], line["told"]) for line in lines]
            yield lines[0].start(), lines[-1].end(), page.text[slice(*heading)] if heading else "", row
    seen = set[int]()
    for arrow in _ARROW.finditer(page.text):
        begin, stop = page.reading.sentence(arrow.start(), arrow.end())
        lead, colon, rest = page.text[begin:stop].strip().rpartition(":")
        row = [one.groups() for one in map(_ITEM.fullmatch, _COMMA.split(rest.strip().rstrip("."))) if one]
        if begin not in seen and "\n" not in rest.strip() and len(row) == len(_COMMA.split(rest)) > 1:
            yield begin, stop, lead + colon, [(given, told) for given, told in row]
        seen.add(begin)


_ARROW = re.compile(ARROW)
_ITEM = re.compile(rf"\s*(\S[^\n]*?)[ \t]*(?:{ARROW})[ \t]*(\S[^\n]*?)\s*")
_COMMA = re.compile(r"[,;]\s+")


def _is_said_once(page: Page, given: str) -> bool:
    """Returns whether the words stand nowhere else in the task, not even in a name or with another ending."""
    stem = given if len(given) <= _STEM else given[:-1]
    return len(re.findall(rf"(?<![^\W_]){re.escape(stem)}", page.text, re.I)) == 1


_STEM = 4
"""A word of more letters may lack its last one elsewhere: "vowels" and "vowel"."""


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


def is_bare(text: str) -> bool:
    """Returns whether the text is plain words: no code, no value, and none that says that there is none."""
    said = pattern("denied").fullmatch(text)
    return bool(text) and said is None and _MARKED.search(text) is None and value_at(text, 0) is None


def _is_law(page: Page, place: int) -> bool:
    begin, end = page.reading.sentence(place, place)
    doubted = page.doubts.between(begin, end, "denied", "about", "supposed", "imagined", "reported")
    return page.is_law(place, "symbol") and not doubted and not page.doubts.taken_back(end)
