"""Texts with a form. One that counts what follows ("3", then three lines, as programs read it from their input) is
changed as what it lists, so that its counts stay true; one of commands, a line each, as commands; one written as all
known ones are ("+05:30") stays so."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

_COUNT = re.compile(r"\d{1,4}")
_NUMBER = re.compile(r"-?\d{1,9}")
_CASE_CHANGED = 0.3
"""How often whole cases are changed where there are several."""
_FEWEST_LINES = 6
"""From so many lines on, words that begin several of them, each with as many words behind it, are commands."""
_NUMBER_CHANGED = 0.6
"""How often a number within a row is changed, and not which rows there are."""


@dataclass(frozen=True)
class Counted:
    """What one count stands before: rows of words, each a line, or for a count of words one word each."""

    rows: tuple[tuple[str, ...], ...]
    beside: tuple[str, ...] = ()
    """Further numbers in the line of the count."""


@dataclass(frozen=True)
class Layout:
    """How the counts of a text stand before what they count."""

    several: bool
    """Whether the first number counts cases, each with a count of its own."""
    across: bool
    """Whether what is counted stands in one line, as words."""
    least: int = 0
    """The least number that known texts hold in what is counted."""
    commands: frozenset[tuple[str, int]] = frozenset()
    """First word and number of words of every line, where nothing is counted and each line is a command."""

    def read(self, text: str) -> tuple[Counted, ...] | None:
        """Returns the cases of the text; None if some count is not true, or counts nothing."""
        lines = [line.split() for line in text.rstrip().split("\n")]
        if self.commands:
            given = text.strip() != ""
            known = not given or _commands_in(lines) <= self.commands
            return (Counted(tuple(map(tuple, lines if given else ()))),) if known else None
        if self.several and len(lines[0]) != 1:
            return None
        wanted, lines = (_count(lines), lines[1:]) if self.several else (1, lines)
        found: list[Counted] = []
        while lines and len(found) < wanted:
            count = _count(lines)
            end = 2 if self.across else 1 + count
            rows = [[word] for line in lines[1:2] for word in line] if self.across else lines[1:end]
            if not count or len(rows) != count or [] in rows:
                return None
            found.append(Counted(tuple(map(tuple, rows)), tuple(lines[0][1:])))
            lines = lines[end:]
        return tuple(found) if found and len(found) == wanted and not lines else None

    def written(self, cases: Sequence[Counted]) -> str:
        lines = [str(len(cases))] if self.several else []
        for case in cases:
            rows = [" ".join(row) for row in case.rows]
            if self.commands:
                return "".join(f"{row}\n" for row in rows)
            lines += [" ".join([str(len(rows)), *case.beside]), *([" ".join(rows)] if self.across else rows)]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Laid:
    """A text by its cases. As a value it is written as the text."""

    layout: Layout
    cases: tuple[Counted, ...]

    def __repr__(self) -> str:
        return repr(self.layout.written(self.cases))

    def changed(self, rng: random.Random) -> Laid:
        """Returns the text with a row or a case more, less or elsewhere, or with another number in one row. Numbers
        beside a count may belong to it, as in "5 2", so no row is then taken away."""
        if self.layout.several and rng.random() < _CASE_CHANGED:
            return replace(self, cases=_other_items(self.cases, rng))
        place = rng.randrange(len(self.cases))
        case = self.cases[place]
        if not case.rows:
            return self
        if rng.random() < _NUMBER_CHANGED:
            case = replace(case, rows=_renumbered(case.rows, rng, least=self.layout.least))
        elif len(rows := _other_items(case.rows, rng)) >= len(case.rows) or not case.beside:
            case = replace(case, rows=rows)
        return replace(self, cases=(*self.cases[:place], case, *self.cases[place + 1 :]))

    def corners(self) -> list[Laid]:
        """Returns texts with one row, equal rows, a repeated row and rows in other orders."""
        first, *others = self.cases
        rows = first.rows
        if not rows:
            return []
        tried = [rows[:1], rows[:1] * 2] if not first.beside else []
        tried += [rows[:1] * len(rows), (*rows, rows[0]), rows[::-1], tuple(sorted(rows))]
        made = [(replace(first, rows=one), *others) for one in tried]
        made += [(first,), (first, first), self.cases[::-1]] if self.layout.several else []
        made += [(replace(first, rows=()),)] if self.layout.commands else []
        return [replace(self, cases=cases) for cases in made]


@dataclass(frozen=True)
class Formed:
    """A text that is written as known ones of its place are."""

    text: str
    forms: frozenset[str]
    exact: bool
    """Whether a digit of a form stands for one digit, or at the beginning of a number for several."""

    def __repr__(self) -> str:
        return repr(self.text)

    def has_form(self, text: str) -> bool:
        return _form(text, exact=self.exact) in self.forms


def formed(texts: Collection[str]) -> dict[str, Formed]:
    """Returns the texts with the form that they share, or the forms that they have; {} unless there are several texts
    and each has digits and signs."""
    if len(texts) < 2 or not all("9" in _form(text, exact=True) and _SIGN.search(text) for text in texts):
        return {}
    exact = len({_form(text, exact=True) for text in texts}) == 1
    forms = frozenset(_form(text, exact=exact) for text in texts)
    return {text: Formed(text, forms, exact) for text in texts}


_SIGN = re.compile(r"[^\w\s]")
_BEGUN = re.compile(r"(?<![^\s+-])\d+")
"""A number that no sign stands before but its own: "1" and "234" in "-1 234,57", where two digits follow a comma."""


def _form(text: str, *, exact: bool) -> str:
    plain = text if exact else _BEGUN.sub("9", text)
    return re.sub(r"[+-]", "+", re.sub(r"\d", "9", re.sub(r"[^\W\d_]", "a", plain)))


def layout_of(texts: Collection[str]) -> Layout | None:
    """Returns the layout that all texts have; None if there is none, or if no count says more than that one thing
    follows."""
    for several in (False, True):
        for across in (True, False):
            layout = Layout(several, across)
            read = [layout.read(text) for text in texts]
            rows = [case.rows for found in read for case in found or ()]
            if None not in read and any(len(one) > 1 for one in rows):
                numbers = [int(word) for one in rows for row in one for word in row if _NUMBER.fullmatch(word)]
                return replace(layout, least=min(numbers, default=0))
    lines = [line.split() for text in texts for line in text.strip().split("\n") if text.strip()]
    found = _commands_in(lines)
    words = {word for word, _ in found}
    listed = len(lines) >= _FEWEST_LINES and 1 < len(words) <= len(lines) / 2
    is_of_commands = listed and len(words) == len(found) and all(map(str.isalpha, words))
    numbers = [int(word) for line in lines for word in line[1:] if _NUMBER.fullmatch(word)]
    return Layout(False, False, min(numbers, default=0), frozenset(found)) if is_of_commands else None


def _commands_in(lines: Sequence[Sequence[str]]) -> set[tuple[str, int]]:
    return {(line[0] if line else "", len(line)) for line in lines}


def _count(lines: Sequence[Sequence[str]]) -> int:
    """Returns the number with which the first line begins; 0 if there is none, or anything but numbers beside it."""
    if not lines or not lines[0]:
        return 0
    first = lines[0][0]
    return int(first) if _COUNT.fullmatch(first) and all(map(_NUMBER.fullmatch, lines[0])) else 0


def _other_items(items: tuple[Any, ...], rng: random.Random) -> tuple[Any, ...]:
    i = rng.randrange(len(items))
    fewer = items[:i] + items[i + 1 :] or items
    more = (*items, items[i])
    return rng.choice([more, fewer, tuple(rng.sample(items, len(items))), items[::-1], items + items[::-1]])


def _renumbered(rows: tuple[tuple[str, ...], ...], rng: random.Random, *, least: int) -> tuple[tuple[str, ...], ...]:
    """Returns the rows with another number in one of them, none less than the least known one."""
    places = [(i, j) for i, row in enumerate(rows) for j, word in enumerate(row) if _NUMBER.fullmatch(word)]
    if not places:
        return rows
    i, j = rng.choice(places)
    old = int(rows[i][j])
    new = max(least, rng.choice([old + 1, old - 1, 2 * old, -old, 0, old + rng.randint(2, 9)]))
    return (*rows[:i], (*rows[i][:j], str(new), *rows[i][j + 1 :]), *rows[i + 1 :])
