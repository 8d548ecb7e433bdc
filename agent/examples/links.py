"""What stands between a call and its value: known words and signs only, each with what it says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from . import words
from .doubts import compiled
from .values import error_at, value_at

Kind = Literal[
    "arrow", "equals", "colon", "comma", "stop", "open", "comment", "dash",
    "wrong", "was", "must", "expected", "right", "instead", "gives", "is", "will", "raises", "but", "for", "noise",
]  # fmt: skip
Strength = Literal["must", "symbol", "says", "was"]
"""must: it says what has to be. symbol: an arrow or `==`. says: a plain statement of what is. was: a report."""

_SIGNS: tuple[tuple[Kind, str], ...] = (
    ("arrow", r"={1,2}>|-{1,2}>|→|➞|➜|⇒|⟶|↦|===?"),
    ("equals", r":?=(?![=>])|≡"),
    ("colon", r":"),
    ("comma", r","),
    ("stop", r"[.;!?](?=\s|$)"),
    ("open", r"\("),
    ("comment", r"#+|//"),
    ("dash", r"—|–|-{1,2}(?=\s)"),
)
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    *((kind, re.compile(pattern)) for kind, pattern in _SIGNS),
    ("wrong", compiled(words.WRONG)),
    ("was", compiled(words.WAS)),
    ("must", compiled(words.MUST)),
    ("expected", compiled(words.EXPECTED)),
    ("right", compiled(words.RIGHT)),
    ("instead", compiled(words.INSTEAD)),
    ("but", compiled(words.BUT)),
    ("gives", compiled(words.GIVES)),
    ("is", compiled(words.IS)),
    ("will", compiled(words.WILL)),
    ("raises", compiled(words.RAISES)),
    ("noise", compiled(words.NOISE)),
    ("for", compiled(words.FOR)),
)
_FOR = compiled(words.FOR)
_MARKUP = re.compile(r"[ \t`*_~]*(?:\n[ \t`*_~>#]*(?!\n))?")
_MARKED = re.compile(r"[ \t]?`([^`\n]{1,200})`")
_FENCE = re.compile(r"[ \t`*_~]*\n(?:[ \t]*\n)?[ \t]*(?:```\w*\n)?[ \t]*")
_MOST = 12
"""Tokens of a link; a longer way from call to value says more than that one is the other."""
_STRING = re.compile(words.KINDS[0][0], re.I)
_LETTER = r"[^\W\u3040-\u9fff]"
_EMPTY = [
    (re.compile(rf"(?:an?\s+)?(?:{words.EMPTY_WORDS})\s*(?:{nouns})(?!{_LETTER})|(?:une?\s+|una\s+|uma\s+|um\s+)?(?:{nouns})\s+(?:{words.EMPTY_WORDS})(?!{_LETTER})", re.I), value)
    for nouns, value in words.EMPTY
]  # fmt: skip
_NOUNS = [(re.compile(rf"(?<!\w)(?:{nouns})(?!\w)", re.I), kind) for nouns, kind in words.KINDS]


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A literal, or the name of an exception, at a place of the text."""

    text: str
    is_error: bool
    start: int
    end: int


def token_at(text: str, place: int) -> Token | None:
    """The longest known word or sign that begins at `place`; a word with brackets behind it is a call, and unknown."""
    found = [(m.end(), kind) for kind, pattern in _KINDS if (m := pattern.match(text, place)) is not None]
    if not found:
        return None
    end = max(found, key=lambda pair: pair[0])[0]
    if text[end : end + 1] == "(" and text[end - 1].isalnum() and text[end - 1].isascii():
        return None
    return Token(next(kind for stop, kind in found if stop == end), place, end)


def leads_on(text: str, token: Token) -> bool:
    """Whether the word leads to a call or an input: "for", "when called as"; some say nothing elsewhere ("on")."""
    return token.kind == "for" or _FOR.fullmatch(text, token.start, token.end) is not None


def skip_markup(text: str, place: int) -> int:
    """Past blanks, Markdown marks and at most one line break."""
    match = _MARKUP.match(text, place)
    return match.end() if match else place


