"""Reads clauses about cost: growth, seconds, megabytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

from agent.examples.grammar.endings import leads_to
from agent.examples.grammar.page import Page
from agent.examples.types import Clause
from agent.examples.vocabulary import Phrase, any_of, apart_from_form, has, meanings, pattern

from .growths import avoided_clauses, worded_growths
from .quantities import number_at, numbers_in
from .segments import is_told, segment

_BIG_O = re.compile(r"(?<![A-Za-z0-9_])[OΘ]\s?\(((?:[^()\n]|\([^()\n]{0,30}\)){1,40})\)")
_IS = re.compile(
    r"\b(?:is|was|has|had|needs?|takes?|uses?|requires?|runs?|costs?|ist|war|hat|braucht|benötigt|läuft|kostet|est|était|a"
    r"|es|era|tiene|è|é|ha|tem)(?:\s+(?!not\b|nicht\b|pas\b)\w+)?(?:\s+(?:in|en))?\W+$",
    re.I,
)
_PERMITTED = re.compile(
    r"`?\s*(?:(?:is|are|would be|ist|wäre|est|es|va|è|é)\s+(?:\w+\s+)?"
    r"(?:okay|ok|fine|enough|acceptable|allowed|sufficient|alright|in ordnung|erlaubt|genug|suffisant|suficiente)"
    r"|will do|suffices?|reicht|genügt|suffit|basta|хватит|достаточно|即可|就行|で十分)(?!\w)",
    re.I,
)
"""Matches "O(n^2) is fine"; what is permitted is no demand."""
_MAY_TAKE = re.compile(
    r"(?<!\w)(?:may|might|can|could|kann|könnte|peut|puede|può|pode)\s+(?:\w+\s+){1,3}?"
    r"(?:up to|bis zu|jusqu'à|hasta|fino a|até)\s+$",
    re.I,
)
"""Matches "It may take up to 10 seconds", which is told or allowed. "it may take at most" is a limit."""
_IN = re.compile(
    r"(?<!\w)(?:in|en|em|за)\s+(?:(?:about|around|roughly|ungefähr|etwa|rund|environ|aproximadamente|circa|около)\s+)?$",
    re.I,
)
"""Matches "in" and "in about", which make a limit only beside a size and a demand: "it must handle 10^6 elements in 1
second"."""
_SPENT = Phrase(r"(?<!\w){spends}\s+(?:{at_most}|más de|plus de|più di|mais de)\s*\Z")
"""What a program spends, right before the amount: "use more than"; of megabytes that is memory."""
_OR_LESS = Phrase(r"\s*{at_most_after}")
_ELLIPTIC = re.compile(
    r"(?:\A|[.;:,(]\s+|\n\s*(?:[-*]\s+)?)(?:\d[\d.,_^* ]*|\d+\s?[km]|[^\W\d_]+ million\w*)"
    r"(?:\s+[^\W\d_]+){0,2}\s+(?:in|within|en|em)\s+$",
    re.I,
)
"""Matches a size and its noun before an amount, without a verb: "10^5 numbers in 2 seconds"."""
_SOLUTION = (
    r"(?:it|this|(?:the|your) (?:solution|algorithm|implementation|running time|runtime)"
    r"|(?:the )?(?:look-?ups?|quer(?:y|ies)|insertions?|deletions?|removals?|operations?|inserting|deleting|adding)"
    r"|sie|es|die (?:lösung|laufzeit))"
)
"""Subjects that may be called linear without a word for time. A mathematical function that has to be linear is meant
differently."""
_AT_ONCE = Phrase(
    r"(?<!\w){limits_running}\s*`?(?P<most>\w+)`?(?:\s+(?!{limits_other}(?!\w))[^\W\d_]+){0,4}?\s*(?<![^\W_]){at_once}(?!\w)"
)
"""A limit and what it limits: "at most 3 at once", "no more than n downloads run in parallel". A few words may stand
between, but none that begins something else: "at most 5 jobs and runs them in parallel"."""
_MOST = 100
"""The most claims of growth that are looked at, so that hostile texts stay cheap."""
_SIZED = 100
"""Numbers from here on are read as the number of elements for which a limit is stated."""
_WINDOW = 40
"""How many characters before a number are searched for the words of its limit."""


