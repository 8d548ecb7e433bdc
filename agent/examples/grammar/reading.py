"""Makes a task text uniform before it is read: full-width signs, smart quotes, HTML and line ends get one spelling.
String literals stay as they are, and every place can be traced to the person's own words."""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from agent.examples.vocabulary import alternatives, any_of, hints, pattern

MAX_SENTENCE_CHARS = 500
"""How many characters on either side count as the same sentence."""
MAX_CHARS = 60_000
"""The most characters that are read; the models still get the rest."""

_STRING = r"\"(?:\\.|[^\"\\\n]){0,2000}\"|(?<![A-Za-z0-9_\u00c0-\u04ff)\]])'(?:\\.|[^'\\\n]){0,2000}'(?![A-Za-z0-9_])"
_TAG = (
    r"</?(?:code|pre|b|i|em|strong|p|br|li|ul|ol|tr|td|th|table|thead|tbody|div|span|h[1-6]|kbd|tt|samp|var|sub|sup"
    r"|blockquote|a|hr)(?:\s+[\w-]{1,40}=(?:\"[^\"<>\n]{0,300}\"|'[^'<>\n]{0,300}'))*\s*/?>"
)
_SMART = r"[\u201c-\u201e][^\u201c-\u201e\"\\\n]{0,2000}[\u201c\u201d]|\u2018[^\u2018\u2019'\\\n]{0,2000}\u2019"
_CJK, _WORD = "[\u3040-\u30ff\u3400-\u9fff]", "[A-Za-z0-9_\uff10-\uff19\uff21-\uff5a]"
_PIECE = re.compile(
    rf"(?P<triple>\"\"\"|''')|(?P<string>{_STRING})|(?P<smart>{_SMART})|(?P<tag>{_TAG})"
    r"|(?P<entity>&(?:lt|gt|amp|quot|nbsp|#39|#x27|le|ge|times|rarr);)|(?P<line>\r\n?|\u2028|\u2029)"
    r"|(?P<endless>\w{400,}|[^\w\s]{80,}|[ \t]{40,}|\n{40,})|(?P<wide>[\uff01-\uff5e])"
    r"|(?P<sign>[\u00a0\u2009\u202f\u3000\u3001\u3002\u300c-\u300f\u00ab\u00bb\u2212\u2018\u2019\u201c\u201d\u201e\u2010\u2011"
    r"\u0964\u0965\u060c\u061b\u061f\u06d4])"
    rf"|(?P<seam>(?<={_CJK})(?={_WORD})|(?<={_WORD})(?={_CJK}))",
    re.I,
)
_SIGNS = {
    "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u3000": " ", "\u3001": ", ", "\u3002": ". ",
    "\u300c": "`", "\u300d": "`", "\u300e": "`", "\u300f": "`", "\u00ab": "`", "\u00bb": "`",
    "\u2212": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"',
    "\u2010": "-", "\u2011": "-",
    "\u0964": ".", "\u0965": ".", "\u060c": ",", "\u061b": ";", "\u061f": "?", "\u06d4": ".",
}  # fmt: skip
_SPACED = ",.;:!?"
"""Signs whose full-width forms carry their own white space."""
_BREAKS = ("br", "p", "li", "tr", "div", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "table", "ul", "ol")
_LITERAL = re.compile(rf"\"\"\"|'''|{_STRING}")
_LOOKS_LIKE_CODE = re.compile(r"[A-Za-z_]\w*\s?[(\uff08].*[)\uff09]$")

_ABBREVIATION = "".join(rf"(?<!\b{short})" for short in alternatives("abbreviation"))
_SIGN = r"(?:(?<!\.)\.(?!\.)|(?<![\s.])\.{2,}|(?<=\s)\.{2,}(?=\s+[a-zà-ÿа-яё]{2,}\b)|[!?])"
"""Ends a sentence; dots between two values, as in "A=10 ... Z=35", leave something out."""
_STOP = re.compile(rf"(?:{_ABBREVIATION}{_SIGN}[.!?]*[\"'`)\]*_]*(?=\s|$))|\n[ \t]*(?=\n|$)|\n")
_ORDINAL = re.compile(
    rf"(?<![\w.])(?:{any_of('before_ordinal')}\s+\d{{1,2}}\.(?=\s+\w)|\d{{1,2}}\.\d{{1,2}}\.(?=\s+[a-zà-ÿа-яё]))", re.I
)
"""A number whose full stop ends no sentence: "am 1. März", "am 29.02. geboren"."""
SHORTENED = re.compile(r"(?<!\w)(?P<one>[^\W\d_]\.) ?(?P<two>[^\W\d_]{1,3}\.)(?=[ \t]+[^\s])")
"""Two shortened words with full stops that end no sentence and say nothing before a statement: "z. B.", "p. ej."."""
_SOFT = re.compile(r"[ \t]*(?:[a-zà-ÿа-яё](?!\w*\()|[(\"'`\[{\d])")
_LABEL = re.compile(r"[ \t]*[a-zà-ÿа-яё]+(?: [a-zà-ÿа-яё]+)?:[ \t]")
_VALUE = re.compile(r"(?:[\W\d_]|True|False|None)+")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•>|#]|\d+[.)]\s|```|~~~)")


