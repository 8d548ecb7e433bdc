"""Reads what stands between a call and its value. Only known words and signs count, each with what it says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from agent.examples.vocabulary import any_of, pattern

from .values import BEGINS, error_at, value_at

Sign = Literal["arrow", "equals", "colon", "comma", "stop", "open", "comment", "dash"]
Word = Literal[
    "wrong", "was", "must", "expected", "right", "instead", "but", "prints", "outputs", "gives", "is", "will", "raises",
    "noise", "for",
]  # fmt: skip
"""Names of word tables, in the order in which a word is looked up in them."""
Kind = Sign | Word
Strength = Literal["must", "symbol", "says", "was"]
"""must: it says what has to be. symbol: an arrow or `==`. says: a plain statement of what is. was: a report."""
Seen = Literal["", "shows", "orders"]
"""How one sees a value. shows: one sees it, printed or returned. orders: the call has to print it."""

ARROW = r"={1,3}>|-{1,3}>|~>|→|➔|➙|➝|➞|➜|⇒|⇨|⟹|⟶|↦"
"""Pattern of what leads from an input to its outcome by form alone."""
_SIGNS: dict[Sign, re.Pattern[str]] = {
    "arrow": re.compile(rf"{ARROW}|===?"),
    "equals": re.compile(r":?=(?![=>])|≡"),
    "colon": re.compile(r":"),
    "comma": re.compile(r","),
    "stop": re.compile(r"[.;!?](?=\s|$)"),
    "open": re.compile(r"\("),
    "comment": re.compile(r"#+|//"),
    "dash": re.compile(r"—|–|-{1,2}(?=\s)"),  # noqa: RUF001
}
SEPARATORS: frozenset[Kind] = frozenset(("comma", "stop", "open", "dash", "but"))
_STATES_A_VALUE: frozenset[Kind] = frozenset(
    ("gives", "is", "prints", "outputs", "equals", "comment", "colon", "arrow")
)
_STATES_AN_ERROR: frozenset[Kind] = frozenset(("raises", "comment", "colon", "arrow"))
_MARKUP = re.compile(r"(?:[ \t`*_]|~(?!>))*(?:\n[ \t`*_~>#]*(?!\n))?")
_FENCE = re.compile(r"[ \t`*_~]*\n(?:[ \t]*\n)?[ \t]*(?:```\w*\n)?[ \t]*")
_MARKED = re.compile(r"[ \t]?`([^`\n]{1,200})`")
_WORD = re.compile(r"\w+|.", re.S)
_OUTCOME = re.compile(rf"(?<![.)\]])(?<![^\W\u3040-\u9fff])(?:{BEGINS}|[A-Z][A-Za-z]*\b)", re.I)
"""The beginning of what may be a literal, or the name of an exception."""
_STEP = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W\u3040-\u30ff\u4e00-\u9fff]+|\W+")
"""A word, or one character of a script that writes words without spaces."""
_MOST = 12
"""The most tokens of a link; a longer way from call to value says more than that one is the other."""
_NOUNS = {
    "str": "string_noun",
    "list": "list_noun",
    "tuple": "tuple_noun",
    "number": "number_noun",
    "dict": "dict_noun",
    "bool": "bool_noun",
}
_EMPTY = {"[]": "list_noun", "''": "string_noun", "{}": "dict_noun", "()": "tuple_noun"}


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PromisedValue:
    """A literal, or the name of an exception, with its place in the text."""

    text: str
    is_error: bool
    start: int
    end: int
    seen: Seen = ""
    """How one sees it, if it is not what the call gives."""


def token_at(text: str, place: int) -> Token | None:
    """Returns the longest known word or sign that begins at `place`; None for an unknown one. A word with a bracket
    after it is a call and counts as unknown."""
    best: Token | None = None
    for kind, found in _kinds():
        match = found.match(text, place)
        if match is not None and (best is None or match.end() > best.end):
            best = Token(kind, place, match.end())
    if best is None or (text[best.end : best.end + 1] == "(" and re.match(r"[A-Za-z0-9]", text[best.end - 1])):
        return None
    return best


@cache
def _kinds() -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    return (*_SIGNS.items(), *((word, pattern(word)) for word in get_args(Word)))


def leads_on(text: str, token: Token) -> bool:
    """Returns whether the word leads to a call or an input: "for", "when called as"; some of these words say nothing
    elsewhere ("on")."""
    return token.kind == "for" or pattern("for").fullmatch(text, token.start, token.end) is not None


def skip_markup(text: str, place: int) -> int:
    """Returns the place after blanks, Markdown marks and at most one line break."""
    match = _MARKUP.match(text, place)
    return match.end() if match else place


def outcome_at(text: str, place: int) -> PromisedValue | None:
    """Returns the literal or exception name that begins at `place`; "an empty list" counts as a literal."""
    empty = _empty_at(text, place)
    if empty is not None:
        return empty
    found = value_at(text, place)
    if found is not None:
        return PromisedValue(found[0], False, place, found[1])
    error = error_at(text, place)
    return PromisedValue(error[0], True, place, error[1]) if error else None


def outcomes_in(text: str, start: int, end: int) -> Iterator[PromisedValue]:
    """Yields each literal and each exception that stands between two places, one after the other."""
    place = start
    for match in _OUTCOME.finditer(text, start, end):
        outcome = outcome_at(text, match.start()) if match.start() >= place else None
        if outcome is not None and outcome.end <= end:
            place = outcome.end
            yield outcome


def _empty_at(text: str, place: int) -> PromisedValue | None:
    match = _empty_phrase().match(text, place)
    if match is None:
        return None
    literal = next(value for value, noun in _EMPTY.items() if match.group(f"{noun}_1") or match.group(f"{noun}_2"))
    return PromisedValue(literal, False, place, match.end())


@cache
def _empty_phrase() -> re.Pattern[str]:
    """Returns the pattern of "an empty list", "une liste vide": the adjective stands before or after the noun."""
    nouns = [f"(?P<{noun}_%d>{any_of(noun)})" for noun in dict.fromkeys(_EMPTY.values())]
    before, behind = ("|".join(noun % side for noun in nouns) for side in (1, 2))
    article, empty, end = rf"(?:{any_of('article')}\s+)?", any_of("empty"), r"(?![^\W\u3040-\u9fff])"
    return re.compile(rf"{article}(?:{empty}\s*(?:{before})|(?:{behind})\s+{empty}){end}", re.I)


def tokens_from(text: str, place: int) -> Iterator[Token]:
    """Yields known words and signs in a row; ends at the first thing that is neither known nor markup."""
    for _ in range(_MOST):
        place = skip_markup(text, place)
        token = token_at(text, place)
        if token is None or (token.kind == "dash" and value_at(text, place) is not None):
            return
        yield token
        place = _behind(text, token)


def _behind(text: str, token: Token) -> int:
    """Returns where reading goes on; a blank line or a fence may follow a colon."""
    fence = _FENCE.match(text, token.end) if token.kind == "colon" else None
    return fence.end() if fence else token.end


def tokens_before(text: str, begin: int, end: int) -> list[Token]:
    """Returns the known words in a row that lead up to `end`, from `begin` on."""
    found: list[Token] = []
    place = skip_markup(text, begin)
    while place < end:
        token = token_at(text, place)
        if token is not None and token.end <= end:
            found.append(token)
            place = token.end
        else:
            found.clear()
            word = _WORD.match(text, place)
            place = word.end() if word else end
        place = max(place, min(skip_markup(text, place), end))
    return found


def tokens_in(text: str, start: int, end: int) -> list[Token]:
    """Returns every known word between two places; unknown ones are skipped."""
    found: list[Token] = []
    place = start
    while place < end:
        run = [token for token in tokens_from(text, place) if token.end <= end]
        found += run
        word = _STEP.match(text, place)
        place = run[-1].end if run else max(word.end() if word else end, place + 1)
    return found


def follow(text: str, place: int) -> tuple[list[Token], PromisedValue] | None:
    """Returns the known words to the next value or exception, and that outcome; None when an unknown word stands in
    between."""
    way: list[Token] = []
    outcome = outcome_at(text, skip_markup(text, place))
    for token in tokens_from(text, place):
        if outcome is not None and outcome.end >= token.end:
            break
        way.append(token)
        outcome = outcome_at(text, skip_markup(text, _behind(text, token))) or _marked_string(text, token)
        if outcome is not None:
            break
    return (way, outcome) if outcome is not None else None


def _marked_string(text: str, token: Token) -> PromisedValue | None:
    """Reads "the string `abc`", "prints `abc`": the text between backticks is the string itself, without quotes."""
    marked = _MARKED.match(text, token.end)
    leads = token.kind in ("prints", "outputs") or pattern("string_noun").fullmatch(text, token.start, token.end)
    if marked is None or not leads:
        return None
    return PromisedValue(repr(marked.group(1)), False, marked.start(1), marked.end())


def seen_as(kinds: Collection[str]) -> Seen:
    """Returns how one sees a value that words of these kinds tell."""
    said = {"prints", "outputs"} & {*kinds}
    return "orders" if said == {"prints"} and "must" in kinds else "shows" if said else ""


def fits(text: str, way: Collection[Token], outcome: PromisedValue) -> bool:
    """Returns whether the noun before the value is of its kind: "the string 4" is not the number 4."""
    noise = " ".join(text[token.start : token.end] for token in way if token.kind == "noise")
    said = {kind for kind, noun in _NOUNS.items() if pattern(noun).search(noise)} if noise else set[str]()
    return outcome.is_error or not said or kind_of_value(outcome.text) in said


def kind_of_value(value: str) -> str:
    """Returns the kind of a literal by its spelling: str, list, tuple, dict, bool, None or number; "other" for a
    call."""
    if value in ("True", "False"):
        return "bool"
    if value == "None":
        return value
    first = value.lstrip("bru")[:1]
    names = {"'": "str", '"': "str", "[": "list", "(": "tuple", "{": "dict"}
    return names.get(first, "other" if first.isalpha() else "number")


def is_told_apart(outcome: PromisedValue) -> bool:
    """Returns whether the outcome is no quantity: a truth value, None or an error. Told of several inputs, it is one
    of each; a quantity may be their sum."""
    return outcome.is_error or outcome.text in ("True", "False", "None")


def same_letters(one: str, other: str) -> bool:
    """Returns whether two texts have the same letters, in any order and case, so that one is surely made of the
    other."""
    mine, theirs = (sorted(filter(str.isalpha, text.casefold())) for text in (one, other))
    return mine == theirs != []


def strength_of(kinds: Collection[str], *, is_error: bool) -> Strength | None:
    """Returns how firmly words of these kinds state an outcome; None when they do not state it at all."""
    said = set(kinds)
    states = said & (_STATES_AN_ERROR if is_error else _STATES_A_VALUE)
    if said & {"wrong", "instead"} or ("raises" in said and not (is_error or "prints" in said)):
        return None
    has_to_be = "must" in said and (states or "was" in said)
    if "expected" in said or has_to_be or ("right" in said and (states or "will" in said)):
        return "must"
    if "was" in said:
        return "was"
    return "symbol" if "arrow" in states else "says" if states else None
