"""The changes that can be made to the files of a room."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.source.mutation import mutants

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Change:
    file: str
    """Its path below the root of the tree."""
    lines: range
    """Those of the changed statement, without the statements inside it."""
    function: str
    """The name of the outermost function in whose body the statement stands, such as "Class.method"; "" if it runs
    before any test."""
    words: str
    code: str
    """The whole file with the change in it."""
    kept: bool = False
    """Whether a cache keeps what the function gives, so that only the first test that asks for it runs the line."""


def changes(root: Path, rooms: list[str]) -> list[Change]:
    """Returns every change of every file below `rooms`, files in order of their names: a slip that the product itself
    knows, or a call left out of which nothing is kept."""
    files = sorted(
        file for room in rooms for file in ([root / room] if room.endswith(".py") else (root / room).rglob("*.py"))
    )
    return [change for file in files for change in _of_file(str(file.relative_to(root)), file.read_text("utf-8"))]


def _of_file(file: str, code: str) -> Iterator[Change]:
    tree = ast.parse(code)
    spans = sorted((_span(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)), key=len)
    inside = dict(_inside(tree))
    cached = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS) and _is_cached(node)]
    kept = {line for function in cached for line in _lines(function.body)}
    silent = {line for statement in tree.body if _is_silent(statement) for line in _lines([statement])}
    stored = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "slots"}
    for mutant in mutants(code, limit=100_000):
        if mutant.line in silent or (mutant.line in stored and _stores_otherwise(tree, mutant.code)):
            continue
        lines = next((span for span in spans if mutant.line in span), range(mutant.line, mutant.line + 1))
        yield Change(file, lines, inside.get(mutant.line, ""), mutant.change, mutant.code, mutant.line in kept)
    for block in blocks(tree):
        for index, statement in enumerate(block):
            if _is_bare_call(statement):
                block[index] = ast.copy_location(ast.Pass(), statement)
                line = statement.lineno
                words = f"line {line}: `{ast.unparse(statement)}` left out"
                yield Change(file, _span(statement), inside.get(line, ""), words, ast.unparse(tree), line in kept)
                block[index] = statement


def _inside(tree: ast.AST, within: str = "") -> Iterator[tuple[int, str]]:
    """Yields each line of a function's body with the name of the function, of the outermost one for nested ones."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, FUNCTIONS):
            yield from ((line, f"{within}{node.name}") for line in _lines(node.body))
        else:
            yield from _inside(node, f"{within}{node.name}." if isinstance(node, ast.ClassDef) else within)


def _is_cached(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("cache" in ast.unparse(decorator) for decorator in function.decorator_list)


def _lines(body: list[ast.stmt]) -> range:
    return range(body[0].lineno, (body[-1].end_lineno or 0) + 1)


def _span(statement: ast.stmt) -> range:
    inside = [block[0].lineno for block in blocks(statement) if block]
    return range(statement.lineno, max(statement.lineno + 1, min(inside, default=(statement.end_lineno or 0) + 1)))


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yields each list of statements of a tree."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield block


def _is_silent(statement: ast.stmt) -> bool:
    """Returns whether the statement is only read by tools: a list of public names, or an alias of allowed texts."""
    named = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return isinstance(statement, ast.Assign) and not named.isdisjoint({"__all__", "Literal"})


def _stores_otherwise(tree: ast.Module, changed: str) -> bool:
    """Returns whether only `slots=` differs: how objects are stored is nothing that they do."""
    return ast.dump(_without_slots(tree)) == ast.dump(_without_slots(ast.parse(changed)))


def _without_slots(tree: ast.Module) -> ast.Module:
    left = copy.deepcopy(tree)
    for node in ast.walk(left):
        if isinstance(node, ast.Call):
            node.keywords = [one for one in node.keywords if one.arg != "slots"]
    return left


def _is_bare_call(statement: ast.stmt) -> bool:
    """Returns whether the statement calls something, awaited or not, and drops what it gives."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value.value if isinstance(value, ast.Await) else value, ast.Call)
