"""Reads promises that name only input and output: "14.5 should return 15", `[1, 2] -> 3`, "for n = 3 the result is 9".
They are read if the function takes one argument, so that it is clear where the input goes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Literal

from agent.examples.grammar.calls import TextCall, on_code_line
from agent.examples.grammar.endings import stands_free
from agent.examples.grammar.links import (
    ARROW,
    Kind,
    PromisedValue,
    Token,
    fits,
    follow,
    kind_of_value,
    outcome_at,
    same_letters,
    skip_markup,
    strength_of,
    tokens_before,
)
from agent.examples.grammar.page import Page
from agent.examples.grammar.statements import (
    SEPARATORS,
    Statement,
    as_seen,
    demand,
    example_of,
    is_imperative,
    tail_of,
)
from agent.examples.grammar.values import BEGINS, value_at
from agent.examples.types import Example
from agent.examples.vocabulary import any_of, pattern

from .blocks import LABEL

Lead = Literal["input", "turned", "example", "labelled", "free"]
"""What leads to the input. input: words that call it an input. turned: "turns X into Y". example: a heading or label
that says so, or the pair before. labelled: another label. free: nothing, or harmless words."""

_START = re.compile(rf"(?<![\w.)\]\"'-])(?:{BEGINS})", re.I)
_MOST = 300
"""How many places of a text are looked at."""
_WINDOW = 80
"""Characters before a place that are searched for the words that lead to it."""
_LATE = re.compile(r"(?:the )?(?:output|result|answer|function|it) (?:should|must|will) (?:be|return|give)(?!\w)", re.I)
_LABELLED = re.compile(r"([^\n:]*):\s*$")
_ARROWS = re.compile(ARROW)
_SHOWN = re.compile(rf"[ \t`*]*\n?[ \t`*]*(?:(?:{ARROW}|==?|:|#|Out ?\[\d+\]:)[ \t`*]*)?")
"""Matches what stands between a call and the value that it gives, in a session or a list."""
_LETTER = re.compile(r"['\"].['\"]")
"""A single letter: without a heading, a line that makes something of it is as likely a rule of the function."""
_LAST_WORDS = re.compile(r"[^\s:,;(]+(?: [^\s:,;(]+){0,3}$")


def pair_examples(page: Page, calls: Sequence[TextCall], kinds: Collection[str]) -> Iterator[Example]:
    """Yields one example for each pair of input and output. `kinds` are the kinds of the argument as far as the text
    shows them; pairs with an input of another kind are left out."""
    entry = page.names.entry
    if entry is None or page.names.required != 1 or page.names.is_class:
        return
    others = "|".join(re.escape(name) for name in (page.names.parameters or ())[1:])
    end = 0
    for given in _inputs(page, calls):
        if given.start < end or (kinds and kind_of_value(given.text) not in kinds):
            continue
        stated = _stated(page, given, follows=end)
        if stated is not None and not (others and _assigns(page, others, given.start, stated.end)):
            end = stated.end
            yield example_of(page, f"{entry}({given.text})", stated.outcome, given.start, end)


def _assigns(page: Page, names: str, start: int, end: int) -> bool:
    """Returns whether the sentence also gives a value to another parameter, so that the input is not complete."""
    begin, stop = page.reading.sentence(start, end)
    line = page.text.rfind("\n", 0, start) + 1
    return (
        re.search(rf"(?<!\w)`?(?:{names})`?\s*[=:]", page.text[max(min(begin, line), begin - _WINDOW) : stop])
        is not None
    )


def _inputs(page: Page, calls: Sequence[TextCall]) -> Iterator[PromisedValue]:
    """Yields the literals of the text that stand in no call. What a report shows right behind a call is what the call
    gives."""
    inside = iter(calls)
    call = next(inside, None)
    end = last = 0
    for match in islice(_START.finditer(page.reading.masked), _MOST):
        while call is not None and call.end <= match.start():
            last, call = call.end, next(inside, None)
        if match.start() < end or (call is not None and call.start <= match.start()):
            continue
        if page.reporting and last and _SHOWN.fullmatch(page.text, last, match.start()):
            continue
        value = value_at(page.text, match.start())
        if value is not None:
            end = value[1]
            yield PromisedValue(value[0], False, match.start(), end)


def _stated(page: Page, given: PromisedValue, follows: int) -> Statement | None:
    """Returns what the text states for the input; `follows` is where the pair before ends, 0 for none."""
    text = page.text
    begin = page.reading.sentence(given.start, given.end)[0]
    lead = None if on_code_line(page, given.start) else _lead(page, begin, given.start, follows)
    found = _way(page, given, lead) if lead is not None else None
    if found is None or lead is None or _is_joined(text, found[0]):
        return None
    way, outcome = found
    tail = tail_of(text, outcome)
    before = tokens_before(text, max(begin, given.start - _WINDOW), given.start)
    kinds: set[Kind] = {token.kind for token in way}
    kinds |= tail.kinds
    if lead == "free" and before and before[-1].kind in ("gives", "is", "was"):
        return None  # in "it gives 15 and I expected 16", 15 is no input
    if any(token.kind == "must" for token in before):
        kinds.add("must")
    if lead == "input" and way and is_imperative(text, way[-1]):
        kinds.add("must")
    names_it = any(pattern("outcome").search(text, token.start, token.end) for token in way)
    strength = strength_of(kinds, is_error=outcome.is_error)
    if lead == "turned" or (lead == "input" and names_it and kinds <= {"noise", "comma", "colon"}):
        strength = "says"
    if strength is None or strength == "was" or not tail.closed or not fits(text, way, outcome):
        return None
    seen = as_seen(outcome, kinds - {"outputs"})
    sound = _suits(text, lead, kinds, way, names_it=names_it) or (lead == "free" and _is_whole(given, outcome, kinds))
    sound = sound and page.is_law(given.start, strength)
    return (
        Statement(seen, strength, tail.end) if seen and sound and not _is_doubted(page, given.start, tail.end) else None
    )


def _way(page: Page, given: PromisedValue, lead: Lead) -> tuple[list[Token], PromisedValue] | None:
    """Returns the way to the output. After an input that is called one, other words may stand before "the output
    should"."""
    if lead == "turned":
        return _turned(page.text, given.end)
    found = follow(page.text, given.end)
    if lead != "input" or (found is not None and tail_of(page.text, found[1]).closed):
        return found
    late = _LATE.search(page.text, given.end, page.reading.sentence(given.start, given.end)[1])
    return (
        follow(page.text, late.start()) if late and not page.doubts.between(given.end, late.end(), "denied") else found
    )


