"""Comparing values and sentences that arrive as text."""

from __future__ import annotations

import ast
import re

QUOTES = " .\"'" + "\u201c\u201d\u2018\u2019"


def same_value(first: str, second: str) -> bool:
    """Whether two texts are literals of equal value (1 and True are not equal); plain equality for other texts."""
    if first.strip() == second.strip():
        return True
    try:
        a, b = ast.literal_eval(first.strip()), ast.literal_eval(second.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return type(a) is type(b) and a == b


def is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def sentence_in(quote: str, text: str) -> bool:
    """Whether the quote stands in the text, white space and letter case aside, and says something: one word, a letter
    or a part of a word does not."""
    wanted = plain(quote)
    if len(re.findall(r"\w+", wanted)) < _FEWEST_WORDS and len(_UNSPACED.findall(wanted)) < _FEWEST_SIGNS:
        return False
    begins = f"(?<!{_IN_WORD})" if re.match(_IN_WORD, wanted) else ""
    ends = f"(?!{_IN_WORD})" if re.match(_IN_WORD, wanted[-1]) else ""
    return re.search(f"{begins}{re.escape(wanted)}{ends}", plain(text)) is not None


_FEWEST_WORDS, _FEWEST_SIGNS = 2, 3
_IN_WORD = r"[0-9a-z\u00df-\u052f]"
"""Digits and small letters of the Latin, Greek and Cyrillic alphabets."""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
"""Signs of languages that put no spaces between words."""


def plain(text: str) -> str:
    """The text without what two writers of the same words may do otherwise: white space, case, and quotes around it."""
    return re.sub(r"\s+", " ", text).strip(QUOTES).lower()
