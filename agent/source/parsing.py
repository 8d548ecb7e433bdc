"""Parses text that ought to be Python without raising: people and models write all sorts of text."""

from __future__ import annotations

import ast
from collections.abc import Iterable

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef
UNREADABLE = (SyntaxError, ValueError, MemoryError, RecursionError)
"""What Python's parser raises; the last two for text that is nested too deeply."""


def module_of(code: str) -> ast.Module:
    """Returns the parsed program; an empty one for text that does not parse."""
    try:
        return ast.parse(code)
    except UNREADABLE:
        return ast.Module(body=[], type_ignores=[])


def expression_of(text: str) -> ast.expr | None:
    """Returns the parsed expression; None for text that is not exactly one expression."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except UNREADABLE:
        return None


def names_set_by(nodes: Iterable[ast.AST]) -> set[str]:
    """Returns the names that these nodes give a meaning to: assigned, deleted, defined, imported, caught, matched, or
    taken as a parameter."""
    found = set[str | None]()
    for node in nodes:
        match node:
            case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
                found.add(name)
            case ast.alias(name, local):
                found.add((local or name).partition(".")[0])
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                found.add(node.name)
            case ast.MatchMapping():
                found.add(node.rest)
            case _:
                pass
    return {name for name in found if name}
