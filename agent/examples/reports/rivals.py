"""Reads two outcomes that a report tells of one call, where no words that are all known say which is right: "f(2) is 3
and not 4", "f(2) gives 3, a calculator says 4", "expected: 4, got: 3, for f(2)". Running the given program decides:
what it gives is the fault, and the other one is wished for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.examples.grammar.calls import TextCall
from agent.examples.grammar.endings import NOT, leads_to
from agent.examples.grammar.links import (
    ARROW,
    Kind,
    PromisedValue,
    kind_of_value,
    outcomes_in,
    tokens_before,
    tokens_in,
)
from agent.examples.grammar.page import Page
from agent.examples.grammar.statements import tail_of
from agent.examples.grammar.values import promise, raises
from agent.examples.readers.only_call import CONDITION, names_another_input
from agent.examples.types import Example
from agent.examples.vocabulary import UNPARTED, pattern

_MOST = 400
"""How many characters behind a call, or before the only one, are searched."""
_FRAME = re.compile(r'^[ \t>]*File "[^\n]*\n(?:[ \t][^\n]*\n)?(?:[ \t]*[~^]+[ \t]*\n)?', re.M)
"""A frame of a traceback, whose values are those of the code."""
_MESSAGE = re.compile(r":[ \t](?:[^\n.;`\u2014\u2013]|\.(?!\s|$))*")
"""What an exception says."""
_AGAINST = re.compile(
    rf"[^.;!?\n()]{{0,80}}?(?:{ARROW})[\s`*]*|[\s`*,;(]*{NOT.pattern}|[\s`*]*(?:≠|!=|<>|#+|//|\bvs\.?\s)[\s`*]*", re.I
)
"""Matches what sets an outcome against another one by form: an arrow, "not", an inequality, a comment."""
_CHECKED = re.compile(r"[\s`*]*[✔✓✅]")
_PAUSE = re.compile(r"[,.;!?\n]")
_NEGATED = re.compile(r"n['\u2019]?t\b")
_CONTRAST = re.compile(r",\s*\Z")
"""A comma before "while" sets one thing against another."""
_VERB = re.compile(r"[`'\"]*\s+[a-zà-ÿа-яё]{3,}[`]*(?=[.!]?\s*(?:\n|\Z)|[.!]\s)")
"""One word that ends the sentence, such as an infinitive that stands last."""
_UNPARTED_VERB = re.compile(rf"[`\s]*(?:{UNPARTED.pattern}|\s)+(?=[.,!]|\Z|\n)")
_CALL = re.compile(r"\w\(")
_LEADING_SIGNS = tuple(":(,.;=>→\u2014\u2013")
_NEAR = 20
_SET_AGAINST: frozenset[Kind] = frozenset(("must", "expected", "right", "instead", "but", "was"))
_WISHED: frozenset[Kind] = frozenset(("must", "expected", "right", "instead"))
_SAYS_NOTHING: frozenset[Kind] = frozenset(("noise", "comma", "stop", "for", "open"))


def rival_results(page: Page, calls: Sequence[TextCall]) -> Iterator[Example]:
    """Yields what may be right for each call of which exactly two outcomes are told."""
    for source, told in rivals_of(page, calls):
        sentence = page.reading.quote(*page.reading.sentence(told.start, told.end))
        yield replace((raises if told.is_error else promise)(source, told.text, sentence), call=source)


def rivals_of(page: Page, calls: Sequence[TextCall]) -> Iterator[tuple[str, PromisedValue]]:
    """Yields each call of which exactly two outcomes are told, with one that may be right."""
    for source in dict.fromkeys(call.source for call in calls):
        own = [call for call in calls if call.source == source]
        told = _two_of([*_told(page, calls, own)], source)
        yield from ((source, each) for each in _wished(page, own, *told)) if told else ()


def _two_of(told: Sequence[PromisedValue], source: str) -> tuple[PromisedValue, PromisedValue] | None:
    """Returns the two outcomes that are told, in order of the text; None for more or fewer. Values of the call's own
    input are passed over if there are more than two."""
    first = {each.text: each for each in reversed(told)}
    if len(first) > 2:
        given = {ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.expr)}
        first = {text: each for text, each in first.items() if text not in given}
    one, other = sorted(first.values(), key=lambda each: each.start) if len(first) == 2 else (None, None)
    return (one, other) if one and other else None


def _told(page: Page, calls: Sequence[TextCall], own: Sequence[TextCall]) -> Iterator[PromisedValue]:
    """Yields each outcome that is told behind the call, up to the next one; if it is the page's only call, also those
    before it. Frames of a traceback and what exceptions say hold none, and a failed assert is none itself."""
    text = _FRAME.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), page.text)
    starts = [*(call.start for call in calls), len(text)]
    parts = [(one.end, min(next(start for start in starts if start >= one.end), one.end + _MOST)) for one in own]
    if len(own) == len(calls):
        parts.insert(0, (max(0, own[0].start - _MOST), own[0].start))
    for start, end in parts:
        behind = start
        for outcome in outcomes_in(text, start, end):
            if outcome.start >= behind and outcome.text != "AssertionError":
                yield outcome
                message = _MESSAGE.match(text, outcome.end) if outcome.is_error else None
                behind = message.end() if message else outcome.end


def _wished(page: Page, own: Sequence[TextCall], one: PromisedValue, other: PromisedValue) -> Sequence[PromisedValue]:
    """Returns the outcome of two that is called right, or both if the words only set one against the other."""
    firm = _AGAINST.fullmatch(page.text, one.end, other.start) is not None or _asks_back(page, one, other)
    around = next((again for again in own if one.end <= again.start < other.start), None)
    if around is not None and kind_of_value(one.text) == "number" and not _is_result_of(page, one, around):
        return ()
    firm = firm or around is not None
    behind = max([one.end, *(each.end for each in own if each.start < other.start)])
    if _is_unsure(page, one, other) or (not firm and names_another_input(page, behind, other.start)):
        return ()
    leads = {each.start: _said_of(page, each) for each in (one, other)}
    called = [each for each in (one, other) if leads[each.start] & _WISHED and not leads[each.start] & {"was", "wrong"}]
    if called:
        return called if len(called) == 1 and _is_closed(page, called[0], leads[called[0].start]) else ()
    against = firm or _is_set_against(page, one, other, leads[other.start])
    return (one, other) if against and _is_closed(page, other, leads[other.start]) else ()


def _is_result_of(page: Page, one: PromisedValue, call: TextCall) -> bool:
    """Returns whether a number before the call is told as a result: nothing follows it in its clause, or some words,
    all of them known, lead from it to the call. "500 error in production" and "since 2024 f(2)" tell of none."""
    between = page.text[one.end : call.start].strip(" `*")
    return tail_of(page.text, one).closed or (bool(between) and leads_to(page.text, one.end, call.start))


def _is_set_against(page: Page, one: PromisedValue, other: PromisedValue, lead: set[Kind]) -> bool:
    """Returns whether unknown words set a value against another one of its kind, behind a sign, as in "gives 'a', but
    I only want the end: 'b'". Words that name another call are about that one."""
    between = page.text[one.end : other.start]
    said = {token.kind for token in tokens_in(page.text, one.end, other.start)}
    counted = kind_of_value(other.text) == "number" and not lead
    alike = kind_of_value(one.text) == kind_of_value(other.text) and not counted
    signed = bool(lead & {"is", "gives", "was"} and not said & {"but"}) or between.rstrip(" `*")[-1:] in _LEADING_SIGNS
    return alike and bool(said & _SET_AGAINST) and signed and _CALL.search(between) is None


