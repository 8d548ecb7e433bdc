"""Reads what a text states about one input: the outcome, how firmly, and where the statement ends."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from agent.examples.types import Example

from .endings import ends
from .links import SEPARATORS, Kind, PromisedValue, Strength, Token, follow, seen_as, strength_of, tokens_from
from .page import Page
from .shown import seen_example, text_of
from .values import is_error, promise, raises

_TAIL_NOISE = re.compile(
    r"exception|error|back|again|answer|result|value|one|too|also|ausnahme|ebenfalls|異常|异常|例外|エラー", re.I
)
_NO_TAIL: frozenset[Kind] = frozenset((*SEPARATORS, "colon", "comment", "arrow", "equals", "instead"))
_PRINTED: frozenset[Kind] = frozenset(("must", "prints"))
"""What tells that a value is printed where no call stands before it; "output" is a noun there."""
_CLOSERS = re.compile(r"[`'\"*_)\]]*")
_MESSAGE = re.compile(r"`?:\s")
_PART = re.compile(r"[;,(\n\u2014\u2013]")
"""Matches where a part of a sentence, or another line, begins."""
_ERROR_BEFORE = re.compile(r"([A-Z][A-Za-z]*)[`*_]*\Z")
_LONGEST_NAME = 60
_LONGEST_MESSAGE = 200
"""How many characters of what an exception says are passed over."""
_BLANK = re.compile(r"\s*")
_IMPERATIVE = re.compile(r"return|raise|give", re.I)
_UNDONE = re.compile(r"\W*(?:please )?(?:don't|do not|dont|rather than|instead of) ", re.I)
_INSTEAD = re.compile(
    r"\s+(?:instead|there|then|in that case|stattdessen|à la place|plutôt|en su lugar|al suo posto|em vez disso)(?!\w)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Statement:
    outcome: PromisedValue
    strength: Strength
    end: int
    corrects: bool = False
    """Whether the statement says what should be in place of the outcome that stands before it."""


@dataclass(frozen=True, slots=True)
class Tail:
    """The known words after a value ("4 zurückgeben"), and whether the statement is complete after them."""

    kinds: frozenset[Kind]
    end: int
    closed: bool


def tail_of(text: str, outcome: PromisedValue) -> Tail:
    """Returns the shortest tail that completes the statement; all known words if none does."""
    kinds: set[Kind] = set()
    end = outcome.end
    if ends(text, end, outcome.text) or (outcome.is_error and _MESSAGE.match(text, end)):
        return Tail(frozenset(kinds), end, True)
    for token in tokens_from(text, end):
        if token.kind in _NO_TAIL:
            return Tail(frozenset(kinds), end, token.kind == "instead")
        kinds.add(token.kind)
        end = token.end
        says_something = token.kind != "noise" or _TAIL_NOISE.fullmatch(text, token.start, token.end)
        if says_something and ends(text, end, outcome.text):
            return Tail(frozenset(kinds), end, True)
    return Tail(frozenset(kinds), end, False)


def kinds_of(way: list[Token]) -> list[Kind]:
    """Returns what the tokens of a way say, without those that say nothing. A way is the tokens between call and value,
    or between any other place from which a value is looked for and that value."""
    return [token.kind for token in way if token.kind != "noise"]


def correction(page: Page, place: int) -> Statement | None:
    """Reads a correction after a wrong outcome: "... but should give 4", "; return None instead", ". Correct would be
    4", "instead of 4"."""
    error = _ERROR_BEFORE.search(page.text, max(0, place - _LONGEST_NAME), place)
    if error is not None and is_error(error.group(1)) and _MESSAGE.match(page.text, place):
        return _behind_a_message(page, place)
    closers = _CLOSERS.match(page.text, place)
    found = follow(page.text, closers.end() if closers else place)
    if found is None:
        return None
    way, right = found
    kinds, tail = kinds_of(way), tail_of(page.text, right)
    opens = (*SEPARATORS, "comment", "instead", "must", "expected", "right")
    if not tail.closed or not kinds or kinds[0] not in opens:
        return None
    seen = as_seen(right, {*kinds, *tail.kinds} & _PRINTED)
    if seen is None:
        return None
    righted = Statement(seen, "must", tail.end, corrects=True)
    if kinds[0] == "instead":
        return righted if set(kinds[1:]) <= {"gives", "raises", "is"} else None
    said = [kind for kind in (*kinds, *tail.kinds) if kind not in ("wrong", "was", "instead")]
    firm = strength_of(said, is_error=right.is_error)
    ordered = firm == "says" and (_INSTEAD.match(page.text, right.end) or _is_reversed(page, place, way))
    return righted if ordered or (firm == "must" and "stop" not in _after(kinds, "must")) else None


