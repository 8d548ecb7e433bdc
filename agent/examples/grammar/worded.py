"""Finds inputs that a sentence names without a call: "for 1 and 2", "for a = 1 and b = 2", "the gcd of 12 and 18"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from agent.examples.vocabulary import Phrase

from .arguments import arguments_of, assignments
from .calls import TextCall
from .links import ARROW, PromisedValue, follow, is_told_apart, outcome_at, token_at
from .names import Names
from .page import Page
from .values import literal_call

_ROW = re.compile(r"(?:^[ \t>*•-]*(?:\d+[.)][ \t]+)?|[:;.] +|\(e\.g\. )`?(?=[\w\[({'\"-])", re.M)
_ARROW = re.compile(rf"`?[ \t]*(?:{ARROW})")
_JOINT = Phrase(r"\s*,\s*(?:{and_word}\s+)?|\s+{and_word}\s+")
_BEFORE_A_CLAUSE = Phrase(r"(?:\A|[,;:(.>*•-]|(?<!\w){and_word})[\s`*_]*\Z")
_LEADS = Phrase(
    r"(?<!\w)(?!(?:of|from|by|at|von|durch|de|par|por|di|da|от|из)(?!\w))"
    r"(?:{for}|with|when (?:given|passed)|gets?|pass(?:ing|ed)?)\s*(?<!\w)"
)
_ASSIGNING = Phrase(r"(?<!\w)(?:{for}|if)\s+(?=`?\w+`?\s*=[^=])")
_ANY = 2
"""How many values at least are the arguments of a function that takes any number."""
_NEAR = 30
"""How many characters before a word are searched for the beginning of its clause."""
_MOST = 50
"""The most places of a name, and the most values of an input, that are looked at."""


def calls_in_words(page: Page, begin: int, end: int) -> Iterator[TextCall]:
    """Yields calls of the only function from inputs that are told without a call. A number counts only if no noun
    follows it."""
    names = page.names
    if names.entry is None or not names.required:
        return
    for match in _LEADS.finditer(page.text, begin, end):
        values = _values_at(page, match.end(), names.required)
        if values is not None:
            yield from _call(names.entry, *values)


def calls_of_the_name(page: Page) -> Iterator[TextCall]:
    """Yields calls from "the gcd of 12 and 18", where the function's name stands before its input, and from "for 1,
    2 and 3" if the function takes several. Every parameter must get a value."""
    names = page.names
    if names.entry is None or names.is_class or page.reporting or not _takes_something(names):
        return
    for match in _named(names.entry).finditer(page.text):
        yield from _told_at(page, names, match.end(), match.start())
    if names.required != 1:
        yield from _before_arrows(page, names)
        for match in filter(lambda found: _opens(page, found.start()), _LEADS.finditer(page.text)):
            yield from _told_at(page, names, match.end(), match.end())
    for match in islice(_ASSIGNING.finditer(page.text), _MOST):
        end, named = assignments(page.text, match.end())
        arguments = arguments_of(page.text[match.end() : end], names) if len(named) > 1 else None
        yield from _call(names.entry, [arguments], match.start(), end) if arguments else ()


def _opens(page: Page, place: int) -> bool:
    """Returns whether a clause begins there; in "True for 1 and 2" the value before may be told of each."""
    begin = page.reading.sentence(place, place)[0]
    return _BEFORE_A_CLAUSE.search(page.text[max(begin, place - _NEAR) : place]) is not None


def _before_arrows(page: Page, names: Names) -> Iterator[TextCall]:
    """Yields calls from rows of values, "'listen', 'silent' -> True", at the beginning of a line or clause."""
    for match in islice(_ROW.finditer(page.text), _MOST):
        start = match.end()
        found = _values_at(page, start, names.required)
        named = assignments(page.text, start)
        end = named[0] if named[1] else found[2] if found else start
        given = ", ".join(found[0]) if found else page.text[start:end]
        arguments = arguments_of(given, names) if named[1] or names.required else given
        if end > start and arguments and _ARROW.match(page.text, end):
            yield from _call(names.entry or "", [arguments], start, end)


def _takes_something(names: Names) -> bool:
    return bool(names.required) or takes_any_number(names)


def takes_any_number(names: Names) -> bool:
    """Returns whether all arguments of the function are values of one row, `f(*numbers)`."""
    return names.required is None and re.search(r"\(\s*\*\w", names.signature or "") is not None


def _told_at(page: Page, names: Names, place: int, start: int) -> Iterator[TextCall]:
    """Yields the call whose values stand at `place`. Of a truth value for several inputs nobody can tell whether it is
    told of each, if the function takes any number."""
    found = _values_at(page, place, names.required)
    if found is None or names.entry is None:
        return
    values, _, end = found
    told = follow(page.text, end) if names.required is None else None
    if told is None or not is_told_apart(told[1]):
        yield from _call(names.entry, values, start, end)


def _values_at(page: Page, place: int, wanted: int | None) -> tuple[list[str], int, int] | None:
    """Returns as many values as are wanted, all if any number is, and where they begin and end; None if there are
    others."""
    values: list[str] = []
    start = end = place
    while len(values) < (wanted or _MOST):
        mark = place + (page.text[place : place + 1] == "`")
        outcome = outcome_at(page.text, mark)
        if outcome is None or outcome.is_error or _is_counted(page.text, outcome):
            break
        values.append(outcome.text)
        end = outcome.end + (page.text[outcome.end : outcome.end + 1] == "`")
        joined = _JOINT.match(page.text, end)
        if joined is None:
            break
        place = joined.end()
    return (values, start, end) if len(values) == wanted or (wanted is None and len(values) >= _ANY) else None


def _is_counted(text: str, value: PromisedValue) -> bool:
    """Returns whether a noun stands behind a number: "for 3 users"."""
    blank = re.compile(r"[ \t]+(?=[^\W\d_])").match(text, value.end)
    if blank is None or (not text[value.start].isdigit() and text[value.start] not in "-."):
        return False
    return token_at(text, blank.end()) is None and _JOINT.match(text, value.end) is None


def _call(entry: str, values: list[str], start: int, end: int) -> Iterator[TextCall]:
    source = literal_call(f"{entry}({', '.join(values)})")
    if source is not None:
        yield TextCall(source, start, end)


@cache
def _named(entry: str) -> Phrase:
    """Returns the form of the name and a word that leads to its input."""
    return Phrase(rf"(?<![\w.`'\"]){re.escape(entry)}\s+(?:{{for}}|{{genitive}})\s+(?=\S)", 0)
