"""Promises in running text: a call, words that are all known, and a value or an exception; in any order."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from .endings import ends, stands_free, summed
from .links import (
    Kind,
    Outcome,
    Strength,
    Token,
    fits,
    follow,
    leads_on,
    outcome_at,
    skip_markup,
    strength_of,
    tokens_before,
    tokens_from,
)
from .page import Page
from .types import Example
from .values import balanced, literal_call, promise, raises

_MOST_CALLS = 300
_WINDOW = 160
"""Characters before a call that are searched for its value: keeps hostile texts cheap."""
_CHAIN = re.compile(r"\.[A-Za-z_]\w*(?=\()")
CODE_LINE = re.compile(
    r"[ \t`*>-]*(?:>>>|E {2,}|\.\.\.|def |class |return |(?:if|elif|while|for)\b[^\n]*:[ \t]*$|@|import |from \w+ import|\w+ = (?!\w+\())"
)
_VALUE = re.compile(r"(?<![\w.)\]])(?:[\[({'\"]|-?\d|-?\.\d|(?:true|false|none|null)\b|[A-Z][A-Za-z]*\b)", re.I)
_IMPERATIVE = re.compile(r"return|raise|give", re.I)
_THERE = re.compile(r"\s+(?:instead|there|then|in that case)(?!\w)", re.I)
_LAST = re.compile(r"exception|error|back|again|ausnahme|異常|异常|例外|エラー|too|also|ebenfalls", re.I)
_PURPOSE = re.compile(r"(?<!\w)(?:so|such) that\s+`?$", re.I)
_ORDER = re.compile(
    r"\W*(?:please |now )?(?:make|change|fix|adapt|adjust|modify|rewrite|update|extend|repair|correct|let|turn|write)(?!\w)", re.I
)
_SEPARATORS: set[Kind] = {"comma", "stop", "open", "dash", "but"}
_CONTRAST: set[Kind] = {"instead"}


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text states of one call, and where the statement ends."""

    outcome: Outcome
    strength: Strength
    end: int


@dataclass(frozen=True, slots=True)
class Call:
    source: str
    """In canonical spelling."""
    start: int
    end: int


def calls_in(page: Page) -> list[Call]:
    """The calls with concrete arguments that the text makes of the names it speaks of, outside of string literals."""
    found: list[Call] = []
    for name in sorted(page.names.known):
        places = re.finditer(rf"(?<![\w.]){re.escape(name)}\(", page.reading.masked)
        found += [call for match in islice(places, _MOST_CALLS) if (call := _call(page, match.start(), match.end() - 1))]
    return sorted(found, key=lambda call: call.start)


def _call(page: Page, start: int, bracket: int) -> Call | None:
    text = page.text
    end = balanced(text, bracket)
    while end is not None and (chain := _CHAIN.match(text, end)):
        end = balanced(text, chain.end())
    source = literal_call(text[start:end], page.names.known) if end is not None else None
    if source is None or end is None:
        return None
    if text[:start].endswith("print(") and text[end : end + 1] == ")":
        return Call(source, start - 6, end + 1)
    return Call(source, start, end)


def prose_examples(page: Page, calls: Collection[Call]) -> list[Example]:
    """One example for each call of which the text promises something, in order of the text."""
    found: list[Example] = []
    last: Statement | None = None
    for call in calls:
        last = _stated(page, call, last)
        if last is not None and last.strength != "was" and _binds(page, call, last):
            begin, end = page.reading.sentence(min(call.start, last.outcome.start), max(call.end, last.end))
            sentence = page.reading.quote(begin, end)
            make = raises if last.outcome.is_error else promise
            found.append(make(call.source, last.outcome.text, sentence))
    return found


def orphan_examples(page: Page, calls: Collection[Call]) -> Iterator[Example]:
    """ "It should return 4." in a report that speaks of one call only, which stands before it: that call is meant."""
    if not page.reporting or len({call.source for call in calls}) != 1:
        return
    call = next(iter(calls))
    for begin, end in pairwise(page.reading.stops):
        statement = _orphan(page, begin) if begin >= call.end else None
        if statement is not None and statement.end <= end and not page.doubts.asked(begin, end):
            make = raises if statement.outcome.is_error else promise
            yield make(call.source, statement.outcome.text, page.reading.quote(begin, end))


def _orphan(page: Page, begin: int) -> Statement | None:
    """A sentence that says what must be and names no call: "It should return 4", "Return 4 instead"."""
    found = follow(page.text, begin)
    if found is None:
        return None
    way, outcome = found
    kinds: list[Kind] = [token.kind for token in way]
    tail = tail_of(page.text, outcome.end, outcome.text)
    strength = strength_of({*kinds, *tail.kinds}, is_error=outcome.is_error)
    ordered = way and _IMPERATIVE.fullmatch(page.text, way[0].start, way[0].end)
    firm = strength == "must" or (ordered and _THERE.match(page.text, outcome.end))
    return Statement(outcome, "must", tail.end) if firm and tail.closed and not set(kinds) & _SEPARATORS else None