def _is_closed(page: Page, outcome: PromisedValue, said: set[Kind]) -> bool:
    """Returns whether nothing behind the outcome adds to it. Where it must be, a verb may stand last."""
    if tail_of(page.text, outcome).closed or _is_praised(page, outcome):
        return True
    last = _VERB.match(page.text, outcome.end) if "must" in said and kind_of_value(outcome.text) != "number" else None
    return last is not None or _verb_behind(page, outcome) is not None


def _verb_behind(page: Page, outcome: PromisedValue) -> re.Match[str] | None:
    """Returns the words behind an outcome in a script without blanks that say that it must be."""
    behind = _UNPARTED_VERB.match(page.text, outcome.end)
    return pattern("must").search(behind.group()) if behind else None


def _is_praised(page: Page, outcome: PromisedValue) -> bool:
    """Recognizes "4 is right", "4 which would be correct", and a check mark behind the outcome."""
    praises = (
        pattern("right").search(page.reading.masked, outcome.end, outcome.end + _NEAR),
        _CHECKED.match(page.text, outcome.end),
    )
    return any(praise and not _PAUSE.search(page.text, outcome.end, praise.start()) for praise in praises)


def _is_unsure(page: Page, one: PromisedValue, other: PromisedValue) -> bool:
    """Returns whether something between the outcomes makes one of them doubtful."""
    begin, end = page.reading.sentence(other.start, other.end)
    if page.doubts.between(one.start, end, "supposed", "imagined", "about"):
        return True
    condition = CONDITION.search(page.reading.masked, one.end, other.start)
    if condition and not _CONTRAST.search(page.text[one.end : condition.start()]):
        return not _leads_at_once(page, condition.end(), other)
    return page.doubts.is_question(begin, end) and not _asks_back(page, one, other)


def _asks_back(page: Page, one: PromisedValue, other: PromisedValue) -> bool:
    """Recognizes "f(2) gives 3, shouldn't it be 4?": such a question is no question."""
    asked = page.doubts.is_question(*page.reading.sentence(other.start, other.end))
    return asked and _NEGATED.search(page.text, one.end, other.start) is not None


def _leads_at_once(page: Page, place: int, other: PromisedValue) -> bool:
    """Recognizes "gives 3 when it should be 4": what stands behind "when" is no condition but what must be."""
    said = {token.kind for token in tokens_before(page.text, place, other.start)}
    first = next(iter(tokens_in(page.text, place, other.start)), None)
    return "must" in said and first is not None and first.start - place <= _NEAR


def _said_of(page: Page, outcome: PromisedValue) -> set[Kind]:
    """Returns what the known words around an outcome say of it."""
    begin = page.reading.sentence(outcome.start, outcome.end)[0]
    tail = tail_of(page.text, outcome)
    said: set[Kind] = {token.kind for token in tokens_before(page.text, begin, outcome.start)}
    said = (said | (tail.kinds if tail.closed else frozenset[Kind]())) - _SAYS_NOTHING
    if _is_praised(page, outcome):
        said.add("right")
    if _verb_behind(page, outcome):
        said.add("must")
    return said
