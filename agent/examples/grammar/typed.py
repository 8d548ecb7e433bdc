"""Statements of Python that a text writes down: what they name, and whether they can be done with what is known."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable

_BUILTINS = frozenset(dir(builtins)) - {"__import__", "breakpoint", "eval", "exec", "exit", "input", "open", "quit"}


def names_used(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def names_made(statements: Iterable[ast.stmt]) -> set[str]:
    """Returns the names to which the statements bind something."""
    parts = (part for statement in statements for part in ast.walk(statement))
    return {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def is_vague(node: ast.AST) -> bool:
    """Returns whether three dots stand for something that the author left out."""
    return any(isinstance(part, ast.Constant) and part.value is Ellipsis for part in ast.walk(node))


def can_be_done(statement: ast.stmt, known: Collection[str]) -> bool:
    """Returns whether the statement says all that it does, with known names, harmless built-ins and its own names."""
    return not is_vague(statement) and names_used(statement) <= {*known, *_BUILTINS, *names_made([statement])}