def _is_joined(text: str, way: Sequence[Token]) -> bool:
    """Returns whether "and" stands first between two values: "for 1 and 9" names two inputs."""
    return bool(way) and pattern("and_word").fullmatch(text, way[0].start, way[0].end) is not None


def _turned(text: str, place: int) -> tuple[list[Token], PromisedValue] | None:
    """Returns the value after "into"."""
    word = pattern("into").match(text, skip_markup(text, place))
    outcome = outcome_at(text, skip_markup(text, word.end())) if word else None
    return ([], outcome) if outcome is not None and not outcome.is_error else None


def _is_doubted(page: Page, start: int, end: int) -> bool:
    begin, stop = page.reading.sentence(start, end)
    own = page.doubts.clause_start(begin, start)
    return (
        page.doubts.between(own, start, "denied", "about")
        or page.doubts.between(begin, start, "reported")
        or page.doubts.between(end, stop, "about", "reported")
        or page.doubts.unsure(begin, stop)
        or demand(page, stop) is not None
    )


def _lead(page: Page, begin: int, start: int, follows: int) -> Lead | None:
    """Returns what leads to the input; None for words that could make anything of it ("version 2", "half of 2")."""
    text = page.text
    head = text[begin:start].rstrip("`*_ \t\n")
    line = text[text.rfind("\n", 0, start) + 1 : start].strip("`*_ \t")
    if follows and re.fullmatch(rf"[\s,;.`]*{any_of('and_word')}?[\s,`]*", text[follows:start]):
        return "example"
    if re.fullmatch(r"(?:[-*+•>]|\d+[.)])?", line):
        heading = page.heading(start)
        shown = heading is not None and pattern("example").search(text, *heading) is not None
        alone = heading is None and not (_begins_a_row(text, start) or _LETTER.match(text, start))
        return "example" if shown or alone else "free"
    label = _LABELLED.search(head)
    if head.endswith("assert") or (label is not None and _is_output_label(label.group(1))):
        return None
    return _worded_lead(head) or _labelled_lead(page, head) or ("free" if stands_free(text, begin, start) else None)


