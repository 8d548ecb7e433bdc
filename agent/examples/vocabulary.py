"""The word tables in `words/`: what people say in a task, by meaning and by language. Read once, compiled when needed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FOLDER = Path(__file__).with_name("words")
_UNPARTED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that do not part words by blanks."""
_REFERENCE = re.compile(r"\{([a-z_]+)\}")
_ESCAPED = re.compile(r"\\.")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def _tables() -> dict[str, dict[str, str]]:
    """Section -> language -> alternatives set apart by bars."""
    tables: dict[str, dict[str, str]] = {}
    for path in sorted(_FOLDER.glob("*.yaml")):
        tables.update(yaml.load(path.read_text(encoding="utf-8"), _LOADER))
    return {name: {key: _one_line(text) for key, text in lines.items()} for name, lines in tables.items()}


def _one_line(text: str) -> str:
    """A line that goes on with a bar continues the expression as it is; any other one after a blank."""
    return re.sub(r"\s*\n\s*", " ", re.sub(r"\s*\n\s*\|", "|", text))


@cache
def alternatives(name: str) -> tuple[str, ...]:
    """The regular expressions of a section, in all its languages, the longest first; `{other}` stands for a section."""
    items = (_widened(item) for line in _tables()[name].values() for item in _split(line))
    return tuple(sorted(dict.fromkeys(items), key=len, reverse=True))


def _widened(item: str) -> str:
    """With its references filled in, and any white space where it has a blank."""
    return _REFERENCE.sub(lambda match: any_of(match.group(1)), item.replace(" ", r"\s+"))


def any_of(name: str) -> str:
    """A section as a group, to be put into a larger expression."""
    return f"(?:{'|'.join(alternatives(name))})"


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A section as an expression of its own: whole words in scripts that part words, anywhere in those that do not."""
    return _whole_words(alternatives(name))


def _whole_words(items: Collection[str]) -> re.Pattern[str]:
    parted = [item for item in items if not _UNPARTED.search(item)]
    joined = [item for item in items if _UNPARTED.search(item)]
    guarded = [rf"(?<!\w)(?:{'|'.join(parted)})(?:(?!\w)|(?<='))"] if parted else []
    return re.compile("|".join([*guarded, *joined]), re.I)


def _split(line: str) -> Iterator[str]:
    """Parts of a line between bars that stand in no bracket."""
    depth = start = 0
    for place, sign in enumerate(_ESCAPED.sub("__", line)):
        depth += (sign in "([") - (sign in ")]")
        if sign == "|" and not depth:
            yield from filter(None, [line[start:place].strip()])
            start = place + 1
    yield from filter(None, [line[start:].strip()])


@cache
def meanings(name: str) -> tuple[tuple[str, str], ...]:
    """A section whose keys are meanings instead of languages: (meaning, its expressions as a group)."""
    lines = _tables()[name].items()
    return tuple((key, f"(?:{'|'.join(_widened(item) for item in _split(line))})") for key, line in lines)


@cache
def named(name: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The same with each meaning's expression as one of its own, of whole words."""
    lines = _tables()[name].items()
    return tuple((key, _whole_words([_widened(item) for item in _split(line)])) for key, line in lines)
