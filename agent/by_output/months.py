"""Treats months as equal that one script names as the data do ("2024-01") and another by number or name."""

from __future__ import annotations

import re
from dataclasses import replace

from .output import Output

_IN_DATA = re.compile(r"(?<![\w-])(\d{4})-(0[1-9]|1[0-2])(?![\w-])")
_NAMES = (
    ("jan", "ene"), ("feb", "fév", "fev"), ("mar", "mär"), ("apr", "abr", "avr"), ("may", "mai"), ("jun", "juin"),
    ("jul", "juil"), ("aug", "ago", "aoû"), ("sep", "set"), ("oct", "okt", "out"), ("nov",),
    ("dec", "dez", "dic", "déc"),
)  # fmt: skip
"""How the names of months begin in the languages of western Europe."""
_LABEL = re.compile(r"^(\W*(?:month|monat|mes|mois)?\s*)(?:0?(\d{1,2})(?![\w.,])|([^\W\d]{3,10})(?!\w))", re.I | re.M)
"""The beginning of a line, as far as it may name a month."""


def in_one_naming(one: Output, other: Output) -> tuple[Output, Output] | None:
    """Returns both outputs with one common word for each month. That needs one output that names months of a single
    year as the data do, and another that names the same months at the beginning of its lines; otherwise returns
    None."""
    if bool(_IN_DATA.search(one.printed)) == bool(_IN_DATA.search(other.printed)):
        return None
    if not _IN_DATA.search(one.printed):
        swapped = in_one_naming(other, one)
        return (swapped[1], swapped[0]) if swapped else None
    found = {(year, int(month)) for year, month in _IN_DATA.findall(one.printed)}
    months, labels = {month for _, month in found}, set(map(_month, _LABEL.finditer(other.printed)))
    if len(found) != len(months) or labels - {0} != months:
        return None
    words = tuple(word for word in one.words.answers if not _IN_DATA.fullmatch(word))
    mine = _IN_DATA.sub(lambda named: _word(int(named[2])), one.printed)
    theirs = _LABEL.sub(lambda label: f"{label[1]}{_word(at)}" if (at := _month(label)) else label[0], other.printed)
    return replace(one, printed=mine, words=replace(one.words, answers=words)), replace(other, printed=theirs)


def _month(label: re.Match[str]) -> int:
    """Returns the month's number; 0 when the label names none."""
    if label[2]:
        return int(label[2]) if int(label[2]) <= len(_NAMES) else 0
    name = label[3].casefold()
    return next((number for number, begin in enumerate(_NAMES, 1) if name.startswith(begin)), 0)


def _word(month: int) -> str:
    return f"month-{month:02}"
