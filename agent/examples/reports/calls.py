"""Reads what a text tells of given code: the calls it mentions, and what it says near them. The sandbox finds out
whether the code does so; no word decides that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from agent.examples.grammar.calls import TextCall
from agent.examples.grammar.endings import NOT, stands_free
from agent.examples.grammar.links import PromisedValue, follow, outcome_at, outcomes_in, tokens_before
from agent.examples.grammar.page import Page
from agent.examples.grammar.worded import calls_in_words
from agent.examples.readers.only_call import CONDITION
from agent.examples.types import Example, SymptomReport
from agent.examples.vocabulary import pattern

from .steps import Asked

_MAX_REPORTS = 12
_MAX_NEAR_CHARS = 400
"""How many characters on either side of a call are searched for its outcome."""
_PAUSE = re.compile(r"[,;.!?\n]")
_BODY_OF_CODE = re.compile(r"[ \t]*(?:(?:return|def|class|yield|@\w+)\b|(?:if|elif|while|for)\b[^\n]*:[ \t]*$)", re.M)


def read_reports(page: Page, calls: Sequence[TextCall], promised: Sequence[Example]) -> tuple[SymptomReport, ...]:
    """Returns a report for each call of given code that the text mentions, once and in order. A call of a `promised`
    example is reported too if the text says what happens now, besides what should."""
    spoken = [call for call in calls if not _in_code(page, call)] or list(_broken_calls(page))
    errors = _errors_named(page)
    found: dict[str, SymptomReport] = {}
    for place, call in enumerate(spoken):
        before = spoken[place - 1].end if place else 0
        behind = spoken[place + 1].start if place + 1 < len(spoken) else len(page.text)
        told = (*_values_near(page, call, before, behind), *errors)
        first = found.get(call.source)
        found[call.source] = _merged(first, _report(page, call, behind, told))
    known = [_at_odds(page, spoken, found[source]) for source in list(found)[:_MAX_REPORTS]]
    expected = {example.call for example in promised}
    return tuple(report for report in known if report.stated or report.fault or report.call not in expected)


def _at_odds(page: Page, calls: Sequence[TextCall], report: SymptomReport) -> SymptomReport:
    """Returns the report without praise if it tells two results of its call, of which only one can be right."""
    told = (follow(page.text, call.end) for call in calls if call.source == report.call)
    return replace(report, fine=report.fine and len({each[1].text for each in told if each}) < 2)


def reports_of_steps(page: Page, asked: Sequence[Asked]) -> Iterator[SymptomReport]:
    """Yields a report for everything that is asked after steps that the text writes down. What is said of the last
    step stands behind it."""
    for place, one in enumerate(asked[:_MAX_REPORTS]):
        call = one.call
        behind = one.stop or (asked[place + 1].call.start if place + 1 < len(asked) else len(page.text))
        told = (*_values_near(page, call, call.start, behind), *_errors_named(page, call.end, behind))
        report = _report(page, call, behind, told)
        fine = not report.fault and _praise(page, call, call.end, _next_end(page, behind))
        yield replace(report, fine=bool(fine), off=False, written=one.strict)


def _behind_a_contrast(page: Page, call: TextCall) -> int:
    """Returns the place behind "gives 3 and not 4"; that of the call for anything else. This "not" denies nothing."""
    told = follow(page.text, call.end)
    against = NOT.match(page.text, told[1].end) if told else None
    other = outcome_at(page.text, against.end()) if against else None
    return other.end if other else call.end


def _next_end(page: Page, place: int) -> int:
    """Returns where the sentence behind `place` ends."""
    behind = place + len(page.text[place:]) - len(page.text[place:].lstrip())
    return page.reading.sentence(behind, min(behind + 1, len(page.text)))[1]


def _report(page: Page, call: TextCall, behind: int, told: Sequence[str]) -> SymptomReport:
    """Returns the report of one call. `behind` is where the next call stands; the clause that leads to that one is not
    about this one."""
    doubts, masked = page.doubts, page.reading.masked
    begin, end = page.reading.sentence(call.start, call.end)
    first = doubts.clause_start(begin, call.start)
    next_clause = _lead_in(page, call.end, behind) if behind < end else end
    last = next_clause if next_clause > call.end else end
    praise = _praise(page, call, call.end, max(call.end, min(last, behind)))
    blamed = praise and pattern("breaks").search(masked, first, praise.end())
    told_to = _behind_a_contrast(page, call)
    if praise is not None and not (blamed or doubts.between(told_to, praise.end(), "reported", "denied")):
        return SymptomReport(call.source, page.reading.quote(begin, end), tuple(dict.fromkeys(told)), fine=True)
    broken = pattern("breaks").search(masked, first, last) is not None
    fault = broken or doubts.between(first, last, "reported", "denied") or doubts.taken_back(end)
    fine = not fault and _praise(page, call, first, last) is not None
    off = not fine and _is_off(page, first, min(last, behind)) and stands_free(page.text, begin, call.start)
    return SymptomReport(call.source, page.reading.quote(begin, end), tuple(dict.fromkeys(told)), fault, fine, off)


def _praise(page: Page, call: TextCall, start: int, end: int) -> re.Match[str] | None:
    """Returns where the text between two places calls the result of the call right. In "f(2) gives 3, but 4 is right"
    it praises another value."""
    praise = pattern("fine").search(page.reading.masked, start, end)
    told = [*outcomes_in(page.text, call.end, praise.start())] if praise else []
    if praise is None or len({one.text for one in told}) < 2 or _PAUSE.search(page.text, told[-1].end, praise.start()):
        return praise
    return None


def _lead_in(page: Page, start: int, behind: int) -> int:
    """Returns where the words begin that lead to the next call; what a colon stands behind leads to it, too."""
    place = page.doubts.clause_start(start, behind)
    while page.text[start:place].rstrip().endswith(":"):
        place = page.doubts.clause_start(start, len(page.text[:place].rstrip()) - 1)
    return place


def _is_off(page: Page, first: int, last: int) -> bool:
    """Recognizes "The result of f(2) is off by one", but not "f(2) is wrong when the cache is on"."""
    said = pattern("wrong_value").search(page.reading.masked, first, last) is not None
    doubted = page.doubts.between(first, last, "denied", "supposed", "imagined") or page.doubts.is_question(first, last)
    return said and not doubted and CONDITION.search(page.reading.masked, first, last) is None


def _merged(first: SymptomReport | None, second: SymptomReport) -> SymptomReport:
    if first is None:
        return second
    stated = tuple(dict.fromkeys((*first.stated, *second.stated)))
    fault, fine, off = first.fault or second.fault, first.fine or second.fine, first.off or second.off
    return SymptomReport(first.call, first.sentence, stated, fault, fine, off and not fine)


def _in_code(page: Page, call: TextCall) -> bool:
    """Returns whether the call stands in the body of code that was pasted into the text."""
    return _BODY_OF_CODE.match(page.text, page.text.rfind("\n", 0, call.start) + 1) is not None


def _values_near(page: Page, call: TextCall, before: int, behind: int) -> Iterator[str]:
    """Yields the literals between the call before and the call after this one."""
    parts = (
        (max(before, call.start - _MAX_NEAR_CHARS), call.start),
        (call.end, min(behind, call.end + _MAX_NEAR_CHARS)),
    )
    for start, end in parts:
        for outcome in outcomes_in(page.text, start, end):
            if not (outcome.is_error or _is_wanted(page, start, outcome)):
                yield outcome.text


def _is_wanted(page: Page, start: int, outcome: PromisedValue) -> bool:
    """Returns whether the words right before a value say that it should be, so that nobody reports it."""
    begin = max(start, page.reading.sentence(outcome.start, outcome.end)[0])
    said = {token.kind for token in tokens_before(page.text, begin, outcome.start)}
    return bool(said & {"must", "expected", "instead"}) and not said & {"was", "wrong"}


def _errors_named(page: Page, start: int = 0, end: int | None = None) -> tuple[str, ...]:
    """Returns the exceptions that the text names between two places; anywhere, if none are given, since a traceback
    names its own a few lines below the call."""
    found = outcomes_in(page.text, start, len(page.text) if end is None else end)
    return tuple(dict.fromkeys(f"raises {outcome.text}" for outcome in found if outcome.is_error))


def _broken_calls(page: Page) -> Iterator[TextCall]:
    """Yields inputs from sentences such as "mean crashes on []", "it fails for an empty list"."""
    for begin, end in pairwise((0, *page.reading.stops)):
        if pattern("breaks").search(page.reading.masked, begin, end):
            yield from calls_in_words(page, begin, end)