def complexity_clauses(page: Page) -> Iterator[Clause]:
    """Reads "O(n log n)", "linear time", "constant space", "no quadratic algorithm"."""
    text = page.reading.masked
    for match in islice(_BIG_O.finditer(text), _MOST):
        if _is_claimed(page, match.start(), match.end()):
            below = _ends_with("better", text[max(0, match.start() - _WINDOW) : match.start()])
            dimension = _dimension(page, match.start(), match.end())
            told = segment(page, match.start(), match.end())
            yield Clause(told, "complexity", dimension, growth=growth_of(match.group(1)), below=below)
    for clause, start, end in avoided_clauses(page):
        yield replace(clause, subject=_dimension(page, start, end), growth=growth_of(clause.growth or ""))
    yield from _in_words(page)


def _in_words(page: Page) -> Iterator[Clause]:
    for growth, dimension, start, end in worded_growths(page):
        if _is_claimed(page, start, end):
            yield Clause(segment(page, start, end), "complexity", dimension, growth=growth_of(growth))
    for growth, adjective in _adjectives() if page.reading.mentions("growth") else ():
        for match in adjective.finditer(page.reading.masked):
            if _is_claimed(page, match.start(), match.end()):
                dimension = "space" if re.search(any_of("space"), match.group(), re.I) else "time"
                below = bool(match["below"]) or match.group().lower().startswith("sub")
                told = segment(page, match.start(), match.end())
                yield Clause(told, "complexity", dimension, growth=growth, below=below)