def _stated(page: Page, call: Call, last: Statement | None) -> Statement | None:
    """What the text states of the call: after it, before it, or as the next item of a list of pairs."""
    line = page.text.rfind("\n", 0, call.start) + 1
    if CODE_LINE.match(page.text, line):
        return None
    begin = page.reading.sentence(call.start, call.end)[0]
    if not stands_free(page.text, begin, call.start):
        return _backward(page, call, begin)
    after = _forward(page, call, begin, last)
    return after if after is not None and after.strength != "was" else _backward(page, call, begin) or after


def _forward(page: Page, call: Call, begin: int, last: Statement | None) -> Statement | None:
    found = follow(page.text, call.end)
    if found is None:
        return None
    way, outcome = found
    before = tokens_before(page.text, max(begin, call.start - _WINDOW), call.start)
    kinds = {token.kind for token in way}
    kinds |= {token.kind for token in before} & {"must", "expected", "right", "was", "wrong"}
    kinds |= {"must"} if _wished(page, begin, call, way) else set()
    kinds |= {"is"} if _dashed(page.text, way, before) else set()
    tail = tail_of(page.text, outcome.end, outcome.text)
    strength = strength_of(kinds | tail.kinds, is_error=outcome.is_error)
    if not way and not strength:
        strength = _next_line(page, call, outcome) or _elliptic(page, call, outcome, last)
    if strength is None or not fits(page.text, way, outcome) or not _well_formed(page.text, way, strength, call, is_error=outcome.is_error):
        return None
    righted = correction(page, tail.end)
    if righted is not None and strength != "must":
        return righted
    if not tail.closed:
        total = summed(page.text, outcome.end, outcome.text)
        return Statement(total, strength, total.end) if total is not None else None
    return Statement(outcome, strength, tail.end)


def _well_formed(text: str, way: list[Token], strength: Strength, call: Call, *, is_error: bool) -> bool:
    """A stop, comma or dash only leads the way; a full stop only where the next sentence says what must be; a bare
    colon only after a call that begins its line."""
    kinds: list[Kind] = [token.kind for token in way if token.kind != "noise"]
    if "for" in kinds and not is_error and text[way[0].start : way[-1].end].isascii():
        return False
    kinds = [kind for kind in kinds if kind != "for"]
    if any(kind in _SEPARATORS for kind in kinds[1:]) or "open" in kinds:
        return False
    if "stop" in kinds[:1] and strength != "must":
        return False
    if is_error and any(text[token.start : token.end].startswith("==") for token in way if token.kind == "arrow"):
        return False
    line = text[text.rfind("\n", 0, call.start) + 1 : call.start]
    return kinds != ["colon"] or not re.search(r"\w", line)


def _wished(page: Page, begin: int, call: Call, way: list[Token]) -> bool:
    """ "I'd like f(1) to be 0 and f(2) to be 1": the wish reaches over every infinitive that follows. "Change it so that
    f(2) is 4": the purpose of an order."""
    if _PURPOSE.search(page.text, begin, call.start) and _ORDER.match(page.text, begin):
        return True
    infinitive = any(page.text[token.start : token.start + 3].lower() == "to " for token in way)
    return infinitive and any(token.kind in ("must", "expected") for token in tokens_in(page.text, begin, call.start))


def _dashed(text: str, way: list[Token], before: list[Token]) -> bool:
    """ "Результат f(10) — 20": a dash is the verb of a language that leaves it out."""
    dash = [token.kind for token in way] == ["dash"] and text[way[0].start] in "—–"
    return dash and bool(before) and re.match("результат|значение|ответ", text[before[-1].start :], re.I) is not None


def _next_line(page: Page, call: Call, outcome: Outcome) -> Strength | None:
    """A call alone on its line, and its value alone on the next one."""
    text = page.text
    line = text[text.rfind("\n", 0, call.start) + 1 : call.start]
    between, rest = text[call.end : outcome.start], text[outcome.end : (text + "\n").index("\n", outcome.end)]
    alone = not line.strip(" \t`*->") and "\n" in between and not rest.strip(" \t`*")
    return "says" if alone else None


def _elliptic(page: Page, call: Call, outcome: Outcome, last: Statement | None) -> Strength | None:
    """ "f(1) gives 1, f(2) 4": the second pair has its verb from the first."""
    if last is None or outcome.text.startswith("-") or last.end > call.start:
        return None
    joined = re.fullmatch(r"[\s,;`]*(?:and|und|et|y|e|и|а|和)?[\s`]*", page.text[last.end : call.start])
    apart = re.fullmatch(r"[ `]+", page.text[call.end : outcome.start])
    return last.strength if joined and apart else None


@dataclass(frozen=True, slots=True)
class Tail:
    """The known words after a value ("4 zurückgeben"), and whether the statement is over behind them."""

    kinds: set[Kind]
    end: int
    closed: bool