def _behind_a_message(page: Page, place: int) -> Statement | None:
    """Reads a correction behind what an exception says: "IndexError: list index out of range; it should be 0". A
    message may hold values itself, "too many values to unpack (expected 2)", so that after a bracket or a comma only a
    demand counts."""
    for match in _PART.finditer(page.text, place + 1, min(len(page.text), place + _LONGEST_MESSAGE)):
        if match.group() == "\n":
            return None
        token = next((one for one in tokens_from(page.text, match.end()) if one.kind != "noise"), None)
        firm = token is not None and (
            token.kind == "must" or (match.group() in ";\u2014\u2013" and token.kind == "expected")
        )
        righted = correction(page, match.start()) if firm else None
        if righted is not None:
            return righted
    return None


def _is_reversed(page: Page, place: int, way: list[Token]) -> bool:
    """Recognizes "Don't raise an error for f(2), return 4": the order replaces what the sentence began with."""
    begin = page.reading.sentence(place, place)[0]
    return _UNDONE.match(page.text, begin) is not None and any(is_imperative(page.text, token) for token in way)


def _after(kinds: list[Kind], kind: Kind) -> list[Kind]:
    return kinds[kinds.index(kind) :] if kind in kinds else []


def demand(page: Page, begin: int, *, ordered: bool = False) -> Statement | None:
    """Reads what the sentence after `begin` says must be, without a call: "It should return 4", "Return 4 instead".
    With `ordered`, an imperative without "instead" counts as well, because what stands before it makes it a demand."""
    blank = _BLANK.match(page.text, begin)
    found = follow(page.text, blank.end() if blank else begin)
    if found is None:
        return None
    way, outcome = found
    kinds, tail = kinds_of(way), tail_of(page.text, outcome)
    strength = strength_of({*kinds, *tail.kinds}, is_error=outcome.is_error)
    bidden = bool(way) and is_imperative(page.text, way[0])
    ordered = bidden and (ordered or _INSTEAD.match(page.text, outcome.end) is not None)
    seen = as_seen(outcome, {*kinds, *tail.kinds} & _PRINTED) if strength == "must" or ordered else None
    return Statement(seen, "must", tail.end) if seen and tail.closed and not set(kinds) & SEPARATORS else None


def as_seen(outcome: PromisedValue, kinds: Collection[str]) -> PromisedValue | None:
    """Returns the outcome, marked as printed if words of these kinds say that it is. Returns None for a printed value
    whose text is unsure, such as a float that the author may have rounded."""
    seen = replace(outcome, seen=outcome.seen or ("" if outcome.is_error else seen_as(kinds)))
    return None if seen.seen and text_of(seen.text) is None else seen


def is_imperative(text: str, token: Token) -> bool:
    return _IMPERATIVE.fullmatch(text, token.start, token.end) is not None


def example_of(page: Page, call: str, outcome: PromisedValue, start: int, end: int) -> Example:
    """Returns the example that the sentences around `text[start:end]` give of the call, in their own words."""
    told = page.reading.quote(*page.reading.sentence(start, end))
    text = text_of(outcome.text) if outcome.seen else None
    if text is not None:
        returns = page.has_code and "print(" not in page.code
        return seen_example(page, call, text, told, ordered=outcome.seen == "orders" and not returns)
    return (raises if outcome.is_error else promise)(call, outcome.text, told)
