"""The figures in a text that a script printed, and whether two scripts printed the same ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .words import WORD

_NUMBER = re.compile(
    r"(?<![\w./:-])(?<!\d-)[+-]?(?:\d{1,3}(?:\.\d{3})+,\d+|\d+,(?:\d\d?|\d{4,})(?![\d,])|"
    r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w/:]|-\d|\.\d)"
)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,(?:\d\d?|\d{4,})|[+-]?\d{1,3}(?:\.\d{3})+,\d+")
_TELLS_COMMA = re.compile(
    r"(?<![\d.,])(?:\d{1,3}(?:\.\d{3})+,\d+(?![\d,])|\d+,(?:\d\d?|\d{4,})\s?(?:[%€°]|(?:EUR|Euro|CHF|kg|km)\b))"
)
"""Only a decimal comma is written like this: behind points that part thousands, or right before a unit."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_RUN = re.compile(r"(?<![\w.,])\d[\d.,]*\d")
_PERCENT = re.compile(r"\s?%")
_COUNTER = re.compile(r"[ \t]*#?(\d+)[.)][ \t]+(?=\S)")
"""Before a line of a list that is counted."""
_LISTED = re.compile(r"[(\[{][\s\d.,+-]*[)\]}]")
"""Numbers in brackets."""
MOST = 400
"""Figures that are compared; a longer list is compared by its beginning."""
EXACT = 1e-6
"""Relative difference of two numbers that are the same in spite of rounding in between."""
SMALLEST_ROUNDED = 100
"""From here on a number without decimals may be another one rounded; below it is a count."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that was printed, with the words that stand by it."""

    text: str
    words: tuple[str, ...]
    percent: bool = False

    @property
    def _plain(self) -> str:
        """As Python writes it: 1.234,5 and 1,234.5 are the same."""
        if _DECIMAL_COMMA.fullmatch(self.text):
            return self.text.replace(".", "").replace(",", ".")
        return self.text.replace(",", "")

    @property
    def value(self) -> float:
        return float(self._plain)

    @property
    def decimals(self) -> int:
        _, _, behind = self._plain.partition(".")
        return 15 if "e" in self.text.lower() else len(behind)


def figures_in(text: str) -> list[Figure]:
    """The numbers of the text in their order. What stands before a number on its line belongs to it; where nothing
    does (the second column of a table, a number in front), the words of the line."""
    found: list[Figure] = []
    decimal = _TELLS_COMMA.search(text) is not None
    for line in _uncounted(text.splitlines()):
        line = _parted(_LISTED.sub(lambda listed: _parted(listed.group(), False), line), decimal)
        numbers = list(_NUMBER.finditer(line))
        starts = [0, *(match.end() for match in numbers)][: len(numbers)]
        of_line = _words(_NUMBER.sub(" ", line))
        for start, match in zip(starts, numbers, strict=True):
            words = _words(line[start : match.start()]) or of_line
            found.append(Figure(match.group(), words, _PERCENT.match(line, match.end()) is not None))
    return found[:MOST]


def _uncounted(lines: Sequence[str]) -> list[str]:
    """The lines without the counters of a list: 1, 2 and so on before lines that follow each other."""
    counted = [int(found[1]) if (found := _COUNTER.match(line)) else 0 for line in lines]
    bare, last = list(lines), 0
    for at, number in enumerate(counted):
        last = number if number == last + 1 and (last or counted[at + 1 : at + 2] == [2]) else 0
        bare[at] = _COUNTER.sub("", lines[at], count=1) if last else lines[at]
    return bare


def blanked(text: str) -> str:
    """The text with dots in the place of its figures."""
    return _NUMBER.sub("...", text)


def _parted(line: str, decimal: bool) -> str:
    """The line with a blank behind each comma between digits that belongs to no number: "10,20" are two, unless the
    text writes decimal commas."""

    def part(run: re.Match[str]) -> str:
        whole = _THOUSANDS.fullmatch(run.group()) or (decimal and _DECIMAL_COMMA.fullmatch(run.group()))
        return run.group() if whole else run.group().replace(",", ", ")

    return _RUN.sub(part, line)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in WORD.findall(text))


def same_figures(one: Sequence[Figure], other: Sequence[Figure], *, ordered: bool = False) -> bool:
    """Whether each number of one is matched by one of the other: equal within what was printed of them, and told by the
    same word where a word tells it apart from all others in both. `ordered`: in the same order, too."""
    if len(one) != len(other):
        return False
    telling = telling_words(one) & telling_words(other)
    if ordered:
        return all(_match(a, b, telling) for a, b in zip(one, other, strict=True))
    left = list(other)
    for figure in one:
        place = next((i for i, each in enumerate(left) if _match(figure, each, telling)), None)
        if place is None:
            return False
        left.pop(place)
    return True


def telling_words(figures: Sequence[Figure]) -> set[str]:
    """Words that stand by one figure only."""
    counts = Counter(word for figure in figures for word in set(figure.words))
    return {word for word, count in counts.items() if count == 1}


def _match(one: Figure, other: Figure, telling: set[str]) -> bool:
    return set(one.words) & telling == set(other.words) & telling and close(one, other)


def _as_percent(share: Figure) -> Figure:
    return Figure(f"{share.value * 100:.{max(0, share.decimals - 2)}f}", share.words, percent=True)


def close(one: Figure, other: Figure) -> bool:
    """Equal, or equal to the last digit that the coarser of the two shows; 44.8% and 0.448 are one share."""
    if one.percent != other.percent:
        shares = [each if each.percent else _as_percent(each) for each in (one, other)]
        return close(replace(one, percent=False), replace(other, percent=False)) or close(*shares)
    gap = abs(one.value - other.value)
    if gap <= EXACT * max(abs(one.value), abs(other.value)):
        return True
    decimals = min(one.decimals, other.decimals)
    if decimals == 0 and min(abs(one.value), abs(other.value)) < SMALLEST_ROUNDED:
        return False
    return one.decimals != other.decimals and gap <= 0.5000001 * 10.0**-decimals
