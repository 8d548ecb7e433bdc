"""Reads clauses about inputs: values of an argument, and sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from agent.examples.grammar.page import Page
from agent.examples.types import Clause, Interval
from agent.examples.vocabulary import Phrase, any_of, pattern

from .errors import ERROR_NAME
from .quantities import number_at, numbers_in
from .segments import is_case, is_conditional, segment

_NUM = r"-?\d[\d,_^*eE⁰¹²³⁴⁵⁶⁷⁸⁹. ]{0,24}?"
_NAME = r"`?(?P<thing>[A-Za-z_]\w*)`?"
_THING = r"(?:len\(\w+\)|\|\w+\||[A-Za-z_]\w*(?:\.(?:length|size|len)(?:\(\))?|(?:\[[^\]\n]{1,12}\]){1,3}|_\{?\w+\}?)?)"
_LESS = r"(?:<=|≤|⩽|<|=<)"
_CHAIN = re.compile(
    rf"(?P<low>{_NUM})\s*(?P<a>{_LESS})\s*(?P<things>{_THING}(?:\s*,\s*{_THING}){{0,5}})\s*(?P<b>{_LESS})\s*(?P<high>{_NUM})"
    r"(?=\s*(?:[.,;)`$]|$|(?:and|und|et|y|e|и|where|with|is guaranteed|for (?:all|every|each))\b))",
    re.M,
)
_ONE_SIDED = re.compile(
    rf"(?<![\w.\])])(?P<thing>{_THING})`?\s*(?P<sign><=|>=|≤|≥|<|>)\s*(?P<end>{_NUM})(?=[\s.,;)`]|$)"
)
_LENGTH = re.compile(r"len\((\w+)\)|\|(\w+)\||(\w+)\.(?:length|size|len)(?:\(\))?")
_NOT_EMPTY = re.compile(r"(?<!\w)`?(?P<thing>[a-z_]\w*)`? (?:is|will) (?:not|never)(?: be)? empty(?!\w)", re.I)
_LENGTH_OF = re.compile(
    r"(?<!\w)(?:the )?length (?:of (?:the )?(?:input )?`?(?P<of>[A-Za-z_]\w*)`? )?(?:(?:is|are|will be|does|must be) )?"
    r"(?:not exceed )?(?=\w)|(?<!\w)(?:die )?länge (?:von `?(?P<von>[A-Za-z_]\w*)`? )?(?:ist |beträgt )?",
    re.I,
)
_HOLDS = Phrase(
    r"(?<!\w)`?(?P<thing>{sequence}|[A-Za-z_]\w*)`?(?:\s+{holds}\s+"
    r"|\s*(?:(?<=[^\x00-\x7f])中?有?|的长度|の要素は|の長さは|は)\s*)(?={at_most}|{at_least}|{between})"
)
"""Matches "the list has", before a limit."""
_WINDOW = 80
"""How many characters before a number are searched for what it limits."""
_MOST = 200
"""The most comparisons that are looked at, so that hostile texts stay cheap."""
_LIMITS = ("at_most", "at_least", "between")
_USUAL_NAMES = frozenset(
    ("nums", "arr", "xs", "ys", "items", "values", "data", "lst", "seq", "numbers", "words", "matrix", "grid", "text")
)
"""Words that almost always name an argument when a size is told of them."""


def range_clauses(page: Page) -> Iterator[Clause]:
    """Reads "1 <= n <= 10^5", "n >= 0" among constraints, "n is between 1 and 50"; of a length, a size."""
    text = page.reading.masked
    if not any(map(str.isdigit, text)):
        return
    if any(sign in text for sign in "<>≤≥⩽"):
        yield from _compared(page)
    for told, tables in _VERBAL:
        for match in told.finditer(text) if all(map(page.reading.mentions, tables)) else ():
            low, high = _number(match.groupdict().get("low") or ""), _number(match["high"])
            if high is not None and _is_name(page, match) and not is_case(page, match.start()):
                yield _bounded(page, match, match["thing"], Interval(low, high))


def _compared(page: Page) -> Iterator[Clause]:
    """Reads "1 <= n <= 10^5", and "n >= 0" if it is a constraint."""
    text = page.reading.masked
    for match in islice(_CHAIN.finditer(text), _MOST):
        low, high = _number(match["low"]), _number(match["high"])
        if low is not None and high is not None and not is_case(page, match.start()):
            interval = Interval(low, high, _is_closed(match["a"]), _is_closed(match["b"]))
            for thing in re.findall(_THING, match["things"]):
                yield _bounded(page, match, thing, interval)
    for match in islice(_ONE_SIDED.finditer(text), _MOST):
        yield from _one_sided(page, match)


_LOW, _HIGH = rf"(?P<low>{_NUM})", rf"(?P<high>{_NUM})"
_VERBAL = tuple(
    (Phrase(rf"(?<!\w){_NAME}\s*{told}", re.I | re.M), tables)
    for told, tables in (
        (rf"(?:{{lies}}\s+)?{{in_range}}\s*\[\s*{_LOW}\s*,\s*{_HIGH}\s*\]", ("in_range",)),
        (
            rf"{{is_between}}\s*{_LOW}\s*{{and_to}}\s*{_HIGH}(?=\s*(?:[.,;)`]|$|之间|以下|and\b|und\b)|\s)",
            ("is_between", "and_to"),
        ),
        (rf"{{at_most_is}}\s*{_HIGH}(?=\s*(?:[.,;)`]|$|and\b|und\b))", ("at_most_is",)),
    )
)
"""Forms of "n is in the range [0, 255]", "n is between 1 and 50", "n is at most 100", each with the tables it needs."""


def _is_closed(sign: str) -> bool:
    return sign not in ("<", ">")


def _is_name(page: Page, match: re.Match[str]) -> bool:
    """Returns whether the word before "is between" is the name of an argument and not just a noun."""
    name = match["thing"]
    marked = page.text[match.start("thing") - 1 : match.start("thing")] == "`"
    return marked or len(name) <= 2 or "_" in name or name in (page.names.parameters or ())


def _one_sided(page: Page, match: re.Match[str]) -> Iterator[Clause]:
    """Reads a bound on one side, if it stands on a line of its own, or if the sentence or its heading names
    constraints."""
    text = page.reading.masked
    line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    rest = text[match.end() : (text + "\n").index("\n", match.end())]
    heading = page.heading(match.start())
    assumed = pattern("assumes").search(text, *page.reading.sentence(match.start(), match.end()))
    assumed = assumed or (heading is not None and pattern("assumes").search(text, *heading))
    alone = not line.strip(" \t-*•`") and not rest.strip(" .,;`")
    chained = re.search(r"[<>=≤≥]\s*$", line) or rest.lstrip()[:1] in tuple("<>≤≥")
    value = _number(match["end"])
    if value is None or chained or not (alone or assumed) or is_case(page, match.start()):
        return
    closed, upper = _is_closed(match["sign"]), match["sign"][0] in "<≤"
    interval = Interval(None, value, high_in=closed) if upper else Interval(value, None, low_in=closed)
    yield _bounded(page, match, match["thing"], interval)


def _bounded(page: Page, match: re.Match[str], thing: str, interval: Interval) -> Clause:
    """Returns a range clause; a size clause if the thing is a length."""
    told, length = segment(page, match.start(), match.end()), _LENGTH.fullmatch(thing)
    if length:
        return Clause(told, "size", next(group for group in length.groups() if group), interval=interval)
    return Clause(told, "range", thing, interval=interval)


def _number(text: str) -> float | None:
    text = text.strip()
    found = number_at(text, 0, words=False)
    return found[0] if found is not None and found[1] == len(text) else None


def size_clauses(page: Page) -> Iterator[Clause]:
    """Reads "The list has at most 100 items", "a non-empty list"."""
    text = page.reading.masked
    yield from _limited_sizes(page)
    for match in (*page.reading.find("not_empty"), *(_NOT_EMPTY.finditer(text) if " empty" in text else ())):
        if not is_conditional(page, match.start()):
            thing = _subject(match.groupdict().get("thing") or "")
            yield Clause(segment(page, match.start(), match.end()), "size", thing, interval=Interval(1, None))


def _limited_sizes(page: Page) -> Iterator[Clause]:
    """Reads "The list has at most 100 items", "the length of s is at most 20", searched for before each number."""
    text = page.reading.masked
    last = 0
    for _, start, end in numbers_in(text, 0, len(text), words=True):
        begin = max(last, start - _WINDOW)
        if not page.reading.mentions(*_LIMITS, start=begin, end=start):
            continue
        held = _HOLDS.search(text, begin, start)
        interval = _sized(text, held.end(), counted=True) if held else None
        thing = _subject(held["thing"]) if held else ""
        is_input = held is not None and (not thing or thing in _USUAL_NAMES or _is_name(page, held))
        if held and interval and is_input and not is_conditional(page, held.start()):
            yield Clause(segment(page, held.start(), held.end()), "size", thing, interval=interval)
            last = end
            continue
        length = _LENGTH_OF.search(text, begin, start)
        interval = _sized(text, length.end(), counted=False) if length else None
        refused = length is not None and ERROR_NAME.search(segment(page, length.start(), length.end())) is not None
        if length and interval and not refused and not is_case(page, length.start()):
            thing = _subject(length["of"] or length["von"] or "")
            yield Clause(segment(page, length.start(), length.end()), "size", thing, interval=interval)
            last = end


def _subject(thing: str) -> str:
    """Returns the thing's name; "" for a word such as "list", which names no argument."""
    return "" if re.fullmatch(any_of("sequence"), thing, re.I) else thing


def _sized(text: str, place: int, *, counted: bool) -> Interval | None:
    """Reads what follows "the list has": "at most 100 items", "between 2 and 10^5 elements". `counted` demands the
    noun."""
    for table in ("at_most", "at_least"):
        limit = _LIMIT[table].match(text, place)
        found = number_at(text, limit.end()) if limit else None
        if found and (not counted or _COUNTED.match(text, found[1])):
            return Interval(None, found[0]) if table == "at_most" else Interval(found[0], None)
    both = _LIMIT["between"].match(text, place)
    low = number_at(text, both.end()) if both else None
    joint = _LIMIT["and_to"].match(text, low[1]) if low else None
    high = number_at(text, joint.end()) if joint else None
    return Interval(low[0], high[0]) if low and high and (not counted or _COUNTED.match(text, high[1])) else None


_LIMIT = {
    table: Phrase(rf"\s*(?<![A-Za-zÀ-ӿ]){{{table}}}\s*(?=[\s\d\w])\s*")
    for table in ("at_most", "at_least", "between", "and_to")
}
_COUNTED = Phrase(r"\s*{counted}")
