"""Reads promises in running text: a call, words that are all known, and a value or an exception, in any order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.examples.grammar.calls import TextCall, on_code_line
from agent.examples.grammar.endings import leads_to, stands_free, summed
from agent.examples.grammar.links import (
    SEPARATORS,
    Kind,
    PromisedValue,
    Strength,
    Token,
    fits,
    follow,
    is_told_apart,
    leads_on,
    outcome_at,
    outcomes_in,
    skip_markup,
    strength_of,
    tokens_before,
    tokens_in,
)
from agent.examples.grammar.page import Page
from agent.examples.grammar.shown import as_printed
from agent.examples.grammar.statements import Statement, as_seen, correction, example_of, kinds_of, tail_of
from agent.examples.types import Example
from agent.examples.vocabulary import Phrase, any_of, pattern
from agent.source.interface import suits

from .asserts import is_assert_line
from .blocks import is_labelled_input

_WINDOW = 160
"""How many characters before a call are searched for its value, so that hostile texts stay cheap."""
_PURPOSE = re.compile(r"(?<!\w)(?:so|such) that\s+(?:(?:for|with|on)\s+)?`?$", re.I)
_ORDER = re.compile(
    r"\W*(?:please |now )?"
    r"(?:make|change|fix|adapt|adjust|modify|rewrite|update|extend|repair|correct|let|turn|write)(?!\w)",
    re.I,
)

_BIDS = re.compile(
    r"\W*(?:please |just |simply |instead,? )*(?:return|raise)(?!\w|\s+(?:of|values?|types?)(?!\w))", re.I
)
"""Matches a sentence that begins with an order."""
_SHARED = re.compile(
    r"[\s`]*(?:(?:should|must|shall|have to|need to|ought to|sollen|sollten|müssen|müssten) )?"
    r"(?:both|each|all|beide|alle)(?!\w)"
)
"""Matches words behind the last of several calls that make a statement one about all of them."""
_LABEL = re.compile(r"[\s>*•-]*[^\W\d_]+(?: [^\W\d_]+)?\*{0,2}:[\s*`]*")
"""One or two words and a colon."""
_AND = re.compile(rf"[\s`]*(?:,[\s`]*)?(?:{any_of('and_word')}[\s`]*)?", re.I)
_COMES = "(?:returns|returned|gives|gave|yields|produces|liefert|ergibt|gibt)"
_MET = "(?:i|we) (?:get|got)|ich (?:bekomme|erhalte)"


def prose_examples(page: Page, calls: Sequence[TextCall]) -> Iterator[Example]:
    """Yields one example for each call that the text promises something of, in order of the text."""
    last: Statement | None = None
    behind = 0
    row: list[TextCall] = []
    for call in calls:
        row = [*row, call] if row and _AND.fullmatch(page.text, row[-1].end, call.start) else [call]
        told = _stated(page, call, last, shared=True) if len(row) > 1 and _stands_free(page, row) else None
        shared = told is not None and (is_told_apart(told.outcome) or _SHARED.match(page.text, call.end) is not None)
        last = told if shared else _stated(page, call, last)
        if last is not None and binds(page, call, last, behind):
            start, end = min(call.start, last.outcome.start), max(call.end, last.end)
            for each in row if shared else [call]:
                told = example_of(page, each.source, last.outcome, start, end)
                yield as_printed(page, told) if each.printed else told
        behind = max(call.end, last.end) if last is not None else call.end


def _stands_free(page: Page, row: Sequence[TextCall]) -> bool:
    """Returns whether nothing before the row makes something else of its calls, as in "the sum of f(2) and f(3)"."""
    return stands_free(page.text, page.reading.sentence(row[0].start, row[-1].end)[0], row[0].start)


def stated_behind(page: Page, call: TextCall, begin: int) -> Statement | None:
    """Returns what the text after a call says that it gives; a verb may stand before the call, from `begin` on. What it
    prints is no such thing."""
    found = _forward(page, call, begin, None)
    return found if found is not None and not found.outcome.seen else None


def _stated(page: Page, call: TextCall, last: Statement | None, *, shared: bool = False) -> Statement | None:
    """Returns what the text states of the call: after it, before it, or as the next item of a list of pairs. `shared`
    says that the calls joined to it before are meant as well."""
    elsewhere = on_code_line(page, call.start) or is_assert_line(page, call.start)
    if elsewhere or is_labelled_input(page, call.start):
        return None
    begin = page.reading.sentence(call.start, call.end)[0]
    free = shared or _goes_on(page, last, call.start) or stands_free(page.text, begin, call.start)
    after = _forward(page, call, begin, last) if free else None
    if after is not None and after.strength != "was":
        return after
    before = _backward(page, call, begin, last)
    if before is not None and before.strength == "says" and page.reporting and _BIDS.match(page.text, begin):
        return replace(before, strength="must")
    if before is not None and before.strength != "must":
        before = correction(page, call.end) or before
    return before or after


def _forward(page: Page, call: TextCall, begin: int, last: Statement | None) -> Statement | None:
    """Reads "f(2) should return 4", and other ways to say it with the value after the call."""
    text, found = page.text, follow(page.text, call.end)
    if found is None:
        return None
    way, outcome = found
    tail = tail_of(text, outcome)
    kinds = {*kinds_of(way), *tail.kinds, *_said_before(page, call, begin, way)}
    elliptic = replace(outcome, seen=last.outcome.seen) if last and not (kinds or outcome.is_error) else outcome
    outcome = as_seen(elliptic, kinds)
    if outcome is None:
        return None
    strength = strength_of(kinds, is_error=outcome.is_error)
    if not kinds_of(way) and strength is None:
        strength = _next_line(text, call, outcome) if not way else None
        strength = strength or _elliptic(text, call, way, outcome, last)
    if strength is None or not fits(text, way, outcome) or not _is_well_formed(text, way, strength, call, outcome):
        return None
    righted = correction(page, tail.end) if strength != "must" else None
    if righted is not None or tail.closed:
        return righted or Statement(outcome, strength, tail.end)
    total = summed(text, outcome.end, outcome.text)
    return Statement(total, strength, total.end) if total is not None else None


def _said_before(page: Page, call: TextCall, begin: int, way: list[Token]) -> set[Kind]:
    """Returns what the words before the call add: "soll f(2) 4 liefern", "gibt für f(2) 4 zurück", "I'd like f(2) to be
    4". Words before a contrast are about another call: "As expected, but f(2) gives 5"."""
    contrasts = (match.end() for match in pattern("contrast").finditer(page.text, begin, call.start))
    start = max(begin, call.start - _WINDOW, *contrasts)
    before = tokens_before(page.text, start, call.start)
    said: set[Kind] = {token.kind for token in before}
    kept: set[Kind] = said & {"must", "expected", "right", "was", "wrong"}
    if before and (leads_on(page.text, before[-1]) or before[-1].kind == "gives"):
        kept |= said & {"gives"}
    if ":" in page.text[max([start, *(token.end for token in before if token.kind == "wrong")]) : call.start]:
        kept.discard("wrong")  # "Two things are wrong: f(2) gives 3, should be 4" calls no value wrong
    if _is_wished(page, begin, call, way):
        kept.add("must")
    if _is_dashed(page.text, way, before):
        kept.add("is")
    return kept


