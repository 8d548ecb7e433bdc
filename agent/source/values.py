"""Compares values and sentences that come as text."""

from __future__ import annotations

import ast
import math
import re
from functools import lru_cache
from typing import Any

QUOTES = " .\"'" + "\u201c\u201d\u2018\u2019"


def same_value(first: str, second: str) -> bool:
    """Returns whether two texts are literals of equal value (1 and True are not equal); other texts are compared as
    texts."""
    if first.strip() == second.strip():
        return True
    try:
        a, b = ast.literal_eval(first.strip()), ast.literal_eval(second.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return type(a) is type(b) and a == b


def alike(first: str, second: str) -> bool:
    """Returns whether two texts mean the same value: equal texts, 6 and 6.0, or numbers that differ only by
    floating-point rounding."""
    return first.strip() == second.strip() or _alike_literals(first.strip(), second.strip())


@lru_cache(maxsize=4096)
def _alike_literals(first: str, second: str) -> bool:
    """Compares two literals. The result is cached, because every step of a run compares the same values."""
    try:
        return _alike(ast.literal_eval(first), ast.literal_eval(second))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False


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


def is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


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
