"""Reads lines of code in the task's text that make something, use it, and assert what holds. Each assert is a
promise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from agent.examples.grammar.names import Names
from agent.examples.grammar.page import Page
from agent.examples.grammar.typed import can_be_done, names_made, names_used
from agent.examples.types import Example
from agent.source.parsing import module_of

from .asserts import is_doubted

_BEGINS = re.compile(r"^(?P<lead>[ \t>]*)[^\W\d]\w*[ \t]*=[ \t]*[^=\s]", re.M)
_ASSERTS = re.compile(r"^[ \t>]*assert\s", re.M)
_FENCE = re.compile(r"[ \t>]*(?:```|~~~)")
_RAISES = re.compile(r"with pytest\.raises\(")
_LINES = 40
"""The most lines of one scene."""
_MOST = 20
"""The most scenes that are read."""
_STATEMENTS = (ast.Assign, ast.AugAssign, ast.Expr, ast.Assert, ast.With, ast.For, ast.Try)


def scene_examples(page: Page) -> Iterator[Example]:
    """Yields the asserts after an assignment, each with all that is done before it. A scene ends at the first line that
    is no Python, or that uses a name which the text does not mention."""
    read = 0
    for match in islice(_BEGINS.finditer(page.text), _MOST):
        if match.start() >= read and _ASSERTS.search(page.text, match.end()):
            lines = _lines(page.text, match)
            body = _body(lines, page.names)
            read = match.start() + sum(len(line) + 1 for line in lines[: body[-1].end_lineno]) if body else read
            yield from _asserted(page, match, lines, body)


def _lines(text: str, match: re.Match[str]) -> list[str]:
    """Returns the lines from the assignment on, without the common prefix, up to the end of a fence."""
    lead, found = match.group("lead"), list[str]()
    for line in text[match.start() :].split("\n", _LINES)[:_LINES]:
        if _FENCE.match(line):
            break
        found.append(line if line[: len(lead)].strip(" \t>") else line[len(lead) :])
    return found


def _body(lines: Sequence[str], names: Names) -> list[ast.stmt]:
    """Returns the statements of the longest part of the lines that is Python, as far as every name is known."""
    parts = (module_of("\n".join(lines[:stop])).body for stop in range(len(lines), 0, -1))
    found, known = list[ast.stmt](), names.known | {"pytest"}
    for statement in next(filter(None, parts), list[ast.stmt]()):
        if not isinstance(statement, _STATEMENTS) or not can_be_done(statement, known):
            break
        known |= names_made([statement])
        found.append(statement)
    return found


def _asserted(page: Page, match: re.Match[str], lines: Sequence[str], body: Sequence[ast.stmt]) -> Iterator[Example]:
    """Yields an example per assert. The expression of an earlier assert is evaluated again before later ones, because
    it may change the object."""
    done: list[ast.stmt] = []
    told = match.start()
    if is_doubted(page, match.start(), match.end()):
        return
    for place, statement in enumerate(body):
        if isinstance(statement, ast.Assert) or _RAISES.match(ast.unparse(statement)):
            start = told + sum(len(line) + 1 for line in lines[: statement.lineno - 1])
            source = "\n".join(map(ast.unparse, [*done, statement]))
            stop = start + len(lines[statement.lineno - 1])
            if place and names_used(module_of(source)) & page.names.known and not is_doubted(page, start, stop):
                yield Example(source, page.reading.quote(start, stop))
        done.append(ast.Expr(statement.test) if isinstance(statement, ast.Assert) else statement)
