"""Prepares a suite outside the child, once for many runs: read, judged, rewritten, compiled, as bytes."""

from __future__ import annotations

import ast
import builtins
import marshal
import sys
from types import CodeType

from .collect import Suite, study
from .rewrite import rewrite

FILENAME = "test_solution.py"
_PROGRAM = "run_program"
Reading = tuple[CodeType, Suite, frozenset[str]]
"""The suite's code, what its source promises, and every name it mentions."""


def read(tests: str) -> Reading:
    """Raises SyntaxError, ValueError, RecursionError or MemoryError for what is no Python."""
    tree = ast.parse(tests, FILENAME)
    suite = study(tree)
    used, bound = _names(tree)
    suite.program_only = _program_only(tree, used, bound)
    rewrite(tree)
    return compile(tree, FILENAME, "exec", dont_inherit=True), suite, frozenset(used | bound)


def plan(tests: str) -> bytes | None:
    """A pure function of the source, for the same interpreter; None for what is no Python."""
    try:
        code, suite, names = read(tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    facts = (suite.tests, suite.toothless, suite.module_check, suite.pytest, suite.program_only)
    return marshal.dumps((code, facts, names))


def unpack(packed: bytes) -> Reading:
    """What `plan` packed."""
    code, facts, names = marshal.loads(packed)
    return code, Suite(*facts), names


def _names(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Names that the source mentions, and those that it binds."""
    read: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler):
            bound.add(node.name or "_")
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
    return read, bound


def _program_only(tree: ast.Module, read: set[str], bound: set[str]) -> bool:
    if _PROGRAM not in read or not (read - bound - {_PROGRAM}).issubset(dir(builtins)):
        return False
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return not any(_is_foreign(node) for node in imports)


def _is_foreign(node: ast.Import | ast.ImportFrom) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return any(name.partition(".")[0] not in (*sys.stdlib_module_names, "pytest") for name in names)
