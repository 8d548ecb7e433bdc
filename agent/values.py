"""Comparing values and sentences that arrive as text."""

from __future__ import annotations

import ast
import re

QUOTES = " .\"'" + "\u201c\u201d\u2018\u2019"


def same_value(first: str, second: str) -> bool:
    """Whether two texts are literals of equal value (1 and True are not equal); plain equality for other texts."""
    try:
        a, b = ast.literal_eval(first.strip()), ast.literal_eval(second.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return first.strip() == second.strip()
    return type(a) is type(b) and a == b


def is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def sentence_in(quote: str, text: str) -> bool:
    """Whether the quote stands in the text, white space and letter case aside; an empty quote does not."""
    wanted = _plain(quote)
    return bool(wanted) and wanted in _plain(text)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(QUOTES).lower()
