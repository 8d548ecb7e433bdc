"""Applies SEARCH/REPLACE edits to a program: where the text matches exactly, else where it matches but for white
space."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

BLOCK = re.compile(
    r"^<{5,9} ?SEARCH\b[^\n]*\n(.*?)^={5,9}\s*\n(.*?)^>{5,9} ?REPLACE\b[^\n]*$", re.DOTALL | re.MULTILINE
)


class CannotApply(ValueError):
    """The edits do not fit the program; the message says which one and why."""


def apply_edits(program: str, edits: str) -> str:
    """Returns the program with every edit applied, in order. Raises CannotApply, and changes nothing, if an edit fits
    in no place or in several, or if the edited program does not parse."""
    blocks = BLOCK.findall(edits)
    if not blocks:
        raise CannotApply("there is no complete SEARCH/REPLACE block")
    for number, (search, replacement) in enumerate(blocks, 1):
        program = _apply(program, search, replacement, number)
    try:
        ast.parse(program)
    except SyntaxError as error:
        raise CannotApply(f"the edited program does not parse: {error}") from None
    return program


def _apply(program: str, search: str, replacement: str, number: int) -> str:
    if not search.strip():
        raise CannotApply(f"edit {number} searches for nothing")
    if program.count(search) == 1:
        return program.replace(search, replacement)
    lines, wanted = program.splitlines(keepends=True), search.splitlines()
    places = list(_loose_places(lines, wanted))
    if len(places) != 1:
        raise CannotApply(f"edit {number} fits in {len(places)} places but must fit in one")
    start = places[0]
    shift = _indent(lines[start]) - _indent(wanted[0])
    moved = [_shifted(line, shift) for line in replacement.splitlines(keepends=True)]
    return "".join([*lines[:start], *moved, *lines[start + len(wanted) :]])


def _loose_places(lines: list[str], wanted: list[str]) -> Iterator[int]:
    """Yields places where the lines match, if common indentation and trailing blanks are ignored."""
    target = [line.strip() for line in wanted]
    relative = [_indent(line) - _indent(wanted[0]) for line in wanted]
    for start in range(len(lines) - len(wanted) + 1):
        window = lines[start : start + len(wanted)]
        if [line.strip() for line in window] != target:
            continue
        shifts = [_indent(line) - _indent(window[0]) for line in window]
        if all(not text or a == b for text, a, b in zip(target, shifts, relative, strict=True)):
            yield start


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _shifted(line: str, by: int) -> str:
    if not line.strip():
        return line
    return " " * by + line if by >= 0 else line[min(-by, _indent(line)) :]