def _is_wished(page: Page, begin: int, call: TextCall, way: list[Token]) -> bool:
    """Returns whether the call is wished for. In "I'd like f(1) to be 0 and f(2) to be 1" the wish covers every
    infinitive after it; "Change it so that f(2) is 4" gives the purpose of an order."""
    if _PURPOSE.search(page.text, begin, call.start) and _ORDER.match(page.text, begin):
        return True
    infinitive = any(page.text[token.start : token.start + 3].lower() == "to " for token in way)
    return infinitive and any(token.kind in ("must", "expected") for token in tokens_in(page.text, begin, call.start))


def _is_dashed(text: str, way: list[Token], before: list[Token]) -> bool:
    """Returns whether a dash stands for the verb, as in "Результат f(10) — 20", in languages that leave it out."""
    dash = [token.kind for token in way] == ["dash"] and text[way[0].start] in "\u2014\u2013"
    return dash and bool(before) and pattern("outcome").match(text, before[-1].start) is not None


def _is_well_formed(text: str, way: list[Token], strength: Strength, call: TextCall, outcome: PromisedValue) -> bool:
    """Returns whether signs stand where they may: a stop, comma or dash only at the beginning of the way, a full stop
    only if the next sentence says what must be, and a bare colon only after a call that begins its line."""
    kinds = kinds_of(way)
    if "for" in kinds and not outcome.is_error and text[way[0].start : way[-1].end].isascii():
        return False
    kinds = [kind for kind in kinds if kind != "for"]
    kinds = kinds[1:] if kinds[:1] == ["was"] and strength == "must" else kinds
    if any(kind in SEPARATORS for kind in kinds[1:] if kind != "open") or ("open" in kinds and not outcome.is_error):
        return False
    if "stop" in kinds[:1] and strength != "must":
        return False
    if outcome.is_error and any(text.startswith("==", token.start) for token in way):
        return False
    line = text[text.rfind("\n", 0, call.start) + 1 : call.start]
    return kinds != ["colon"] or not re.search(r"\w", line) or _is_labelled(text, line, call, outcome)


