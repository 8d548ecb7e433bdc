"""Puts a module of this app before a script, so that it runs first in the script's own process."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from agent.source.parsing import UNREADABLE
from llm.replies.files import join_files, split_files


def with_before(code: str, name: str, wanted: re.Pattern[str]) -> str:
    """Returns the script with the module `name` of this folder before its first statement, on an existing line if
    possible so that line numbers stay. Returns the script unchanged if it does not match `wanted` or does not parse."""
    if not wanted.search(code):
        return code
    if (files := split_files(code)) is not None:
        first = next((path for path, text in files.items() if wanted.search(text)), "")
        return join_files(
            {path: with_before(text, name, wanted) if path == first else text for path, text in files.items()}
        )
    try:
        body = ast.parse(code).body
    except UNREADABLE:
        return code
    opening = 0
    while opening < len(body) and _must_be_first(body[opening], opening):
        opening += 1
    line = f"exec({source_of(name)!r}, {{'__name__': {name!r}}})"
    lines = code.split("\n")
    if opening == 0:
        return f"{line}\n{code}"
    last = body[opening - 1].end_lineno or 1
    lines[last - 1] += f"; {line}"
    return "\n".join(lines)


def _must_be_first(statement: ast.stmt, place: int) -> bool:
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return (place == 0 and is_text) or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")


@cache
def source_of(name: str) -> str:
    """Returns the text of a module of this folder, for another process to run."""
    return Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