def _begins_a_row(text: str, start: int) -> bool:
    """Returns whether several arrows stand on the line; `rows` decides on them as a whole."""
    return len(_ARROWS.findall(text[start : (text + "\n").index("\n", start)])) > 1


def _worded_lead(head: str) -> Lead | None:
    """Returns what the last words before the input say, up to four of them."""
    words = _LAST_WORDS.search(head)
    last = words.group() if words else ""
    starts = [0, *(place for place in range(1, len(last)) if not (last[place].isascii() and last[place - 1].isalnum()))]
    leads: tuple[tuple[str, Lead], ...] = (("turns", "turned"), ("input", "input"), ("example", "example"))
    for table, lead in leads:
        if any(pattern(table).fullmatch(last, place) for place in starts):
            return lead
    return None


def _labelled_lead(page: Page, head: str) -> Lead | None:
    """Reads "n = " and "n is", if n is the parameter; otherwise what the label before a colon says."""
    names = "|".join(re.escape(name) for name in page.names.parameters or ())
    if names and re.search(rf"(?<!\w)`?(?:{names})`?\s*(?:=|:|{any_of('is')})$", head, re.I):
        return "input"
    label = _LABELLED.search(head)
    if label is None:
        return None
    told = pattern("example").search(label.group(1)) or pattern("input").search(label.group(1))
    return "example" if told else "labelled"


def _is_output_label(words: str) -> bool:
    label = LABEL.search(words.split(",")[-1].strip() + ":")
    return label is not None and not label.group("input")


def _suits(text: str, lead: Lead, kinds: set[Kind], way: list[Token], *, names_it: bool) -> bool:
    """Returns whether the words fit the lead. Without a call, "2 is 4" or "2: 4" could mean anything."""
    said = text[way[0].start : way[-1].end] if way else ""
    if lead == "turned":
        return True
    if kinds & (SEPARATORS | {"comment"}) - {"comma"} or ("comma" in kinds and lead != "input" and said.isascii()):
        return False
    if lead in ("input", "example"):
        return bool(kinds & {"must", "gives", "expected", "arrow", "raises"}) or names_it
    changes = not said.isascii() and {"is", "gives"} <= kinds
    return bool(kinds & {"must", "expected"}) or changes or pattern("becomes").match(said) is not None


def _is_whole(given: PromisedValue, outcome: PromisedValue, kinds: set[Kind]) -> bool:
    """Returns whether input and output are surely no parts of a table, where nothing leads to them: the output is made
    of the letters of the input, or an arrow leads to it from more than a word or a number."""
    plain = given.text[:1] in "'\"" and outcome.text[:1] in "'\""
    if plain and same_letters(given.text, outcome.text):
        return bool(kinds & {"gives", "is", "arrow"}) and kinds <= {"gives", "is", "arrow", "noise"}
    kind = kind_of_value(given.text)
    more = kind in ("list", "tuple", "dict") or (kind == "str" and not given.text[1:-1].isalpha())
    return more and "arrow" in kinds and kinds <= {"arrow", "noise"}