def _is_labelled(text: str, line: str, call: TextCall, outcome: PromisedValue) -> bool:
    """Recognizes "Call: f(2)" above "Result: 4"."""
    apart = "\n" in text[call.end : outcome.start]
    return apart and _LABEL.fullmatch(line) is not None


def _next_line(text: str, call: TextCall, outcome: PromisedValue) -> Strength | None:
    """Recognizes a call alone on its line with its value alone on the next one."""
    line = text[text.rfind("\n", 0, call.start) + 1 : call.start]
    between, rest = text[call.end : outcome.start], text[outcome.end : (text + "\n").index("\n", outcome.end)]
    alone = not line.strip(" \t`*->") and "\n" in between and not rest.strip(" \t`*")
    return "says" if alone else None


def _elliptic(
    text: str, call: TextCall, way: list[Token], outcome: PromisedValue, last: Statement | None
) -> Strength | None:
    """Reads "f(1) gives 1, f(2) 4": the second pair takes its verb from the first."""
    if last is None or outcome.text.startswith("-") or last.end > call.start:
        return None
    joined = re.fullmatch(rf"[\s,;`]*(?:{any_of('and_word')}|{any_of('but')})?[\s`]*", text[last.end : call.start])
    apart = way or re.fullmatch(r"[ `]+", text[call.end : outcome.start])
    return last.strength if joined and apart else None


def _goes_on(page: Page, last: Statement | None, place: int) -> bool:
    """Returns whether only an "and" stands between the last statement and the place. Before another "and" stands a call
    that is joined to this one; the value of a statement may end in a bracket as well."""
    return last is not None and _AND.fullmatch(page.text, last.end, place) is not None


def _backward(page: Page, call: TextCall, begin: int, last: Statement | None) -> Statement | None:
    """Reads "returns 4 for f(2) and 5 for f(3)", "a TypeError is raised for f('x')", "4 == f(2)"."""
    text, start = page.text, max(begin, call.start - _WINDOW)
    nearest = next(iter([*outcomes_in(text, start, call.start)][-1:]), None)
    if nearest is None or not tail_of(text, PromisedValue("", False, call.start, call.end)).closed:
        return None
    joined = last.strength if last is not None and _goes_on(page, last, nearest.start) else None
    strength = _leading_strength(text, start, nearest, call, joined)
    return Statement(nearest, strength, call.end) if strength is not None else None


def _leading_strength(
    text: str, start: int, outcome: PromisedValue, call: TextCall, joined: Strength | None
) -> Strength | None:
    """Returns how firmly the words around the outcome tie it to the call after it; None when they do not. A pair that
    is joined to another is told as firmly as that one."""
    between = tokens_in(text, outcome.end, call.start)
    if not between or _has_gaps(text, between, outcome.end, call.start):
        return None
    mirrored = [text[token.start : token.end] for token in between] == ["=="]
    leading = any(leads_on(text, token) for token in between[-2:])
    if not mirrored and (not leading or set(kinds_of(between)) & SEPARATORS):
        return None
    if joined is not None:
        return joined
    before = tokens_before(text, start, outcome.start)
    if before and before[-1].kind == "instead" and leading:
        return "must" if _is_reported(text, start, before[-1].start, call) else None
    stated = any(token.kind in ("gives", "raises", "expected", "was", "must") for token in before)
    if not stated and not stands_free(text, start, outcome.start):
        return None
    said = {token.kind for token in (*before, *between) if token.kind not in ("for", "comma", "stop")}
    return strength_of(said, is_error=outcome.is_error)


