"""Reads from the task's words what a script is to put out and which files it reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from .types import Demand
from .vocabulary import any_of, has, pattern

PICTURES = ("png", "jpg", "jpeg", "svg", "gif", "webp", "bmp", "pdf")
_DATA = (
    "csv", "tsv", "txt", "log", "json", "jsonl", "ndjson", "geojson", "xlsx", "xls", "xlsm", "ods", "parquet",
    "feather", "sqlite", "sqlite3", "db", "xml", "yaml", "yml", "ini", "toml", "dat", "html", "htm", "md", "npy", "npz",
)  # fmt: skip
_FILE = re.compile(rf"(?<![\w/.@-])((?:[\w-]+/)*[\w][\w.-]*\.({'|'.join((*_DATA, *PICTURES))}))(?![\w-]|\.\w)", re.I)
_CLAUSE = re.compile(r"[.;!?]\s|\n|(?<=\w), (?:then|and then|dann|puis|luego|poi)\b|[\u3002\uff1b\uff01\uff1f]")
_TABLE_LINE = re.compile(r"[^\n,;\t|]{0,60}(?:[,;\t|][^\n,;\t|]{0,60}){1,30}$")
_EXAMPLES = re.compile(r"\b(?:inputs?|outputs?|results?|expected|returns?|call)\b|\w\(", re.I)
"""Heads of a table of examples, which is no data."""
_WHOLE = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w.,])|(?<![\w.])\d{1,9}(?![\d])(?!\.\d)")
_CONTENT = re.compile(r"\d|[\"\u201c\u201e\u00ab\[{]|(?<!\w)'\w")
"""A figure, a quotation or a list, with which the text may state its data."""
_GROUPS = re.compile(r"\bk ?= ?\d+|\b\d+ (?=clusters?\b|groups?\b)", re.I)
"""Says into how many parts data are to be divided, which tells nothing of the data."""
_FORMULA = re.compile(r"\w\s*=\s*[^\W\d]|\w\*\*\w|\b(?:sin|cos|exp|log|iris|mnist|titanic)\b", re.I)
_PUT = {
    table: re.compile(rf"(?<!\w){any_of(table)}(?:\s+(?:{any_of('file_noun')}))?[\s`'\"]*\Z", re.I)
    for table in ("puts_in", "writes_in")
}
_PUT_BEHIND = re.compile(rf"[`'\"]?\s+{any_of('put_behind')}(?!\w)", re.I)
_ENDS = re.compile(
    rf"[`'\"]?(?:\s*(?:[.,;:!?)]|\Z|\n)|\s+(?P<on>and|then|und|dann|et|puis|y|luego|e|poi|depois|и|затем)\s|\s+(?:using|from|aus)\s+{_FILE.pattern})",
    re.I,
)
"""What ends a clause after a file's name; group `on` is set if the sentence goes on."""
_BEFORE = 160
"""How many characters before a file's name are searched for what puts something into it."""
_FEW = 3
"""The most words between "each with" and the file."""
_AFTER = 60
"""How many characters after a file's name are searched for a verb of making or reading."""


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """The files that a task names, by what is done with each first: it is read, or it is made."""

    read: tuple[str, ...]
    made: tuple[str, ...]


def demand_of(text: str, files: Collection[str]) -> Demand:
    """Returns what the output must hold and which files are missing. `files` holds the names of the given ones."""
    named = files_of(text, files)
    drawn = has(text, "picture") and not has(text, "of_letters")
    picture = drawn or any(name.rpartition(".")[2].lower() in PICTURES for name in named.made)
    missing = tuple(name for name in named.read if not _is_given(name, files))
    if not missing and not files and not named.made and is_at_hand(text) and not named.read and not inline_table(text):
        missing = (
            ("*.csv",) if not (found := pattern("data_of_a_kind").search(text)) else (f"*.{_suffix(found.group())}",)
        )
    return Demand(
        picture=picture,
        labelled=picture and has(text, "labelled_axes"),
        makes=named.made,
        missing=missing,
        ordered=has(text, "in_order"),
        by_chance=has(text, "by_chance") or (has(text, "needs_data") and not (files or named.read or _has_data(text))),
        numbers=tuple(int(number.replace(",", "")) for number in _WHOLE.findall(text)),
    )


def _has_data(text: str) -> bool:
    """Returns whether the text may hold data itself, takes data for given, or names a formula that makes them."""
    return is_at_hand(text) or any(each.search(_GROUPS.sub("", text)) for each in (_CONTENT, _FORMULA))


