"""Finds what a script chose where its task leaves it open, such as a number of clusters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agent.source.parsing import module_of
from llm.replies.files import split_files

from .figures import Figure, close, figures_in

MAX_CHOICES = 20
"""How many choices are told."""
_SHOWS = frozenset((
    "print", "format", "write", "round", "str", "int", "float", "repr", "join", "append",
    "savefig", "scatter", "plot", "hist", "bar", "text", "figure", "subplots",
))  # fmt: skip
"""Calls whose arguments decide how something is shown."""
_DEFINED = (ast.FunctionDef, ast.ClassDef)
MAX_CHOICE_CHARS = 80
"""The most characters of one choice."""


def choices_of(code: str, printed: str) -> list[str]:
    """Returns `name = value` for each plain number that the script computes with, and calls of its own functions and of
    classes with such a number. Numbers that are only shown, or that were printed, are left out: they may be answers,
    and telling them would give the answer away."""
    files = split_files(code)
    answers = figures_in(printed)
    told = (
        f"{name} = {value!r}" if name else ast.unparse(node)
        for tree in map(module_of, files.values() if files else [code])
        for node, name, value in _given(tree)
        if not any(close(answer, Figure(repr(value), ())) for answer in answers)
    )
    return [line for line in dict.fromkeys(told) if len(line) <= MAX_CHOICE_CHARS][:MAX_CHOICES]


def _given(tree: ast.Module) -> Iterator[tuple[ast.AST, str, object]]:
    used, own = _used(tree), {node.name for node in ast.walk(tree) if isinstance(node, _DEFINED)}
    for node in ast.walk(tree):
        of_call = isinstance(node, ast.Call)
        for name, value in _pairs(node, own):
            if isinstance(value, ast.Constant) and type(value.value) in (int, float) and (of_call or name in used):
                yield node, name, value.value


def _pairs(node: ast.AST, own: set[str]) -> Iterator[tuple[str, ast.expr | None]]:
    """Yields names with what they are given at this node; "" for an argument given by its place."""
    if isinstance(node, ast.Assign):
        yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
    elif isinstance(node, ast.FunctionDef):
        names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
        yield from zip(reversed(names), reversed(node.args.defaults), strict=False)
        yield from ((one.arg, value) for one, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True))
    elif isinstance(node, ast.Call) and (called := _name_of(node.func)) not in _SHOWS:
        yield from ((one.arg, one.value) for one in node.keywords if one.arg)
        if called in own or called[:1].isupper():
            yield from (("", one) for one in node.args)


def _used(tree: ast.Module) -> set[str]:
    """Returns the names that are read anywhere except to show something."""
    shown = {inner for node in ast.walk(tree) if _shows(node) for inner in _shown(node)}
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    return {node.id for node in names if node not in shown}


def _shows(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Call) and _name_of(node.func) in _SHOWS)


def _shown(node: ast.AST) -> Iterator[ast.AST]:
    """Yields all nodes below, without the arguments of a call that computes something."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, ast.Call) or _name_of(child.func) in _SHOWS:
            yield from _shown(child)


def _name_of(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