@dataclass(frozen=True)
class Reading:
    """A uniform text and its source. `text` is what is read; `places[i]` is where character i of it stands in `source`,
    the task as it was typed."""

    source: str
    text: str
    places: list[int] = field(repr=False)

    @cached_property
    def masked(self) -> str:
        """`text` with the insides of string literals blanked out: a word or dot inside a string says nothing."""
        return _LITERAL.sub(_blank, self.text)

    @cached_property
    def lowered(self) -> str:
        return self.masked.lower()

    def mentions(self, *tables: str, start: int = 0, end: int | None = None) -> bool:
        """Returns whether words of one of the tables may stand in the text, or in a part of it. False is certain, True
        is not."""
        lowered = self.lowered if end is None else self.lowered[start:end]
        found = (hints(table) for table in tables)
        return any(parts is None or any(part in lowered for part in parts) for parts in found)

    def find(self, table: str) -> list[re.Match[str]]:
        """Returns where the words of a table stand outside string literals."""
        return list(pattern(table).finditer(self.masked)) if self.mentions(table) else []

    @cached_property
    def stops(self) -> list[int]:
        """Where sentences end, in order; the last entry is the end of the text."""
        return [*_stops(self.masked), len(self.text)]

    def sentence(self, start: int, end: int) -> tuple[int, int]:
        """Returns the bounds of the sentences that hold `text[start:end]`; of a very long one, the part around it."""
        first = bisect_right(self.stops, start)
        begin = self.stops[first - 1] if first else 0
        stop = self.stops[bisect_left(self.stops, end)]
        return max(begin, start - MAX_SENTENCE_CHARS), min(stop, end + MAX_SENTENCE_CHARS)

    def quote(self, start: int, end: int) -> str:
        """Returns the person's own words for `text[start:end]`, exactly as typed, without white space around them."""
        return self.source[self.places[start] : self.places[end]].strip()


def read(source: str) -> Reading:
    """Makes at most MAX_CHARS of a text uniform. Never raises; odd text stays as it is."""
    source = source[:MAX_CHARS]
    pieces: list[str] = []
    places: list[int] = []
    for piece, start, end in _pieces(source, 0, len(source)):
        pieces.append(piece)
        same = len(piece) == end - start
        places.extend(range(start, end) if same else [start] * len(piece))
    return Reading(source, "".join(pieces), [*places, len(source)])


def _pieces(source: str, start: int, stop: int) -> Iterator[tuple[str, int, int]]:
    """Yields (uniform text, start, end) of each part of `source[start:stop]`, in order."""
    place = start
    for match in _PIECE.finditer(source, start, stop):
        if match.start() > place:
            yield source[place : match.start()], place, match.start()
        place = match.end()
        if match.lastgroup in ("smart", "string") and _LOOKS_LIKE_CODE.search(match.group()[1:-1].strip()):
            yield from _quoted_code(source, match)
        else:
            yield _uniform(match), match.start(), match.end()
    if place < stop:
        yield source[place:stop], place, stop


def _quoted_code(source: str, match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """Yields “f(2)” with backticks, since the quotes only set the code off; as an argument it stays a string."""
    line = source[max(source.rfind("\n", 0, match.start()), match.start() - 400) + 1 : match.start()]
    is_argument = sum(line.count(sign) for sign in "([{\uff08") > sum(line.count(sign) for sign in ")]}\uff09")
    if is_argument or match.group()[1] in "'\"":
        yield match.group() if match.lastgroup == "string" else _uniform(match), match.start(), match.end()
        return
    yield "`", match.start(), match.start() + 1
    yield from _pieces(source, match.start() + 1, match.end() - 1)
    yield "`", match.end() - 1, match.end()


def _uniform(match: re.Match[str]) -> str:
    make = _SPELLINGS.get(match.lastgroup or "")
    return make(match.group()) if make is not None else match.group()


def _plain_quotes(found: str) -> str:
    mark = "'" if found[0] == "\u2018" else '"'
    return f"{mark}{found[1:-1]}{mark}"


def _plain_width(found: str) -> str:
    sign = chr(ord(found) - 0xFEE0)
    return f"{sign} " if sign in _SPACED else sign


def _plain_tag(found: str) -> str:
    tag = found.lower()
    name = re.sub(r"[^a-z0-9].*", "", tag.lstrip("</"))
    if name in _BREAKS:
        return "\n"
    if name == "sup" and not tag.startswith("</"):
        return "^"
    return "`" if name in ("code", "kbd", "tt", "samp") else " " if name in ("td", "th") else ""


_SPELLINGS: dict[str, Callable[[str], str]] = {
    "smart": _plain_quotes,
    "tag": _plain_tag,
    "entity": lambda found: html.unescape(found).replace("\u00a0", " "),
    "line": lambda _: "\n",
    "endless": lambda found: found[0] if found[0] == "\n" else " ",
    "wide": _plain_width,
    "sign": lambda found: _SIGNS[found],
    "seam": lambda _: " ",
}
"""How each kind of piece is spelled; other pieces stay as they are."""


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    return found if len(found) < 3 or found in ('"""', "'''") else found[0] + "_" * (len(found) - 2) + found[-1]


def _stops(masked: str) -> Iterator[int]:
    inside = {match.end() for match in _ORDINAL.finditer(masked)}
    inside |= {place for match in SHORTENED.finditer(masked) for place in (match.end("one"), match.end("two"))}
    for match in _STOP.finditer(masked):
        if match.end() not in inside and (match.group() != "\n" or not _goes_on(masked, match.start())):
            yield match.end()


def _goes_on(masked: str, newline: int) -> bool:
    """Returns whether the line break only wraps a sentence: the next line begins in lower case, or the line was full. A
    line with a value alone, or a next line with a label, is no wrap."""
    line = masked[masked.rfind("\n", 0, newline) + 1 : newline].rstrip()
    if _LIST_ITEM.match(masked, newline + 1) or not line or line[-1] in ".:;!?":
        return False
    if _VALUE.fullmatch(line) or _LABEL.match(masked, newline + 1):
        return False
    return bool(_SOFT.match(masked, newline + 1)) and (len(line) >= 40 or not line.endswith(")"))
