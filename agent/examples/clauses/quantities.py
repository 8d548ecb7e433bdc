"""Reads numbers as people write them in a task: 10^6, 10**5, 1e6, 1,000,000, 200 000, 100k, 2 million, two, 10⁶."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from agent.examples.vocabulary import meanings

MAX_EXPONENT = 30
"""Larger exponents count as this one, so that "10^999999" costs nothing."""
MAX_NUMBERS = 300
"""How many numbers of a text are read."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_ARTICLE = re.compile(r"an?|eine?|une?|un[ao]|uma?", re.I)
_GROUPED = re.compile(r"[,_ \u00a0']")


def number_at(text: str, place: int, *, words: bool = True) -> tuple[float, int] | None:
    """Returns (value, end) of the number that begins at `place`; with `words`, "two" is a number too."""
    match = (_number() if words else _digits()).match(text, place)
    return (_value(match), match.end()) if match else None


def numbers_in(text: str, start: int, end: int, *, words: bool = False) -> Iterator[tuple[float, int, int]]:
    """Yields (value, start, end) of each number between two places, at most MAX_NUMBERS."""
    for match in islice((_number() if words else _digits()).finditer(text, start, end), MAX_NUMBERS):
        yield _value(match), match.start(), match.end()


@cache
def _digits() -> re.Pattern[str]:
    """Returns the pattern of a number in digits, or of a counted scale such as "two million"."""
    grouped = r"\d{1,3}(?:[,_ \u00a0']\d{3})+(?!\d)|\d+(?:\.\d+)?"
    power = r"(?:\s?\^\s?|\*\*)\{?(?P<power>\d{1,2})\}?|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|[eE]\+?(?P<exponent>\d{1,2})"
    scale = "|".join(words for _, words in meanings("scales"))
    digits = rf"(?P<sign>-)?(?P<digits>{grouped})(?:{power})?(?:\s?(?P<scale>{scale})(?![^\W\d_]))?"
    counted = rf"(?P<count>an?|eine?|une?|un[ao]|uma?|{_words_of('number_words')})\s+(?P<counted>{scale})(?!\w)"
    return re.compile(rf"(?<![A-Za-z0-9_.])(?:{digits}|{counted})", re.I)


@cache
def _number() -> re.Pattern[str]:
    """Returns that pattern, extended by numbers written as a word."""
    alone = rf"(?P<word>{_words_of('number_words')})(?![A-Za-zÀ-ӿ])"
    return re.compile(rf"{_digits().pattern}|(?<![A-Za-zÀ-ӿ]){alone}", re.I)


def _words_of(table: str) -> str:
    return "|".join(words for _, words in meanings(table))


def _value(match: re.Match[str]) -> float:
    found = match.groupdict()
    if found.get("word"):
        return _meant("number_words", found["word"])
    if found["count"]:
        count = 1.0 if _ARTICLE.fullmatch(found["count"]) else _meant("number_words", found["count"])
        return count * _meant("scales", found["counted"])
    value = float(_GROUPED.sub("", found["digits"]))
    power = int(found["power"] or (found["raised"] or "").translate(_RAISED) or "1")
    exponent = int(found["exponent"] or "0")
    value = value ** min(power, MAX_EXPONENT) * 10 ** min(exponent, MAX_EXPONENT)
    value *= _meant("scales", found["scale"]) if found["scale"] else 1
    return -value if found["sign"] else value


def _meant(table: str, word: str) -> float:
    return next(float(meaning) for meaning, words in meanings(table) if re.fullmatch(words, word, re.I))
