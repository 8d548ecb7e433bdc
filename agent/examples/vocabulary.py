"""Compiles the word tables in `words/`: what people say in a task, by meaning and by language."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

_FOLDER = Path(__file__).with_name("words")
UNPARTED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Characters of scripts that put no blanks between words."""
_REFERENCE = re.compile(r"\{([a-z_]+)\}")
_CONTRACTED = re.compile(r"(?<=[a-z])n't")
_ESCAPED = re.compile(r"\\.")
_GROUP = re.compile(
    r"\((?:\?(?P<inside>(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)|[^()]*)\)(?P<optional>[?*]|\{0)?"
)
"""A group, with up to three levels of groups inside it."""
_VARYING = re.compile(r"\[[^\]]*\][?*+]?|\{[^}]*\}|.[?*]")
"""What a matching text may lack: classes and optional letters."""
_LETTERS = re.compile(r"[^\W\d_]+")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def _tables() -> dict[str, dict[str, str]]:
    """Reads the word lists: section -> language -> alternatives separated by bars."""
    tables: dict[str, dict[str, str]] = {}
    for path in sorted(_FOLDER.glob("*.yaml")):
        tables.update(yaml.load(path.read_text(encoding="utf-8"), _LOADER))
    return tables


def section_names() -> list[str]:
    return sorted(_tables())


@cache
def alternatives(name: str) -> tuple[str, ...]:
    """Returns the regular expressions of a section in all its languages, the longest first; `{other}` stands for
    another section."""
    items = (_widened(item) for line in _tables()[name].values() for item in _split(line))
    return tuple(sorted(dict.fromkeys(items), key=len, reverse=True))


def _widened(item: str) -> str:
    """Returns an alternative with its references filled in, any white space for each blank, and "dont" besides
    "don't"."""
    item = _CONTRACTED.sub("n'?t", item.replace(" ", r"\s+"))
    return _REFERENCE.sub(lambda match: any_of(match.group(1)), item)


def any_of(name: str) -> str:
    """Returns a section as a group, to be put into a larger expression."""
    return f"(?:{'|'.join(alternatives(name))})"


@dataclass(frozen=True)
class Phrase:
    """A regular expression with tables in it: `{table}` stands for the words of one, as it does in the tables
    themselves. It is compiled when it is first used."""

    form: str
    flags: int = re.I

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(_REFERENCE.sub(lambda match: any_of(match.group(1)), self.form), self.flags)

    def match(self, text: str, place: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.match(text, place, end)

    def search(self, text: str, place: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.search(text, place, end)

    def fullmatch(self, text: str, place: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.fullmatch(text, place, end)

    def finditer(self, text: str, place: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text, place, end)


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Returns a section as one expression: whole words in scripts that separate words, anywhere in other scripts."""
    return _whole_words(alternatives(name))


def _whole_words(items: Collection[str]) -> re.Pattern[str]:
    parted = [item for item in items if not UNPARTED.search(item)]
    joined = [item for item in items if UNPARTED.search(item)]
    guarded = [rf"(?<!\w)(?:{'|'.join(parted)})(?:(?!\w)|(?<='))"] if parted else []
    return re.compile("|".join([*guarded, *joined]), re.I)


def _split(line: str) -> Iterator[str]:
    """Splits a line at the bars that stand in no bracket."""
    depth = start = 0
    for place, sign in enumerate(_ESCAPED.sub("__", line)):
        depth += (sign in "([") - (sign in ")]")
        if sign == "|" and not depth:
            yield from filter(None, [line[start:place].strip()])
            start = place + 1
    yield from filter(None, [line[start:].strip()])


@cache
def hints(name: str) -> tuple[str, ...] | None:
    """Returns lower-case parts, one of which stands in every text that the section's expressions match; None if some
    expression has no such part. Searching for them first is many times faster than trying the expressions
    everywhere."""
    return _hints_of(alternatives(name))


def has(text: str, name: str) -> bool:
    """Returns whether an expression of the section matches somewhere in the text."""
    lowered, parts = text.lower(), hints(name)
    return (parts is None or any(part in lowered for part in parts)) and pattern(name).search(text) is not None


def apart_from_form(text: str) -> str:
    """Returns a text that asks for another form of a program without the words for that, for doing the same, and for
    the form being a bad one; any other text as it is."""
    if has(text, "asks_form"):
        for section in ("asks_form", "same_behaviour", "bad_form"):
            text = pattern(section).sub(" ", text)
    return text


def _hints_of(items: Iterable[str]) -> tuple[str, ...] | None:
    parts = [_parts_of(item) for item in items]
    return None if None in parts else tuple(sorted({part for found in parts for part in found or ()}))


def _parts_of(expression: str) -> frozenset[str] | None:
    """Returns words of which at least one stands in whatever the expression matches: its longest plain word, or one
    word per alternative of a required group. Among these choices the one with the longest words is taken, as they are
    the rarest."""
    expression = _ESCAPED.sub(" ", expression)
    plain = max(_LETTERS.findall(_VARYING.sub(" ", _GROUP.sub(" ", expression))), key=len, default="")
    choices = [frozenset((plain.lower(),))] if plain else []
    for group in _GROUP.finditer(expression):
        inside = group["inside"] or ""
        branches = [] if group["optional"] or inside[:1] in "!=<" else [*_split(inside.removeprefix(":"))]
        parts = [_parts_of(branch) for branch in branches]
        if parts and None not in parts:
            choices.append(frozenset(part for found in parts for part in found or ()))
    return max(choices, key=lambda parts: min(map(_rarity, parts)), default=None)


def _rarity(word: str) -> int:
    """Returns how rare a word is: its number of letters, counted threefold for scripts with thousands of letters."""
    return len(word) if word.isascii() else 3 * len(word)


@cache
def meanings(name: str) -> tuple[tuple[str, str], ...]:
    """Returns (meaning, its expressions as a group) of a section whose keys are meanings instead of languages."""
    lines = _tables()[name].items()
    return tuple((key, f"(?:{'|'.join(_widened(item) for item in _split(line))})") for key, line in lines)


@cache
def named(name: str) -> tuple[tuple[str, re.Pattern[str], tuple[str, ...] | None], ...]:
    """Returns (meaning, its expression for whole words, its hints) of such a section."""
    items = {key: [_widened(item) for item in _split(line)] for key, line in _tables()[name].items()}
    return tuple((key, _whole_words(found), _hints_of(found)) for key, found in items.items())
