"""Reads promises in rows of Markdown tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from agent.examples.grammar.arguments import call_of
from agent.examples.grammar.page import Page
from agent.examples.grammar.values import error_at, promise, raises, value_at
from agent.examples.types import Example
from agent.examples.vocabulary import any_of

from .bare import is_bare

_RULE = set("-: |")
_UNIT = re.compile(r"(?<=\w) +(?:\([^()]*\)|\[[^\[\]]*\])\Z")
"""A unit or remark in brackets behind the name of a column: "weight (kg)". The brackets of a call follow at once."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_CODE = re.compile(r"[A-Z0-9]{1,4}")
"""A word in capitals, such as "DE" and "A", which is no remark beside such words."""


def table_examples(page: Page) -> list[Example]:
    """Returns one example for each row with a cell for the output and one for the call or the input, or cells for every
    required parameter."""
    return [
        example
        for header, rows in _tables(page)
        for line, place in rows
        for example in _row(page, _spelled(page, header, rows, _cells(line)), place, len(line.rstrip("\n")))
    ]


def _tables(page: Page) -> Iterator[tuple[list[str], list[tuple[str, int]]]]:
    """Yields each table that says what must be: the names of its columns, and its rows with their places."""
    header: list[str] | None = None
    rows: list[tuple[str, int]] = []
    place = 0
    for line in page.text.splitlines(keepends=True):
        cells = _cells(line)
        if "|" not in line or len(cells) < 2:
            yield from [(header, rows)] if header else []
            header, rows = None, []
        elif header is None:
            header = (
                [_UNIT.sub("", cell).lower() for cell in cells]
                if page.is_law(place, "says") or any(_says(cell, "wanted_column") for cell in cells)
                else None
            )
        elif len(cells) == len(header) and not set("".join(cells)) <= _RULE:
            rows.append((line, place))
        place += len(line)
    yield from [(header, rows)] if header else []


def _spelled(page: Page, header: list[str], rows: Sequence[tuple[str, int]], cells: list[str]) -> dict[str, str]:
    """Returns the row by the names of the columns. Words that are texts stand in quotes; a number beside such words may
    be one as well ("Fizz" and 4), so nothing stands in its place."""
    columns = [[*column] for column in zip(*(_cells(line) for line, _ in rows), strict=True)]
    texts = [_texts_in(page, column) for column in columns]
    told = [
        repr(cell) if cell in known else "" if known and _NUMBER.fullmatch(cell) else cell
        for cell, known in zip(cells, texts, strict=True)
    ]
    return dict(zip(header, told, strict=True))


def _texts_in(page: Page, column: Sequence[str]) -> set[str]:
    """Returns the words of the column that the task itself writes in quotes, and codes that look like one of them: "AT"
    like "DE". Other words may be remarks."""
    words = {cell for cell in column if _is_word(cell)}
    quoted = {word for word in words if f"'{word}'" in page.text or f'"{word}"' in page.text}
    codes = {_form(word) for word in quoted if _CODE.fullmatch(word)}
    return quoted | {word for word in words if _CODE.fullmatch(word) and _form(word) in codes}


def _form(code: str) -> str:
    return "".join("A" if sign.isalpha() else "0" for sign in code)


def _is_word(cell: str) -> bool:
    return is_bare(cell) and not _is_error(cell)


def _is_error(cell: str) -> bool:
    return error_at(_raised(cell), 0) is not None


def _raised(cell: str) -> str:
    return cell.removeprefix("raises ").removeprefix("raise ")


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("`").strip() for cell in line.strip().strip("|").split("|")]


def _says(header: str, table: str) -> bool:
    return re.search(any_of(table), header, re.I) is not None


def _row(page: Page, row: dict[str, str], place: int, length: int) -> list[Example]:
    wanted = [cell for name, cell in row.items() if _says(name, "wanted_column") and not _says(name, "actual_column")]
    outputs = [cell for name, cell in row.items() if _is_of_outputs(page, name)]
    if not wanted and any(_says(name, "actual_column") for name in row):
        return []
    output = (wanted or outputs or [None])[0]
    call, told = _call(page, row), page.reading.quote(place, place + length)
    if output is not None and call is None:
        return _unquoted(page, row, output, told)
    if output is None or call is None:
        return []
    error = error_at(_raised(output), 0)
    if error is not None:
        return [raises(call, error[0], told)]
    value = value_at(output, 0)
    return [promise(call, value[0], told)] if value is not None and not output[value[1] :].strip() else []


def _unquoted(page: Page, row: dict[str, str], output: str, told: str) -> list[Example]:
    """Returns the example of two cells with plain words, if the function takes one argument and the output is made of
    letters of the input: other words may be remarks."""
    first = (page.names.parameters or ("",))[0]
    given = row.get(first.lower()) or next((cell for name, cell in row.items() if _says(name, "given_column")), "")
    made = Counter(filter(str.isalpha, output.casefold())) - Counter(filter(str.isalpha, given.casefold()))
    plain = any(map(str.isalpha, output)) and not made and is_bare(given) and is_bare(output)
    return [promise(f"{page.names.entry}({given!r})", repr(output), told)] if plain and page.names.required == 1 else []


def _is_of_outputs(page: Page, name: str) -> bool:
    entry = page.names.entry
    told = _says(name, "output_column") or (entry is not None and name.startswith(f"{entry.lower()}("))
    return told and not _says(name, "actual_column")


def _call(page: Page, row: dict[str, str]) -> str | None:
    """Returns the call of the row: the only cell that is one, or what the cells of the parameters or of the input
    make."""
    names = page.names
    calls = [cell for cell in row.values() if cell.partition("(")[0] in names.known and "(" in cell]
    if len(calls) == 1:
        return call_of(names, calls[0])
    named = {name: row[name.lower()] for name in names.parameters or () if name.lower() in row}
    given = ", ".join(f"{name} = {cell}" for name, cell in named.items())
    given = given or next((cell for name, cell in row.items() if _says(name, "given_column")), "")
    return call_of(names, given) if given else None
