"""Finds the figures in a text that a script printed, and decides whether two scripts printed the same ones."""

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
"""Matches numbers that show a decimal comma: after points that group thousands, or right before a unit."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_RUN = re.compile(r"(?<![\w.,])\d[\d.,]*\d")
_PERCENT = re.compile(r"\s?%")
_COUNTER = re.compile(r"[ \t]*#?(\d+)[.)][ \t]+(?=\S)")
"""The counter before a line of a numbered list."""
_LISTED = re.compile(r"[(\[{][\s\d.,+-]*[)\]}]")
"""Numbers in brackets."""
MAX_FIGURES = 400
"""The most figures that are compared; of a longer list only the beginning is."""
EXACT = 1e-6
"""Relative difference up to which two numbers count as equal in spite of rounding."""
SMALLEST_ROUNDED = 100
"""A number without decimals from this value on may be rounded; a smaller one is a count and must be equal."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that was printed, with the words beside it."""

    text: str
    words: tuple[str, ...]
    percent: bool = False

    @property
    def _plain(self) -> str:
        """The number as Python writes it: 1.234,5 and 1,234.5 are the same."""
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
    """Returns the numbers of the text in order. The words of a number are those before it on its line; without any
    (second column of a table, number at the front), the words of the line."""
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
    return found[:MAX_FIGURES]


def _uncounted(lines: Sequence[str]) -> list[str]:
    """Returns the lines without the counters of a list: 1, 2 and so on before successive lines."""
    counted = [int(found[1]) if (found := _COUNTER.match(line)) else 0 for line in lines]
    bare, last = list(lines), 0
    for at, number in enumerate(counted):
        last = number if number == last + 1 and (last or counted[at + 1 : at + 2] == [2]) else 0
        bare[at] = _COUNTER.sub("", lines[at], count=1) if last else lines[at]
    return bare


def blanked(text: str) -> str:
    """Returns the text with dots in place of its figures."""
    return _NUMBER.sub("...", text)


def _parted(line: str, decimal: bool) -> str:
    """Returns the line with a blank after each comma between digits that belongs to no number: "10,20" are two numbers,
    unless the text writes decimal commas."""

    def part(run: re.Match[str]) -> str:
        whole = _THOUSANDS.fullmatch(run.group()) or (decimal and _DECIMAL_COMMA.fullmatch(run.group()))
        return run.group() if whole else run.group().replace(",", ", ")

    return _RUN.sub(part, line)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in WORD.findall(text))


def same_figures(one: Sequence[Figure], other: Sequence[Figure], *, ordered: bool = False) -> bool:
    """Returns whether each number of one matches one of the other: equal within the printed digits, and with the same
    telling words. A telling word stands beside one figure only, in both texts. With `ordered`, the order must be the
    same too."""
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
    """Returns words that stand beside one figure only."""
    counts = Counter(word for figure in figures for word in set(figure.words))
    return {word for word, count in counts.items() if count == 1}


def _match(one: Figure, other: Figure, telling: set[str]) -> bool:
    return set(one.words) & telling == set(other.words) & telling and close(one, other)


def _as_percent(share: Figure) -> Figure:
    return Figure(f"{share.value * 100:.{max(0, share.decimals - 2)}f}", share.words, percent=True)


def close(one: Figure, other: Figure) -> bool:
    """Returns whether two figures are equal, or equal to the last digit of the coarser one; 44.8% and 0.448 are
    equal."""
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
