"""Finds sentences of the task that no example, clause or check is known to cover."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from agent.examples.clauses.segments import between_semicolons, parts_of, quoted
from agent.examples.grammar.calls import calls_in
from agent.examples.grammar.page import Page, page_of
from agent.examples.types import Brief, Example
from agent.examples.vocabulary import has
from agent.source.inputs import literal
from agent.source.parsing import module_of
from agent.source.values import UNSPACED, plain, sentence_in
from agent.state import Check

from .bench import parts
from .checkers.errors import reads_message
from .passed import is_paraphrase

KINDS = ("function", "class", "program", "extend")
"""The kinds of tasks in which every sentence is about the program to be written. A report of a fault tells other things
too, and a script's output has no checks."""
_ENOUGH = 1 / 3
"""The share of a sentence that quotations must cover; a single quoted word is not enough."""
_HEADING_WORDS = 8
"""A sentence that names what is to be called, and has fewer other words than this, is met by every call; the opening
one is met by the examples, too. One with fewer words that opens the task and ends in a colon is told by what follows,
and so is one before a list of signatures."""
_FILE = r"(?<![\w./])\w[\w-]*\.py(?!\w)"
_HEAD = re.compile(r"\s*(?=[^\n]*\|)[^\n]*\n[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t:-]*(?:\n|\Z)")
"""The line of a table above its rule."""
_PART_WORDS, _PART_SIGNS = 4, 6
"""A part of a sentence with fewer words, and fewer signs of a script without blanks, asks for nothing by itself."""
_PARTS = 3
"""From so many parts on, a sentence lists several things, and what is about one of them is not about the others."""
_SIGNATURES = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])[ \t]+[`'\"]?[^\W\d]\w*\(")
_SAYING = re.compile(r"[^\W\d_]")
_PROMPTED = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?!\.)")
_SHOWN = 3
"""How many sentences are quoted; the others are counted."""


def unnamed(text: str, brief: Brief, passed: Iterable[Check], limits: Iterable[str] = ()) -> list[str]:
    """Returns each sentence of the task, in its own words, that holds no example and no clause and that no check which
    the program `passed` quotes; of a sentence that lists several things, the parts that nothing quotes. Such a sentence
    may still be kept. `limits` are sentences by which inputs were made."""
    if brief.kind not in KINDS:
        return []
    passed = [*passed]
    own = any(check.origin == "person" for check in passed)
    parts = [*(clause.text for clause in brief.clauses), *(part for one in brief.examples for part in _around(one))]
    said = map(plain, [*parts, *(check.sentence for check in passed if _sees(check)), *limits])
    quotes = {quote: quote not in plain(text) for quote in said}
    demands = {*map(plain, (clause.text for clause in brief.clauses))} - {*map(plain, (c.sentence for c in passed))}
    sentences = [*_sentences(page_of(text, None))]
    opening = _opening(sentences, brief)
    told: list[str] = []
    for place, one in enumerate(sentences):
        besides = _besides_the_name(one.words, brief, as_code=place > opening)
        shown = place == opening and bool(brief.examples)
        opens = place <= opening and one.opens_what_follows
        heading = shown or opens or (besides is not None and besides < _HEADING_WORDS)
        told += one.left(quotes, demands, named=heading or (own and has(one.words, "tests_pass")))
    return [one for one in told if sentence_in(one, text)]


def unchecked_demands(sentences: Iterable[str]) -> list[str]:
    """Returns a sentence for each of the `unnamed` ones that leaves no choice: it is no aside, so nothing is verified
    while nothing is known to be about it."""
    obliging = (" ".join(one.split()) for one in sentences if has(one, "obliges"))
    return [f"not checked: {one!r} (no example and no passed check is known to be about it)" for one in obliging]


def told_unnamed(sentences: Sequence[str]) -> str:
    """Returns one sentence for the verdict; "" when something covers every sentence of the task."""
    if not sentences:
        return ""
    shown = ", ".join(f"“{' '.join(one.split())}”" for one in sentences[:_SHOWN])
    more = f" and {len(sentences) - _SHOWN} more" if len(sentences) > _SHOWN else ""
    return f"no example, no passed check and no demand that code can try is known to be about {shown}{more}"


@dataclass(frozen=True, slots=True)
class _Sentence:
    page: Page
    begin: int
    stop: int

    @property
    def words(self) -> str:
        return quoted(self.page, self.begin, self.stop)

    @property
    def opens_what_follows(self) -> bool:
        """Returns whether it ends in a colon and has few words, or a list of signatures follows."""
        few = len(re.findall(r"\w+", self.words)) < _HEADING_WORDS
        return self.words.endswith(":") and (few or _SIGNATURES.match(self.page.text, self.stop) is not None)

    def left(self, quotes: Mapping[str, bool], demands: Collection[str], *, named: bool) -> Iterator[str]:
        """Yields what of the sentence nothing is about: all of it, parts of it, or nothing. A sentence that is `named`
        has no need of a quotation; of several parts, that goes for the first. Words of `demands` are about their own
        part only."""
        parts = _telling(self.page, parts_of(self.page, self.begin, self.stop))
        others = {quote: free for quote, free in quotes.items() if quote not in demands}
        by_parts = len(parts) > 1 and not named and not _is_quoted(self.words, others)
        several = len(parts) >= _PARTS or by_parts
        if _is_quoted(self.words, quotes, whole=several) or (named and not several):
            return
        about = [_is_quoted(quoted(self.page, *bounds), quotes) for bounds in parts] if several else []
        about[:1] = [named or about[0]] if about else []
        if not any(about):
            yield self.words
            return
        for is_about, run in groupby(zip(about, parts, strict=True), key=lambda one: one[0]):
            bounds = [part for _, part in run]
            if not is_about:
                yield quoted(self.page, bounds[0][0], bounds[-1][1])


def _opening(sentences: Sequence[_Sentence], brief: Brief) -> int:
    """Returns the place of the sentence that says what is to be made: the first that names it. Where its name stands in
    the examples alone, or it has none, that is the first sentence that asks for a function, or else the first."""
    naming = (_besides_the_name(one.words, brief, as_code=False) is not None for one in sentences)
    asking = (has(one.words, "asks_function") for one in sentences)
    found = next((place for place, names in enumerate(naming) if names), None)
    return next((place for place, asks in enumerate(asking) if asks), 0) if found is None else found


def _sentences(page: Page) -> Iterator[_Sentence]:
    """Yields the sentences in order, without those that hold a call with its arguments, which are examples, and without
    lines of code, of sessions, and headings of tables and lists."""
    calls = [call.start for call in calls_in(page)]
    stops = page.reading.stops
    whole = zip([0, *stops], stops, strict=False)
    for begin, stop in (part for bounds in whole for part in between_semicolons(page, *bounds)):
        words = quoted(page, begin, stop)
        heads = _HEAD.match(page.text, begin) or (words.endswith(":") and not _says_something(page, (begin, stop)))
        shown = any(begin <= start < stop for start in calls) or _is_in_session(page, begin, stop)
        if _SAYING.search(words) and not (heads or shown or _is_code(words)):
            yield _Sentence(page, begin, stop)


def _is_in_session(page: Page, begin: int, stop: int) -> bool:
    """Returns whether the sentence, or what the full stops of a prompt left of it, stands in a line of a session."""
    place = stop - len(page.text[begin:stop].lstrip())
    return _PROMPTED.match(page.text, page.text.rfind("\n", 0, place) + 1) is not None


def _around(example: Example) -> list[str]:
    """Returns what of its sentence the example is about: of parts between semicolons, those with its call."""
    parts = re.split(r"(?<=;)\s", example.sentence)
    called = [part for part in parts if example.call and f"{example.call.partition('(')[0]}(" in part]
    return called or [example.sentence]


def _says_something(page: Page, bounds: tuple[int, int]) -> bool:
    part = quoted(page, *bounds)
    return len(re.findall(r"(?<!\w)[^\W\d_]\w*", part)) >= _PART_WORDS or len(UNSPACED.findall(part)) >= _PART_SIGNS


def _telling(page: Page, parts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the parts that ask for something. One that does not belongs to the part before it, as "MiB" does in "the
    units KiB, MiB, GiB are used"."""
    told: list[tuple[int, int]] = []
    for begin, stop in parts:
        if _says_something(page, (begin, stop)):
            told.append((begin, stop))
        elif told:
            told[-1] = (told[-1][0], stop)
    return told


def _is_code(words: str) -> bool:
    """Returns whether the text is a line of a program; one that a block follows is told by its colon."""
    if words.startswith(("```", "assert ")) or (words.endswith(":") and module_of(f"{words} pass").body):
        return True
    return any(isinstance(node, ast.Call | ast.Assign | ast.Import) for node in ast.walk(module_of(words)))


def _besides_the_name(sentence: str, brief: Brief, *, as_code: bool) -> int | None:
    """Returns how many words stand in the sentence besides the name of what is to be called; None for a sentence
    without that name. A program is named by its file, or not at all. `as_code` wants a name to be written as code:
    "page" is a word, too."""
    entry = brief.entry_point
    name = rf"(?<!\w){re.escape(entry)}(?!\w)(?:\([^()]*\))?" if entry else _FILE
    told = rf"`{name}`|(?<!\w){re.escape(entry)}\([^()]*\)|(?<!\w)class {name}" if entry and as_code else name
    if re.search(told, sentence) is None:
        return None
    return len(re.findall(r"\w+", re.sub(rf"{name}|\[.*\]", " ", sentence)))


def _sees(check: Check) -> bool:
    """Returns whether the check has a sentence and can see what that says. Dicts and sets are equal in any order, so
    where only they are compared, no order is seen; who asks for an exception alone sees no message."""
    raised = "raises(" in check.source and has(check.sentence, "message_noun") and not reads_message(check)
    wanted = literal(check.expected or "") if check.call else None
    compared = list(parts(wanted[0])) if wanted is not None else []
    unordered = any(isinstance(part, dict | set | frozenset) for part in compared)
    blind = unordered and not any(isinstance(part, list | tuple) for part in compared)
    return bool(check.sentence) and not raised and not (blind and has(check.sentence, "in_order"))


def _covered(words: str, quote: str) -> range:
    """Returns which letters of the words the quotation covers, also where it begins before them or ends after them."""
    place = words.find(quote)
    if place >= 0:
        return range(place, place + len(quote))
    shared = range(min(len(words), len(quote)) - 1, 0, -1)
    after = next((length for length in shared if words.endswith(quote[:length])), 0)
    before = next((length for length in shared if words.startswith(quote[-length:])), 0)
    return range(len(words) - after, len(words)) if after >= before else range(before)


def _is_quoted(sentence: str, quotes: Mapping[str, bool], *, whole: bool = False) -> bool:
    """Returns whether one quotation contains the sentence or, unless it has to be the `whole` one, paraphrases it or
    together they cover enough of it. `quotes` says of each whether it may be a paraphrase: one that stands in the task
    word for word is of the sentence in which it stands."""
    wanted = plain(sentence)
    covered: set[int] = set()
    for quote, is_free in quotes.items():
        if wanted in quote or (is_free and not whole and is_paraphrase(quote, wanted)):
            return True
        covered.update(_covered(wanted, quote) if quote else ())
    return not whole and len(covered) >= _ENOUGH * len(wanted)
