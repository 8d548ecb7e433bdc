"""Finds a program that a person pasted into the text of the task."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.examples.classify import about_pasted
from agent.source.parsing import Function, module_of, names_set_by
from agent.state import Task

_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~)[ \t]*(?:python\d?|py)?[ \t]*\r?\n(.*?)^[ \t]*(?:```|~~~)[ \t]*$", re.M | re.S | re.I
)
_STATEMENT = re.compile(r"^(?:async +def|def|class|import|from|@)(?!\w)|(?<=: )(?:async +)?def +\w+ *\(", re.M)
"""Matches a statement at the left margin, or a function after a colon: "Fix: def add(a, b): return a - b"."""
_AT_MARGIN = re.compile(r"^(?=\S)|\Z", re.M)
_TO_BE_FILLED = re.compile(r"#[^\n]*\b(?:todo|your (?:code|solution)|fill in|implement|complete)\b", re.I)
_PARTS = ast.ClassDef | ast.For | ast.While | ast.comprehension
"""Nodes any of which makes code without functions a program, as a call that is a statement does."""
_NAMED = ast.Attribute | ast.Name
_MOST_ENDS = 60
"""The most lines at the margin among which the end of a program without a fence is looked for."""
_MOST_BEGINNINGS = 10
"""The most lines at which a program is tried to begin: trying every line of a text that is no Python takes too long."""


def with_pasted(task: Task) -> Task:
    """Returns the task with the one program in its text as its code, if the text says what is to be done with it."""
    if task.code or task.tests or task.fork or task.earlier:
        return task
    found = [match for match in _programs(task.text) if _does_something(match[2])]
    if len(found) != 1:
        return task
    start, end, code = found[0]
    around = task.text[:start] + task.text[end:]
    return replace(task, code=code) if about_pasted(around, _names(code)) else task


def _programs(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields (start, end, code) of fenced blocks, or else of statements at the margin."""
    fences = [*_FENCE.finditer(text)]
    if fences:
        yield from ((each.start(), each.end(), each.group(1)) for each in fences)
        return
    place = 0
    for _ in range(_MOST_BEGINNINGS):
        if (begun := _STATEMENT.search(text, place)) is None:
            return
        end = _end_of(text, begun.start())
        yield begun.start(), end, text[begun.start() : end]
        place = max(end, begun.end())


def _end_of(text: str, start: int) -> int:
    """Returns the last place up to which the text after `start` reads as Python; `start` if it does not at all."""
    ends = [match.start() for match in _AT_MARGIN.finditer(text, start + 1)][:_MOST_ENDS]
    return next((end for end in reversed(ends) if module_of(text[start:end]).body), start)


def _does_something(code: str) -> bool:
    """Returns whether the code is a program: more than data, tests, examples, calls of functions from elsewhere, and
    headers that wait to be written out."""
    tree = module_of(code)
    nodes = [*ast.walk(tree)]
    functions = [node for node in nodes if isinstance(node, Function)]
    if _TO_BE_FILLED.search(code) or _undefined_names(nodes):
        return False
    if functions:
        return not (any(map(_is_header, functions)) or all(each.name.startswith("test") for each in functions))
    if any(isinstance(each, ast.Assert) for each in tree.body):
        return False
    acts = any(isinstance(each, ast.Expr) and isinstance(each.value, ast.Call) for each in nodes)
    return acts or any(isinstance(node, _PARTS) for node in nodes)


def _undefined_names(nodes: Sequence[ast.AST]) -> set[str]:
    """Returns the names that are used but defined nowhere. A module name inside a function, as in `np.mean`, is not
    counted: only its import is missing."""
    modules = {
        id(node.value)
        for function in nodes
        if isinstance(function, Function)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute)
    }
    used = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in modules
    }
    return used - {*names_set_by(nodes), *dir(builtins), "__file__"}


def _names(code: str) -> set[str]:
    """Returns all names of the program, attributes and imports included."""
    nodes = [*ast.walk(module_of(code))]
    used = {node.attr if isinstance(node, ast.Attribute) else node.id for node in nodes if isinstance(node, _NAMED)}
    return {*names_set_by(nodes), *used}


def _is_header(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Returns whether the function holds nothing but a docstring, `...`, `pass` or a `raise`."""
    empty = ast.Pass | ast.Raise
    return all(
        isinstance(each, empty) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in function.body
    )
