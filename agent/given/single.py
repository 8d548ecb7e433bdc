"""Detects a repair that was written for the reported input alone and mends nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from agent.source.parsing import expression_of, module_of

_BASE = (0, 1, -1, "", None, True, False)
"""Inputs that honest programs treat as a case of their own."""


def names_input(before: str, after: str, call: str) -> bool:
    """Returns whether the changed program holds every argument of the call as a literal, at least one of them newly.
    Returns False if the only argument is a value that programs single out anyway."""
    node = expression_of(call)
    given = [*node.args, *(keyword.value for keyword in node.keywords)] if isinstance(node, ast.Call) else []
    told, known = set(map(ast.unparse, given)), set(_literals(after))
    if not given or (len(given) == 1 and _is_base(given[0])):
        return False
    return told <= known and bool(told - set(_literals(before)))


def _is_base(node: ast.expr) -> bool:
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return value in _BASE if isinstance(value, int | str | None) else not value


def _literals(code: str) -> Iterator[str]:
    """Yields the texts of all literals in a program, nested ones too."""
    for node in ast.walk(module_of(code)):
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp):
            yield ast.unparse(node)
