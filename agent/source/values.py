"""Compares values and sentences that come as text."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any

from .standard import value_of

QUOTES = " .\"'" + "\u201c\u201d\u2018\u2019"


def same_value(first: str, second: str) -> bool:
    """Returns whether two texts spell equal values (1 and True are not equal); other texts are compared as texts."""
    a, b = value_of(first), value_of(second)
    same = a is not None and b is not None and type(a[0]) is type(b[0]) and a == b
    return same or first.strip() == second.strip()


def alike(first: str, second: str) -> bool:
    """Returns whether two texts mean the same value: equal texts, 6 and 6.0, or numbers that differ only by
    floating-point rounding."""
    return first.strip() == second.strip() or _alike_values(first.strip(), second.strip())


@lru_cache(maxsize=4096)
def _alike_values(first: str, second: str) -> bool:
    """Compares two values. The result is cached, because every step of a run compares the same ones."""
    one, other = value_of(first), value_of(second)
    return one is not None and other is not None and _alike(one[0], other[0])


def _alike(one: Any, other: Any) -> bool:
    kinds: set[type] = {type(one), type(other)}
    if kinds <= {int, float}:
        return one == other or (float in kinds and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12))
    if len(kinds) > 1:
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_alike, one, other))  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return one == other


def spells_a_value(text: str) -> bool:
    """Returns whether the text is a literal, or spells a date, a decimal and the like."""
    return value_of(text) is not None


def sentence_in(quote: str, text: str) -> bool:
    """Returns whether the quote stands in the text, white space and letter case aside. A quote of one word, or of part
    of a word, says too little and is refused."""
    wanted = plain(quote)
    if len(re.findall(r"\w+", wanted)) < _FEWEST_WORDS and len(UNSPACED.findall(wanted)) < _FEWEST_SIGNS:
        return False
    begins = f"(?<!{_IN_WORD})" if re.match(_IN_WORD, wanted) else ""
    ends = f"(?!{_IN_WORD})" if re.match(_IN_WORD, wanted[-1]) else ""
    return re.search(f"{begins}{re.escape(wanted)}{ends}", plain(text)) is not None


_FEWEST_WORDS, _FEWEST_SIGNS = 2, 3
_IN_WORD = r"[0-9a-z\u00df-\u052f]"
"""Digits and small letters of the Latin, Greek and Cyrillic alphabets."""
UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
"""Characters of languages that put no spaces between words."""


def plain(text: str) -> str:
    """Returns the text without what two writers of the same words may do differently: white space, case, quotes around
    it."""
    return re.sub(r"\s+", " ", text).strip(QUOTES).lower()
