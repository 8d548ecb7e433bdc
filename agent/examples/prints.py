"""Tells a function that is to print its result: what a task shows behind a call is then printed, not returned."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from .page import Page
from .types import Example
from .vocabulary import any_of


def without_printed(page: Page, examples: Iterable[Example]) -> list[Example]:
    """Returns the examples without those whose value is only shown (`>>> f(2)` and 4, f(2) -> 4), if the function is to
    print. A written equation, an error and None still say what the call does."""
    if not _prints(page):
        return [*examples]
    return [one for one in examples if re.search(r"==|\bNone\b", one.sentence) or "pytest.raises" in one.source]


def _prints(page: Page) -> bool:
    """Returns whether the words right behind the name of the function, or behind "function", say that it prints, and
    the text has no word of returning."""
    entry = page.names.entry
    if entry is None or page.names.is_class or not page.reading.mentions("print", "print_anywhere"):
        return False
    text = page.reading.masked
    told = re.search(_led(re.escape(entry)), text, re.I) or re.search(_led(any_of("function")), text, re.I)
    others = f"{text[: told.start()]}_{text[told.end() :]}" if told else ""
    return told is not None and re.search(_returning(), others, re.I) is None


def _led(head: str) -> str:
    soon = rf"(?:[^\w\n(]{{1,3}}\w+){{0,2}}?[^\w\n(]{{1,3}}(?:{any_of('print')})"
    late = rf"[^.\n]{{1,60}}?(?:{any_of('print_anywhere')})"
    return rf"(?<!\w)(?:{head})`?(?:\([^()\n]*\))?(?:{soon}|{late})"


@cache
def _returning() -> str:
    return rf"(?<!\w)(?:return\w*|{any_of('returns')}|{any_of('gives_back')})(?!\w)"