def _is_reported(text: str, start: int, end: int, call: TextCall) -> bool:
    """Returns whether the sentence opens with what comes now, "it returns 3", before "instead of 4 for f(2)". An order
    or a wish, "it should return 3", would say the opposite of 4, so only plain words of a report count."""
    name = re.escape(call.source.partition("(")[0])
    told = re.compile(rf"\W*(?:(?:(?:it|this|the function|es|sie|die funktion|{name})\s+)?{_COMES}|{_MET})\s+", re.I)
    said = told.match(text, start, end)
    outcome = outcome_at(text, skip_markup(text, said.end())) if said else None
    return outcome is not None and not text[outcome.end : end].strip("`'\" ")


def _has_gaps(text: str, tokens: list[Token], start: int, end: int) -> bool:
    """Returns whether something unknown stands between the tokens."""
    place = start
    for token in tokens:
        if skip_markup(text, place) != token.start:
            return True
        place = token.end
    return skip_markup(text, place) < end


def binds(page: Page, call: TextCall, statement: Statement, behind: int = 0) -> bool:
    """Returns whether nothing around takes the statement back (a denial, a supposition, a question, a report), and it
    is about the program that is asked for. `behind` is where the text that was read before ends."""
    doubts, strength = page.doubts, statement.strength
    begin, end = page.reading.sentence(call.start, max(call.end, statement.end))
    first = min(call.start, statement.outcome.start)
    own = doubts.clause_start(begin, first)
    if strength == "was" or doubts.between(own, first, "denied", "supposed", "about") or doubts.is_question(begin, end):
        return False
    if _is_another_case(page, call, page.reading.masked[begin:first]) or _UNLIKE.search(
        page.reading.masked, begin, first
    ):
        return False
    if doubts.between(begin, end, "imagined") or doubts.between(statement.end, end, "about"):
        return False
    if pattern("no_example").search(page.reading.masked, begin, first) or doubts.called_wrong(statement.end):
        return False
    if strength == "must":
        return statement.corrects or not doubts.between(own, first, "reported")
    if not leads_to(page.text, max(own, min(behind, first)), first):
        return False
    if doubts.taken_back(end) or (_is_new(page, call) and not statement.outcome.is_error):
        return not doubts.taken_back(end)  # nobody can report what the given code cannot take
    told = doubts.between(begin, first, "reported") or doubts.between(statement.end, end, "reported")
    return not told and (page.is_law(first, strength) or _is_new(page, call))


def _is_another_case(page: Page, call: TextCall, before: str) -> bool:
    """Returns whether the words before a call put it where something is set that it does not hand over, "with
    strict=True, f(3) returns 9", or where what is not the case is ("if the rate were 10 %")."""
    named = _SETTING.search(before)
    if named is None:
        return _UNREAL.search(before) is not None
    parameters, given = page.names.parameters or (), call.source.partition("(")[2]
    handed = re.search(rf"(?<!\w){named['name']}\s*=", given) is not None
    return not handed and (named["name"] not in parameters[: given.count(",") + 1] if parameters else False)


_SETTING = Phrase(
    r"(?<!\w)(?:{condition}|with|mit|avec|con|com)\s+`?(?P<name>[^\W\d]\w*)\s*==?\s*(?=[\w'\"-])[^.;\n]*\Z"
)
_UNREAL = Phrase(
    r"(?<!\w){condition}(?!\w)[^.;\n]*?(?<!\w)"
    r"(?:were|wäre|wären|était|étaient|fuera|fueran|fosse)(?!\w)[^.;\n]*\Z"
)
_UNLIKE = Phrase(
    r"(?<!\w){denied}(?!\w)[^,.;\n]*?(?<!\w)(?:like|the way|wie|comme|como|come|как)\s+(?![`'\"\d])"
    r"[^.;\n]*{for_example}[\s,:]*`*"
)
"""Denies that it is done as something else does, which an example then shows."""


def _is_new(page: Page, call: TextCall) -> bool:
    """Returns whether the given code cannot take the call yet; what is said of it is then a wish and no report."""
    return page.has_code and not suits(call.source, page.code)
