"""Reads what should be the result of a report's only call when the text says it apart from the call: "It should return
4.", "gives 3 but, counting the tax, it should be 4"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.examples.grammar.calls import TextCall
from agent.examples.grammar.endings import stands_free
from agent.examples.grammar.links import leads_on, outcome_at, outcomes_in, skip_markup, tokens_from, tokens_in
from agent.examples.grammar.page import Page
from agent.examples.grammar.statements import Statement, correction, demand, example_of, tail_of
from agent.examples.grammar.values import is_error
from agent.examples.types import Example
from agent.examples.vocabulary import any_of, pattern

from .prose import stated_behind

_OPENING = re.compile(
    rf"[,;:\u2014\u2013(](?=\s)|\s-(?=\s)|(?<!\w)(?:{any_of('but')}|{any_of('instead')}|{any_of('and_word')})(?!\w)",
    re.I,
)
"""Signs and words after which a clause begins that may say what should be."""
_ITEM = re.compile(r"\s*(?:[-*+•>|^]|\d+[.)]|(?:>>>|\.\.\.)\s*#+|#+)\s+")
_HEADING = re.compile(
    r"(?:#{1,6}[ \t]*|\*\*)?(?P<words>[^\n:*]{1,40}?)[ \t]*(?:\*\*:?|:\*\*|:)?[ \t]*\n"
    r"(?:[ \t]*\n)?(?:[ \t]*```\w*\n)?[ \t`]*"
)
"""Matches a heading on a line of its own, up to what stands below it."""
_ALONE = re.compile(r"[`.]*[ \t]*(?:\n[ \t]*(?:\n|```)|\n?\Z)")
_MESSAGE = re.compile(r"(?<![\w.])([A-Z]\w*)[`*]*:(?=[^;\n\u2014\u2013]*\Z)")
"""Matches the name of what may be an exception, with a colon, if its message is still going on at the end."""
CONDITION = re.compile(
    r"(?<!\w)(?:when|whenever|once|where|while|unless|wenn|sobald|falls|if|after|nach|quand|lorsqu\w+|cuando|quando|если|когда)(?!\w)",
    re.I,
)
_POINTING = re.compile(r"(?:th[ai]t|these|those|dies\w+|ce\w*|es[ae]|est[ae]|quest\w+|ess[ae])(?!\w)", re.I)
_WITH = re.compile(r"with|mit|avec|con|com", re.I)
_LED = re.compile(rf"(?<!\w)(?P<phrase>(?P<lead>(?:{any_of('for')}|with|if given)\s+)?)(?=[\w`\[({{'\"-])", re.I)
"""Places where an input may be named, with or without a word that leads to it."""


def examples_of_the_only_call(page: Page, calls: Sequence[TextCall], promised: Sequence[Example]) -> Iterator[Example]:
    """Yields the first result that is called right in a report with a single call before it; nothing if something is
    `promised` of the call itself."""
    if not page.reporting or len({call.source for call in calls}) != 1:
        return
    call = calls[0]
    if any(call.source in example.source for example in promised):
        return
    told = stated_apart(page, call)
    if told is not None:
        yield example_of(page, call.source, told[1].outcome, told[0], told[1].end)


def stated_apart(page: Page, call: TextCall) -> tuple[int, Statement] | None:
    """Returns what should be the result of the call, and where that is said; None where no sentence or clause behind it
    says so."""
    bare = without_its_input(page, call)
    for begin, place in _openings(bare, call.end):
        statement = _stated(bare, begin, place)
        if statement is not None and _is_about(bare, call, begin, place, statement):
            return place, statement
    return None


def demanded_of(page: Page, call: TextCall) -> Statement | None:
    """Returns what the text demands that the call gives, right behind it or in a sentence or clause of its own; None
    where no words say so."""
    told = stated_behind(page, call, call.start)
    if told is not None and told.strength == "must":
        return told
    apart = stated_apart(page, call)
    return apart[1] if apart else None


def without_its_input(page: Page, call: TextCall) -> Page:
    """Returns the page without repetitions of the call's input after the call, so that "for an empty list it should
    return 0" reads like "it should return 0"."""
    arguments = call.source.partition("(")[2][:-1]
    text, start = page.text, page.reading.sentence(call.end, call.end)[1]
    for match in _LED.finditer(text, start):
        outcome = outcome_at(text, match.end())
        if outcome is None or outcome.text != arguments:
            continue
        behind = next(tokens_from(text, outcome.end), None)
        if match["lead"] or (behind is not None and behind.kind in ("must", "expected")):
            text = text[: match.start("phrase")] + " " * (outcome.end - match.start("phrase")) + text[outcome.end :]
    return replace(page, reading=replace(page.reading, text=text))