@cache
def _adjectives() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Returns for each growth the pattern of its adjectives before or after a word for time or space."""
    thing = rf"(?:{any_of('time')}|{any_of('space')})"
    found: list[tuple[str, re.Pattern[str]]] = []
    for growth, words in meanings("growth"):
        before = rf"(?<!\w)(?:sub-?)?{words}\s*(?:extra |additional |in |的|){thing}(?![\w-]|\s(?:series|zone))"
        behind = rf"(?<!\w){thing}\s+(?:{any_of('grows')}\s+){{0,2}}{words}(?!\w)"
        alone = rf"(?<!\w){_SOLUTION}\s+{any_of('must')}\s+(?:be\s+)?(?:sub-?)?{words}(?:\s+sein)?(?=\s*(?:[.,;:)]|$))"
        compared = rf"(?<!\w)(?P<below>{any_of('better')})\s+{words}(?=\s*(?:sein\b|please\b|[.,;:)!]|$))"
        ways = (before, behind, compared) if growth == "1" else (before, behind, compared, alone)
        found.append((growth, re.compile("|".join(ways), re.I)))
    return tuple(found)


def growth_of(inside: str) -> str:
    """Returns one spelling for the inside of a big O: "N*log(N)" becomes "n log n"."""
    text = inside.lower().replace("**", "^").replace("²", "^2").replace("³", "^3").replace("·", "*").replace("×", "*")  # noqa: RUF001
    text = re.sub(r"log(?:_?\{?2\}?|₂)?\s*\(\s*(\w+)\s*\)", r"log \1", text)
    text = re.sub(r"(?<=[a-z])\s*\*?\s*log\s*(?=[a-z])", " log ", text)
    text = re.sub(r"^log\s*(?=[a-z])", "log ", text.strip())
    return re.sub(r"\s*\+\s*", " + ", re.sub(r"\s*([*^])\s*", r"\1", text))


def _is_claimed(page: Page, start: int, end: int) -> bool:
    """Returns whether the growth is demanded, and not told of what is, what was, or what would be too slow."""
    text = page.reading.masked
    begin, stop = page.reading.sentence(start, end)
    own = page.doubts.clause_start(begin, start)
    if _ends_with("not_worse", text[own:start]):
        return True
    if _PERMITTED.match(text, end) or (pattern("habit").search(text, own, start) and _is_of_another(text, own, start)):
        return False
    if page.doubts.between(own, start, "denied", "reported", "supposed") or page.doubts.between(end, stop, "reported"):
        return False
    if page.doubts.aside(begin, stop) or page.doubts.is_question(begin, stop):
        return False
    if pattern("too_much").search(text, begin, stop):
        return False
    told = None if pattern("must").search(text, own, start) else _IS.search(text[own:start])
    return told is None or not (page.reporting or _is_of_another(text, own, own + told.start()))


def _is_of_another(text: str, begin: int, end: int) -> bool:
    """Returns whether the claim is about something else than the requested program: "Bubble sort needs O(n^2)"."""
    return not leads_to(text, begin, end, "time", "space", "solution", "must")


def _ends_with(table: str, head: str) -> bool:
    return _AT_END[table].search(head) is not None


_AT_END = {
    table: Phrase(rf"(?<![A-Za-zÀ-ӿ]){{{table}}}\W*$") for table in ("better", "not_worse", "memory_limit", "at_most")
}


def _dimension(page: Page, start: int, end: int) -> str:
    """Returns "time" or "space", by the nearest word after the growth, or else before it in its sentence; "time"
    without one."""
    text = page.reading.masked
    for name, behind in _DIMENSIONS.items():
        if behind.match(text, end):
            return name
    begin = max(page.reading.sentence(start, end)[0], start - _WINDOW)
    nearest = {
        name: max((match.end() for match in pattern(name).finditer(text, begin, start)), default=0)
        for name in ("space", "time")
    }
    return "space" if nearest["space"] > nearest["time"] else "time"


_DIMENSIONS = {name: Phrase(rf"\s*(?:of |in |an? |的)?{{{name}}}(?![^\W\u3040-\u9fff])") for name in ("space", "time")}
"""What is counted -> its words right after a growth."""


def time_clauses(page: Page) -> Iterator[Clause]:
    """Reads "within 1 s for 10^6 elements", "Time limit: 2 seconds"."""
    text = page.reading.masked
    for amount, start, end in _amounts(page, "seconds"):
        begin, stop = page.reading.sentence(start, end)
        label = pattern("time_limit").search(text, begin, start)
        size = _size_of(page, begin, stop, start, end)
        performs = pattern("performs").search(text, begin, stop)
        if pattern("subject_matter").search(text, begin, stop) or page.doubts.between(begin, start, "reported"):
            continue
        if _MAY_TAKE.search(text, begin, start):
            continue
        demanded = performs and (
            pattern("must").search(text, begin, start) or _is_of_the_entry(page, begin, performs.start())
        )
        sized = size is not None and demanded and _IN.search(text, begin, start)
        sized = sized or (size is not None and _ELLIPTIC.search(text, begin, start) is not None)
        if label or (_is_limit(text, begin, start, end) and (size is not None or performs)) or sized:
            told = segment(page, label.start() if label else start, end)
            yield Clause(told, "time", seconds=round(amount, 9), size=size)


def _is_of_the_entry(page: Page, begin: int, place: int) -> bool:
    """Returns whether the verb that begins there says what the requested function does: "`f(xs)` that sorts"."""
    name = re.escape(page.names.entry or "\0")
    led = rf"(?<!\w){name}(?:\([^()\n]*\))?`?,?\s+(?:that|which|to|die|der|das|qui|que|che)\s+\Z"
    return re.search(led, page.reading.masked[begin:place]) is not None


def faster_clauses(page: Page) -> Iterator[Clause]:
    """Reads "Make it faster" about a given program, without a number; once, however often it is said."""
    text = page.reading.masked
    for match in page.reading.find("asks_speed") if page.has_code else ():
        begin, stop = page.reading.sentence(match.start(), match.end())
        numbered = _BIG_O.search(text, begin, stop) or next(_amounts(page, "seconds", begin, stop), None)
        of_memory = pattern("memory").search(text, begin, stop)
        own = page.doubts.clause_start(begin, match.start())
        if not (numbered or of_memory or page.doubts.between(own, match.start(), "denied")):
            yield Clause(segment(page, match.start(), match.end()), "faster", "time")
            return


def at_once_clauses(page: Page) -> Iterator[Clause]:
    """Reads "At most `limit` at the same time", "no more than 3 concurrent calls", if the text is about things that run
    so. The limit is a number or a parameter."""
    if not has(page.text, "speaks_of_running") or page.doubts.bug_talk:
        return
    text = page.reading.masked
    for match in _AT_ONCE.finditer(text):
        number = number_at(text, match.start("most"))
        most = str(int(number[0])) if number and number[1] == match.end("most") else match["most"]
        known = number is not None or most in (page.names.parameters or ())
        if known and not _is_no_demand(page, match.start(), match.end()):
            yield Clause(segment(page, match.start(), match.end()), "at_once", names=(most,))


def _is_no_demand(page: Page, start: int, end: int) -> bool:
    """Returns whether the limit is asked, denied or reported, or the demand comes after it: "runs 3 at once, but it
    should run all"."""
    stop = page.reading.sentence(start, end)[1]
    return not is_told(page, start, end, "denied") or pattern("must").search(page.reading.masked, end, stop) is not None


