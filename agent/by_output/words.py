"""Finds the words that a script printed from its data: they are part of its answer, as its figures are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agent.source.parsing import UNREADABLE
from sandbox.types import FileData

WORD = re.compile(r"[^\W\d_]+(?:[-_]\w+)*|\d{4}-\d\d(?:-\d\d)?|\w*[^\W\d_]\w*|\d+(?:[:/]\d+)+")
MAX_WORDS = 400
"""The most different words of one output that are looked up in the data."""
_KEY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:')


@dataclass(frozen=True, slots=True)
class DataWords:
    """Words that stand in the data and not in the script's own texts."""

    answers: tuple[str, ...] = ()
    """Cells of the data. If one script prints a word and the other does not, their answers differ."""
    labels: tuple[str, ...] = ()
    """Heads of columns, keys, and words of the task. One script may print labels that the other lacks, but the answers
    differ if each prints some that the other lacks."""


NO_WORDS = DataWords()


def data_words(printed: str, code: str, files: Mapping[str, FileData], task: str) -> DataWords:
    """Returns the printed words that come from the data. Words in the script's own texts are wording and are left
    out."""
    texts = [text for data in files.values() if isinstance(data, bytes) and (text := _text(data)) is not None]
    said = set(_words(printed)) - _phrasing(code)
    heads, known = set(_heads(texts)), set(_words(task))
    bodies = [_body(text).casefold() for text in texts]
    found = [
        word for word in sorted(said)[:MAX_WORDS] if word in heads or any(_stands_in(word, body) for body in bodies)
    ]
    labels = tuple(word for word in found if word in heads or word in known)
    return DataWords(tuple(word for word in found if word not in labels), labels)


def same_words(one: DataWords, other: DataWords, *, drawn: bool) -> bool:
    """Returns whether two outputs say the same of the data. With `drawn`, a picture holds the answer, and only one
    script may tell it in words."""
    if _differ(one.labels, other.labels):
        return False
    return not _differ(one.answers, other.answers) if drawn else set(one.answers) == set(other.answers)


def _differ(one: Iterable[str], other: Iterable[str]) -> bool:
    """Returns whether each says something that the other does not."""
    mine, theirs = set(one), set(other)
    return bool(mine - theirs) and bool(theirs - mine)


def _words(text: str) -> Iterable[str]:
    return (word.casefold() for word in WORD.findall(text))


def _phrasing(code: str) -> set[str]:
    """Returns the words of the texts in the script; all words of a script that does not parse."""
    try:
        nodes = ast.walk(ast.parse(code))
    except UNREADABLE:
        return set(_words(code))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {word for text in texts for word in _words(text)}


def _text(data: bytes) -> str | None:
    """Returns the data as text; None for binary data. Text that is not UTF-8 is read as western European (cp1252)."""
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _heads(texts: Iterable[str]) -> Iterable[str]:
    """Yields the words of the row that names the columns, and of the keys of JSON."""
    for text in texts:
        parts = _KEY.findall(text) if _is_json(text) else text.lstrip().splitlines()[:1]
        yield from (word for part in dict.fromkeys(parts) for word in _words(part))


def _body(text: str) -> str:
    """Returns the text without the names of columns."""
    return _KEY.sub(":", text) if _is_json(text) else text.lstrip().partition("\n")[2]


def _stands_in(word: str, text: str) -> bool:
    """Returns whether the word stands in the text as a whole; 11:00 does not stand in 11:00:59. The plain search comes
    first because files are long."""
    return word in text and re.search(rf"(?<!\w)(?<!\d[:/-]){re.escape(word)}(?!\w|[:/-]\d)", text) is not None