def _openings(page: Page, behind: int) -> Iterator[tuple[int, int]]:
    """Yields (beginning of the sentence, beginning of a clause) for every clause after the call."""
    begin = page.reading.sentence(behind, behind)[0]
    for stop in page.reading.stops:
        if stop <= behind:
            continue
        places = (match.start() for match in _OPENING.finditer(page.reading.masked, max(begin, behind), stop))
        yield from ((begin, place) for place in places if not _opens_a_message(page, begin, place))
        begin = stop
        item = _ITEM.match(page.text, stop)
        yield stop, item.end() if item else stop


def _opens_a_message(page: Page, begin: int, place: int) -> bool:
    """Returns whether a colon or a bracket belongs to what an exception says: "ValueError: size must be 8"."""
    if page.text[place] not in ":(":
        return False
    return any(is_error(match.group(1)) for match in _MESSAGE.finditer(page.text[begin : place + 1]))


def _stated(page: Page, begin: int, place: int) -> Statement | None:
    """Reads what is said from `place` on, in the sentence from `begin` on. In "it should keep the order and return 3"
    the demand covers both verbs."""
    opening = _OPENING.match(page.reading.masked, place)
    joint = opening is not None and pattern("and_word").fullmatch(opening.group()) is not None
    demanded = joint and any(token.kind == "must" for token in tokens_in(page.text, begin, place))
    told = correction(page, place) or demand(page, opening.end() if opening else place, ordered=demanded)
    return told or _below_a_heading(page, place)


def _below_a_heading(page: Page, place: int) -> Statement | None:
    """Reads a value alone in its paragraph below "### Expected behaviour" or "**Expected**"."""
    heading = _HEADING.match(page.text, place)
    if heading is None or pattern("expected").fullmatch(heading["words"]) is None:
        return None
    outcome = outcome_at(page.text, heading.end())
    return Statement(outcome, "must", outcome.end) if outcome and _ALONE.match(page.text, outcome.end) else None


def _is_about(page: Page, call: TextCall, begin: int, place: int, statement: Statement) -> bool:
    """Returns whether nothing takes the statement back, and it is about the call itself and not "the length of" it. If
    the statement does not begin its sentence, nothing between the call and it may name another input or set a
    condition."""
    start, end = max(begin, call.end), page.reading.sentence(statement.end, statement.end)[1]
    first = page.reading.sentence(call.start, call.end)[0]
    if page.doubts.is_question(begin, end) or not stands_free(page.text, first, call.start):
        return False
    if not page.text[start:place].strip():
        return True
    doubted = page.doubts.between(start, statement.end, "supposed", "imagined", "about")
    if doubted or page.doubts.between(place, statement.outcome.start, "denied"):
        return False
    if CONDITION.search(page.reading.masked, start, place) or names_another_input(page, start, place):
        return False
    told = [outcome for outcome in outcomes_in(page.text, start, place) if not outcome.is_error]
    return len(told) < 2 and all(tail_of(page.text, outcome).closed for outcome in told)


def names_another_input(page: Page, start: int, end: int) -> bool:
    """Returns whether another input is mentioned: "for an empty list", "with 0". An error, and "for that input", are no
    other input."""
    for token in tokens_in(page.text, start, end):
        behind = skip_markup(page.text, token.end)
        outcome = outcome_at(page.text, behind)
        if _WITH.fullmatch(page.text, token.start, token.end):
            led = outcome is not None
        else:
            gives = pattern("gives").fullmatch(page.text, token.start, token.end)
            led = leads_on(page.text, token) and not gives and not _POINTING.match(page.text, behind)
        if led and not (outcome and outcome.is_error):
            return True
    return False