_CHANGES = (
    "bug_talk",
    "wrong",
    "breaks",
    "wrong_value",
    "extends",
    "besides",
    "gives",
    "raises",
    "instead",
    "does_more",
)


def form_clauses(page: Page) -> Iterator[Clause]:
    """Reads "Refactor this" about a given program, if the text names no fault, no addition, and nothing that it is to
    do."""
    found = next(iter(page.reading.find("asks_form")), None) if page.has_code else None
    if found is None or any(has(apart_from_form(page.text), table) for table in _CHANGES):
        return
    begin, _ = page.reading.sentence(found.start(), found.end())
    if not page.doubts.between(begin, found.start(), "denied"):
        yield Clause(segment(page, found.start(), found.end()), "form")


def memory_clauses(page: Page) -> Iterator[Clause]:
    """Reads "at most 64 MB of memory"."""
    text = page.reading.masked
    for amount, start, end in _amounts(page, "megabytes"):
        begin, stop = page.reading.sentence(start, end)
        memory = pattern("memory").search(text, begin, stop)
        limited = _is_limit(text, begin, start, end) or _ends_with("memory_limit", text[begin:start])
        if memory is None and pattern("must").search(text, begin, start):
            memory = _SPENT.search(text, max(begin, start - _WINDOW), start)
        if memory and limited and not page.doubts.between(begin, start, "reported", "supposed"):
            told = segment(page, min(memory.start(), start), end)
            yield Clause(told, "memory", megabytes=amount, size=_size_of(page, begin, stop, start, end))


def _is_limit(text: str, begin: int, start: int, end: int) -> bool:
    """Returns whether the words around an amount make it a limit: "within", "or less"."""
    behind = _OR_LESS.match(text, end)
    return behind is not None or _ends_with("at_most", text[max(begin, start - _WINDOW) : start])


def _amounts(page: Page, units: str, begin: int = 0, stop: int | None = None) -> Iterator[tuple[float, int, int]]:
    """Yields (amount in the first unit of the table, start, end) of each number with one of its units after it."""
    text = page.reading.masked
    stop = len(text) if stop is None else stop
    articles = ((1.0, match.start(), match.end()) for match in pattern("one_article").finditer(text, begin, stop))
    for value, start, end in (*numbers_in(text, begin, stop, words=True), *articles):
        match = _units(units).match(text, end)
        if match is not None:
            factor = next(factor for place, (factor, _) in enumerate(meanings(units)) if match.group(f"u{place}"))
            yield value * float(factor), start, match.end()


@cache
def _units(name: str) -> re.Pattern[str]:
    groups = "|".join(f"(?P<u{place}>{words})" for place, (_, words) in enumerate(meanings(name)))
    return re.compile(rf"[\s-]?(?:{groups})", re.I)


def _size_of(page: Page, begin: int, stop: int, start: int, end: int) -> int | None:
    """Returns the number of elements that the sentence names besides the limit itself; None without one."""
    for value, first, last in numbers_in(page.reading.masked, begin, stop):
        outside = last <= start or first >= end
        is_amount = any(_units(units).match(page.reading.masked, last) for units in ("seconds", "megabytes"))
        if outside and value >= _SIZED and not is_amount:
            return int(value)
    return None
