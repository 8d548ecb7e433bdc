"""Parses text that ought to be Python without raising: people and models write all sorts of text."""

from __future__ import annotations

import ast

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
