"""Finds sentences of the task that no example, clause or check is known to cover."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from agent.examples.calls import calls_in
from agent.examples.clauses.segments import quoted
from agent.examples.page import Page, page_of
from agent.examples.types import Brief
from agent.examples.vocabulary import has
from agent.source.parsing import module_of
from agent.source.values import plain, sentence_in
from agent.state import Check

from .checkers.errors import is_paraphrase

KINDS = ("function", "class", "program")
"""The kinds of tasks in which every sentence is about the program to be written. A text about given code tells other
things too, and a script's output has no checks."""
_ENOUGH = 1 / 3
"""The share of a sentence that quotations must cover; a single quoted word is not enough."""
_HEADING_WORDS = 8
"""A sentence that names what is to be called, and has fewer other words than this, is met by every call."""
_FILE = r"(?<![\w./])\w[\w-]*\.py(?!\w)"
_HEAD = re.compile(r"\s*(?=[^\n]*\|)[^\n]*\n[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t:-]*(?:\n|\Z)")
"""The line of a table above its rule."""
_SHOWN = 3
"""How many sentences are quoted; the others are counted."""


def unnamed(text: str, brief: Brief, passed: Iterable[Check]) -> list[str]:
    """Returns each sentence of the task, in its own words, that holds no example and no clause and that no check which
    the program `passed` quotes. Such a sentence may still be kept."""
    if brief.kind not in KINDS:
        return []
    passed = [*passed]
    parts = [*(clause.text for clause in brief.clauses), *(example.sentence for example in brief.examples)]
    quotes = dict.fromkeys([*parts, *(check.sentence for check in passed if check.sentence)])
    told = [one for one in _sentences(page_of(text, None)) if sentence_in(one, text)]
    own = any(check.origin == "person" for check in passed)
    names = {one for one in told if _is_heading(one, brief)}
    names |= {one for one in told if own and has(one, "tests_pass")}
    return [one for one in told if one not in names and not _is_quoted(one, quotes)]


def told_unnamed(sentences: Sequence[str]) -> str:
    """Returns one sentence for the verdict; "" when something covers every sentence of the task."""
    if not sentences:
        return ""
    shown = ", ".join(f"“{one}”" for one in sentences[:_SHOWN])
    more = f" and {len(sentences) - _SHOWN} more" if len(sentences) > _SHOWN else ""
    return f"no example, no passed check and no demand that code can try is known to be about {shown}{more}"


def _sentences(page: Page) -> Iterator[str]:
    """Yields the sentences in order, without those that hold a call with its arguments, which are examples, and without
    lines of code and headings of tables."""
    calls = [call.start for call in calls_in(page)]
    begin = 0
    for stop in page.reading.stops:
        words = quoted(page, begin, stop)
        heads = _HEAD.match(page.text, begin) is not None
        if not (heads or any(begin <= start < stop for start in calls) or _is_code(words)):
            yield words
        begin = stop


def _is_code(words: str) -> bool:
    """Returns whether the text is a line of a session or of a program."""
    if words.startswith((">>>", "...", "```", "def ", "class ", "assert ")):
        return words.startswith((">>>", "...", "```", "assert ")) or ":" in words
    return any(isinstance(node, ast.Call | ast.Assign | ast.Import) for node in ast.walk(module_of(words)))


def _is_heading(sentence: str, brief: Brief) -> bool:
    """Returns whether a sentence names what is to be called and what for. If examples are shown, they cover it; and if
    it says little else, every call meets it. A program is named by its file, or not at all."""
    entry = brief.entry_point
    name = rf"(?<!\w){re.escape(entry)}(?!\w)(?:\([^()]*\))?|\[.*\]" if entry else _FILE
    besides, count = re.subn(name, " ", sentence)
    shown = entry is not None and bool(brief.examples)
    return count > 0 and (shown or len(re.findall(r"\w+", besides)) < _HEADING_WORDS)


def _is_quoted(sentence: str, quotes: Collection[str]) -> bool:
    """Returns whether quotations cover enough of the sentence, or one contains it or paraphrases it."""
    wanted = plain(sentence)
    covered: set[int] = set()
    for quote in map(plain, quotes):
        if wanted in quote or is_paraphrase(quote, wanted):
            return True
        place = wanted.find(quote) if quote else -1
        covered.update(range(place, place + len(quote)) if place >= 0 else ())
    return len(covered) >= _ENOUGH * len(wanted)
