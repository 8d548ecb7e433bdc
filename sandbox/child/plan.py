"""Prepares a suite outside the child, once for many runs: read, judged, compiled, as bytes."""

from __future__ import annotations

import ast
import builtins
import marshal
import re
import sys
from types import CodeType

from .collect import Suite, study

FILENAME = "test_solution.py"
_PROGRAM = "run_program"
_MOST_CHARACTERS = 60_000
_DEEP = re.compile(r"[(\[{]{30}|[-+~]{60}|(?:not ){60}|(?:lambda: ?){30}")
Reading = tuple[CodeType, Suite, frozenset[str]]
"""The suite's code, what its source promises, and every name it mentions."""


def read(tests: str, explain: bool = False) -> Reading:
    """Raises SyntaxError, ValueError, RecursionError or MemoryError for what is no Python. With `explain`, which needs
    pytest, a failed assert tells the values it compared."""
    tree = ast.parse(tests, FILENAME)
    suite = study(tree)
    suite.program_only = _PROGRAM in tests and _program_only(tree)
    if explain:
        from .explain import explained  # noqa: PLC0415 - brings pytest, which only the run that explains needs

        explained(tree, tests)
    code = compile(tree, FILENAME, "exec", dont_inherit=True)
    return code, suite, frozenset(_mentioned(code))


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


def strains_a_parser(source: str) -> bool:
    """Whether it is larger, or nested deeper, than a person writes: then only a child had better parse it."""
    return len(source) > _MOST_CHARACTERS or _DEEP.search(source) is not None


def _mentioned(code: CodeType) -> set[str]:
    """Every name that the code looks up outside itself, or takes as a parameter."""
    names = {*code.co_names, *code.co_varnames[: code.co_argcount]}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names |= _mentioned(inner)
    return names


def _program_only(tree: ast.Module) -> bool:
    used: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler):
            bound.add(node.name or "_")
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
        if isinstance(node, ast.Import | ast.ImportFrom) and _is_foreign(node):
            return False
    return _PROGRAM in used and (used - bound - {_PROGRAM}).issubset(dir(builtins))


def _is_foreign(node: ast.Import | ast.ImportFrom) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return any(name.partition(".")[0] not in (*sys.stdlib_module_names, "pytest") for name in names)
