"""A program that stands in the task's own words, as people paste it into a question."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from agent.examples.classify import about_pasted
from agent.source.interface import Function
from agent.source.parsing import UNREADABLE, module_of
from agent.state import Task

_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~)[ \t]*(?:python\d?|py)?[ \t]*\r?\n(.*?)^[ \t]*(?:```|~~~)[ \t]*$", re.M | re.S | re.I
)
_STATEMENT = re.compile(r"^(?:async +def|def|class|import|from|@)(?!\w)", re.M)
_AT_MARGIN = re.compile(r"^(?=\S)|\Z", re.M)
_MOST_ENDS = 60
"""Lines at the margin among which the end of a program without a fence is looked for."""


def with_pasted(task: Task) -> Task:
    """The task with the one program of its text as its code, where the text speaks of what is to become of it."""
    if task.code or task.tests or task.fork or task.earlier:
        return task
    found = [match for match in _programs(task.text) if _does_something(match[2])]
    if len(found) != 1:
        return task
    start, end, code = found[0]
    return replace(task, code=code) if about_pasted(task.text[:start] + task.text[end:]) else task


def _programs(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, code) of what is fenced, or else of the statements that stand at the margin."""
    fences = [*_FENCE.finditer(text)]
    if fences:
        yield from ((each.start(), each.end(), each.group(1)) for each in fences)
        return
    place = 0
    while begun := _STATEMENT.search(text, place):
        end = _end_of(text, begun.start())
        yield begun.start(), end, text[begun.start() : end]
        place = max(end, begun.end())


def _end_of(text: str, start: int) -> int:
    """How far it reads as Python."""
    ends = [match.start() for match in _AT_MARGIN.finditer(text, start + 1)][:_MOST_ENDS]
    return next((end for end in reversed(ends) if _parses(text[start:end])), start)


def _parses(code: str) -> bool:
    try:
        return bool(ast.parse(code).body)
    except UNREADABLE:
        return False


def _does_something(code: str) -> bool:
    """Whether it is more than examples, calls of what is elsewhere, and headers that wait to be written out."""
    body = module_of(code).body
    functions = [node for tree in body for node in ast.walk(tree) if isinstance(node, Function)]
    if functions:
        return not any(_is_header(node) for node in functions)
    made = {node.id for tree in body for node in ast.walk(tree) if isinstance(node, ast.Name) and _is_made(node)}
    made |= {
        alias.asname or alias.name
        for tree in body
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return bool(made) and not any(isinstance(tree, ast.Assert) for tree in body)


def _is_made(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _is_header(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Nothing in it but a docstring, `...`, `pass` or an error that says so."""
    empty = ast.Pass | ast.Raise
    return all(
        isinstance(each, empty) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in function.body
    )