def tail_of(text: str, place: int, value: str | None = None) -> Tail:
    """As few words as close the statement; all the known ones when none does."""
    kinds: set[Kind] = set()
    if ends(text, place, value):
        return Tail(kinds, place, True)
    end = place
    for token in tokens_from(text, place):
        if token.kind in ("comma", "stop", "open", "colon", "dash", "comment", "arrow", "equals", "instead", "but"):
            break
        kinds.add(token.kind)
        end = token.end
        if ends(text, end, value) and (token.kind != "noise" or _LAST.fullmatch(text, token.start, token.end)):
            return Tail(kinds, end, True)
    instead = next(tokens_from(text, end), None)
    return Tail(kinds, end, instead is not None and instead.kind == "instead")


def correction(page: Page, place: int) -> Statement | None:
    """ "... but should give 4", "; return None instead", ". Correct would be 4", "instead of 4" behind a wrong value."""
    found = follow(page.text, re.compile(r"[`'\"*_)\]]*").match(page.text, place).end())  # pyright: ignore
    if found is None:
        return None
    way, right = found
    kinds: list[Kind] = [token.kind for token in way if token.kind != "noise"]
    tail = tail_of(page.text, right.end)
    firm = strength_of({*kinds, *tail.kinds} - {"wrong", "was"} - _CONTRAST, is_error=right.is_error)
    if not tail.closed or not kinds or kinds[0] not in (*_SEPARATORS, *_CONTRAST, "must", "expected", "right", "for"):
        return None
    if kinds[0] == "instead":
        return Statement(right, "must", tail.end) if set(kinds[1:]) <= {"gives", "raises", "is"} else None
    later = kinds[kinds.index("must") :] if "must" in kinds else []
    if firm == "must" and "stop" not in later:
        return Statement(right, "must", tail.end)
    imperative = firm == "says" and re.match(r"\s+instead\b", page.text[right.end : right.end + 20])
    return Statement(right, "must", tail.end) if imperative else None


def _backward(page: Page, call: Call, begin: int) -> Statement | None:
    """ "returns 4 for f(2)", "a TypeError is raised for f('x')", "4 == f(2)"."""
    text = page.text
    after = tail_of(text, call.end)
    if not after.closed:
        return None
    start = max(begin, call.start - _WINDOW)
    nearest: Outcome | None = None
    for match in _VALUE.finditer(text, start, call.start):
        outcome = outcome_at(text, match.start()) if nearest is None or match.start() >= nearest.end else None
        if outcome is not None and outcome.end <= call.start:
            nearest = outcome
    return _leads_to(page, start, nearest, call) if nearest is not None else None


def _leads_to(page: Page, start: int, outcome: Outcome, call: Call) -> Statement | None:
    text = page.text
    between = tokens_in(text, outcome.end, call.start)
    if not between or _gaps(text, between, outcome.end, call.start):
        return None
    before = tokens_before(text, start, outcome.start)
    kinds: list[Kind] = [token.kind for token in between if token.kind != "noise"]
    mirrored = [text[token.start : token.end] for token in between] == ["=="]
    leading = any(leads_on(text, token) for token in between[-2:])
    if not mirrored and (not leading or set(kinds) & _SEPARATORS):
        return None
    said: set[Kind] = {token.kind for token in (*before, *between)} - {"for", "comma", "stop"}
    strength = strength_of(said, is_error=outcome.is_error)
    stated_before = any(token.kind in ("gives", "raises", "expected", "was", "must") for token in before)
    if strength is None or not (stated_before or stands_free(text, start, outcome.start)):
        return None
    return Statement(outcome, strength, call.end)


def tokens_in(text: str, start: int, end: int) -> list[Token]:
    """Every known word between two places, unknown ones passed over."""
    found: list[Token] = []
    place = start
    while place < end:
        run = [token for token in tokens_from(text, place) if token.end <= end]
        found += run
        place = run[-1].end if run else place
        word = re.compile(r"\W*\w*").match(text, place)
        place = max(word.end() if word and not run else place, place + 1)
    return found


def _gaps(text: str, tokens: list[Token], start: int, end: int) -> bool:
    """Whether something unknown stands between the tokens."""
    place = start
    for token in tokens:
        if skip_markup(text, place) != token.start:
            return True
        place = token.end
    return skip_markup(text, place) < end


def _binds(page: Page, call: Call, statement: Statement) -> bool:
    """Whether nothing around it takes the statement back: a denial, a supposition, a question, a report."""
    doubts = page.doubts
    begin, end = page.reading.sentence(call.start, max(call.end, statement.end))
    first = min(call.start, statement.outcome.start)
    own = doubts.own_clause(begin, first)
    if doubts.between(own, first, "denied", "supposed", "about") or doubts.between(begin, first, "imagined") or doubts.asked(begin, end):
        return False
    if doubts.between(statement.end, end, "about"):
        return False
    if statement.strength == "must":
        return not doubts.between(own, first, "reported")
    told = doubts.between(begin, first, "reported") or doubts.between(statement.end, end, "reported")
    return not told and not doubts.taken_back(end) and page.is_law(first, statement.strength)
