"""What the readers of one task share: its uniform text, its names, its doubtful words, and the headings that govern a
place."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace

from agent.examples.vocabulary import pattern
from agent.source.parsing import module_of

from .doubts import Doubts
from .links import Strength
from .names import Names, names_in
from .reading import Reading, read

_INTRO = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|\*\*[^*\n]{1,80}\*\*[ \t]*:?[ \t]*$|[^\n]*:[ \t`*_]*$)")
_PROSE = re.compile(r"[ \t]*[^\W\d_][^\n]*[.!?][ \t]*$")
_MOST_LINES = 40
"""How many lines above an example are searched for its heading."""


@dataclass(frozen=True)
class Page:
    """The text of a task with what its readers need: names, doubtful words, the person's own program."""

    reading: Reading
    names: Names
    doubts: Doubts
    has_code: bool
    """Whether code was given; a reader may set this to False to read the text as if none were."""
    code: str = field(default="", repr=False)
    """The person's own program; "" without one."""

    @property
    def text(self) -> str:
        return self.reading.text

    @property
    def reporting(self) -> bool:
        """Whether the task is a report: code is given, or the text tells of code that does wrong. Only what *should* be
        then counts as a promise."""
        return self.has_code or self.doubts.bug_talk

    def heading(self, place: int) -> tuple[int, int] | None:
        """Returns the bounds of the heading, or of the line that ends with a colon, above `place`; None without one."""
        text = self.reading.masked
        stop = text.rfind("\n", 0, place)
        for _ in range(_MOST_LINES):
            if stop < 0:
                return None
            start = text.rfind("\n", 0, stop) + 1
            if _INTRO.match(text, start, stop):
                return start, stop
            if _PROSE.match(text, start, stop):
                return None
            stop = start - 1
        return None

    def governed(self, place: int) -> Strength | None:
        """Returns "must" under a heading that says what is right, "was" under one that reports, denies or supposes, or
        is about another program, otherwise None."""
        heading = self.heading(place)
        if heading is None:
            return None
        if self.doubts.between(*heading, "reported", "denied", "supposed", "imagined"):
            return "was"
        elsewhere = pattern("given_elsewhere").search(self.reading.masked, *heading)
        if elsewhere and not self.names.known & {*re.findall(r"\w+", elsewhere.group())}:
            return "was"
        firm = any(pattern(table).search(self.reading.masked, *heading) for table in ("expected", "must", "right"))
        return "must" if firm else None

    def is_law(self, place: int, strength: Strength) -> bool:
        """Returns whether a statement of that strength at `place` binds; a heading may strengthen it or take it
        back."""
        governed = self.governed(place)
        if governed == "was" and strength != "must":
            return False
        return strength == "must" or (governed == "must" if self.reporting else strength != "was")


def page_of(text: str, code: str | None) -> Page:
    """Returns everything that readers need to know of a task text and its code."""
    reading = read(text)
    names = names_in(reading.text, code)
    return Page(reading, names, Doubts(reading), bool(code and code.strip()), code or "")


def without_idle_brackets(page: Page) -> Page:
    """Returns the page with empty brackets removed from functions that take arguments: "f() gives 2 for [1, 2]" only
    names f."""
    taking = {
        node.name
        for node in module_of(page.code).body
        if isinstance(node, ast.FunctionDef) and len(node.args.args) > len(node.args.defaults)
    }
    taking |= {page.names.entry} if page.names.entry and page.names.required and not page.names.is_class else set()
    text, places = page.text, page.reading.places
    for match in reversed([*re.finditer(r"(?<![\w.])([^\W\d]\w*)(\(\))", text)] if taking else []):
        if match.group(1) in taking:
            text = text[: match.start(2)] + text[match.end(2) :]
            places = places[: match.start(2)] + places[match.end(2) :]
    if text == page.text:
        return page
    reading = replace(page.reading, text=text, places=places)
    return replace(page, reading=reading, doubts=Doubts(reading))