def outcome_at(text: str, place: int) -> Outcome | None:
    """The literal or exception name that begins at `place`; "an empty list" counts as one."""
    for pattern, value in _EMPTY:
        match = pattern.match(text, place)
        if match:
            return Outcome(value, False, place, match.end())
    found = value_at(text, place)
    if found is not None:
        return Outcome(found[0], False, place, found[1])
    error = error_at(text, place)
    return Outcome(error[0], True, place, error[1]) if error else None


def tokens_from(text: str, place: int) -> Iterator[Token]:
    """Known words and signs in a row; ends at the first thing that is neither known nor markup."""
    for _ in range(_MOST):
        place = skip_markup(text, place)
        token = token_at(text, place)
        if token is None or (token.kind == "dash" and value_at(text, place) is not None):
            return
        yield token
        place = token.end
        fence = _FENCE.match(text, place) if token.kind == "colon" else None
        place = fence.end() if fence else place


def tokens_before(text: str, begin: int, end: int) -> list[Token]:
    """The known words in a row that lead up to `end`, looked for from `begin` on."""
    found: list[Token] = []
    place = skip_markup(text, begin)
    while place < end:
        token = token_at(text, place)
        if token is not None and token.end <= end:
            found.append(token)
            place = token.end
        else:
            found.clear()
            word = re.compile(r"\w+|.", re.S).match(text, place)
            place = word.end() if word else end
        place = max(place, min(skip_markup(text, place), end))
    return found


def follow(text: str, place: int) -> tuple[list[Token], Outcome] | None:
    """The way over known words to the next value or exception; None when an unknown word stands in between."""
    way: list[Token] = []
    outcome = outcome_at(text, skip_markup(text, place))
    for token in tokens_from(text, place):
        if outcome is not None and outcome.end >= token.end:
            break
        way.append(token)
        here = skip_markup(text, token.end)
        fence = _FENCE.match(text, token.end) if token.kind == "colon" else None
        outcome = outcome_at(text, fence.end() if fence else here) or _marked_string(text, token)
        if outcome is not None:
            break
    return (way, outcome) if outcome is not None else None


def _marked_string(text: str, token: Token) -> Outcome | None:
    """ "the string `abc`": what stands between backticks is the string itself, without quotes."""
    marked = _MARKED.match(text, token.end)
    if marked is None or token.kind != "noise" or _STRING.fullmatch(text, token.start, token.end) is None:
        return None
    return Outcome(repr(marked.group(1)), False, marked.start(1), marked.end())


def fits(text: str, way: list[Token], outcome: Outcome) -> bool:
    """Whether the noun before the value is of its kind: "the string 4" is not the number 4."""
    noise = " ".join(text[token.start : token.end] for token in way if token.kind == "noise")
    said = {kind for pattern, kind in _NOUNS if pattern.search(noise)}
    return outcome.is_error or not said or kind_of_value(outcome.text) in said


def kind_of_value(value: str) -> str:
    """str, list, tuple, dict, bool, None or number, told from the literal's spelling."""
    if value in ("True", "False"):
        return "bool"
    if value == "None":
        return value
    first = value.lstrip("bru")[:1]
    names = {"'": "str", '"': "str", "[": "list", "(": "tuple", "{": "dict"}
    return names.get(first, "number")


def strength_of(kinds: Collection[Kind], *, is_error: bool) -> Strength | None:
    """How firmly words of these kinds state an outcome; None when they do not state it at all."""
    kinds = set(kinds)
    states = kinds & (_STATES_AN_ERROR if is_error else _STATES_A_VALUE)
    if kinds & {"wrong", "instead"}:
        return None
    if "expected" in kinds or ("must" in kinds and (states or "was" in kinds)) or ("right" in kinds and (states or "will" in kinds)):
        return "must"
    if "was" in kinds:
        return "was"
    return "symbol" if "arrow" in states else "says" if states else None


_STATES_A_VALUE: set[Kind] = {"gives", "is", "equals", "comment", "colon", "arrow"}
_STATES_AN_ERROR: set[Kind] = {"raises", "comment", "colon", "arrow"}