def files_of(text: str, files: Collection[str] = ()) -> NamedFiles:
    """Returns every file that the text names. A picture is made. Another file is made if a verb of making stands
    nearest before it (or after it), otherwise read. A file that was made first is not asked for. `files` were given."""
    read: list[str] = []
    made: list[str] = []
    for name, making in _mentions(text, files):
        if name not in (*read, *made):
            (made if making else read).append(name)
    return NamedFiles(tuple(read), tuple(made))


def _mentions(text: str, files: Collection[str]) -> Iterator[tuple[str, bool]]:
    for match in _FILE.finditer(text):
        breaks = [found.end() for found in _CLAUSE.finditer(text, 0, match.start())]
        start = breaks[-1] if breaks else 0
        before = [_last(table, text, start, match.start()) for table in ("makes", "reads")]
        if before == [-1, -1]:
            stop = next((found.start() for found in _CLAUSE.finditer(text, match.end())), len(text))
            behind = min(stop, match.end() + _AFTER)
            making = _last("makes", text, match.end(), behind) > _last("reads", text, match.end(), behind)
        else:
            put = match.group(1) not in files and (
                _is_put_into(text, start, match) or _is_held_by_each(text, start, match)
            )
            making = before[0] > before[1] or put
        yield match.group(1), making or match.group(2).lower() in PICTURES


def _is_put_into(text: str, start: int, name: re.Match[str]) -> bool:
    """Returns whether a small word such as "in" stands before the file and its verb puts something there: "save the sum
    in". The file's name must end the clause: "save the names in a.csv that ..." tells where the names come from."""
    start, far = max(start, name.start() - _BEFORE), min(len(text), name.end() + _AFTER)
    stop = next((found.start() for found in _CLAUSE.finditer(text, name.end(), far)), far)
    if pattern("on_screen").search(text, start, stop):
        return False
    if _PUT_BEHIND.match(text, name.end()):
        return True
    before = [_PUT[table].search(text, start, name.start()) for table in ("puts_in", "writes_in")]
    end = _ENDS.match(text, name.end())
    return end is not None and any(before) and (before[0] is not None or end["on"] is None)


def _is_held_by_each(text: str, start: int, name: re.Match[str]) -> bool:
    """Returns whether this clause makes things that shall each hold the file, such as five folders, each with a
    readme.txt."""
    holding = [*pattern("each_holds").finditer(text, start, name.start())][-1:]
    return any(
        _last("makes", text, start, each.start()) >= 0
        and len((between := text[each.end() : name.start()]).split()) <= _FEW
        and not pattern("reads").search(between)
        for each in holding
    )


def _last(table: str, text: str, start: int, end: int) -> int:
    """Returns where the last word of the table in that part begins; -1 for none."""
    return max((match.start() for match in pattern(table).finditer(text, start, end)), default=-1)


def is_at_hand(text: str) -> bool:
    """Returns whether the text refers to data that it takes for given, and does not say that the program makes them
    first."""
    found = pattern("data_at_hand").search(text)
    if found is None:
        return False
    made = pattern("data_of_a_kind").search(text, 0, found.start())
    return made is None or _last("makes", text, 0, made.start()) < 0


def inline_table(text: str) -> bool:
    """Returns whether lines of the text are themselves a table."""
    lines = [line.strip().strip("`") for line in text.split("\n")]
    rows = [
        len(re.findall(r"[,;\t|]", line)) if _TABLE_LINE.match(line) and not _is_prose(line) else 0 for line in lines
    ]
    heads = (line for (line, one), (_, other) in pairwise(zip(lines, rows, strict=True)) if one and one == other)
    return (first := next(heads, "")) != "" and _EXAMPLES.search(first) is None


def _is_prose(line: str) -> bool:
    """Returns whether a line is prose: cells hold few words, sentences hold more between commas, with a blank after
    each."""
    cells = re.split(r"[,;\t|]", line)
    return (
        max(len(cell.split()) for cell in cells) > 4
        or line.endswith((".", ":", "?"))
        or line.count(", ") == len(cells) - 1
    )


def _is_given(name: str, files: Collection[str]) -> bool:
    """Returns whether a file was given, under its name, or under another name with the same type."""
    short = name.rpartition("/")[2].lower()
    given = [each.rpartition("/")[2].lower() for each in files]
    return short in given or any(each.rpartition(".")[2] == short.rpartition(".")[2] for each in given)


def _suffix(words: str) -> str:
    lowered = words.lower()
    return next(
        (suffix for suffix in ("tsv", "json", "parquet") if suffix in lowered), "xlsx" if "excel" in lowered else "csv"
    )
