"""Puts docstrings, comments and layout of given code back into a repair that lost them, without changing what it
does."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agent.source.parsing import UNREADABLE, Function

from .difference import Hunk, hunks

Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module


def with_words_of(given: str, code: str) -> str:
    """Returns `code` with the given docstrings, comments and layout wherever only those differ; `code` unchanged if it
    or the given program does not parse."""
    try:
        documented = _with_docstrings(given, code)
        before, after = given.splitlines(), documented.splitlines()
        lines: list[str] = []
        for hunk in hunks(before, after):
            lines += (
                before[hunk[1] : hunk[2]] if _says_nothing(before, after, hunk) else _with_comments(before, after, hunk)
            )
        restored = "\n".join(lines) + "\n"
        return restored if behaviour(restored) == behaviour(code) else code
    except UNREADABLE:
        return code


def finer(before: Sequence[str], after: Sequence[str]) -> list[Hunk]:
    """Returns hunks in which successive changed statements are separate, if the old and new ones are equally many.
    Raises SyntaxError."""
    old, new = _statement_lines(before), _statement_lines(after)
    found: list[Hunk] = []
    for kind, low, high, start, end in hunks(before, after):
        heads, new_heads = _heads(old, low, high), _heads(new, start, end)
        if kind != "replace" or len(heads) != len(new_heads) or len(heads) < 2:
            found.append((kind, low, high, start, end))
            continue
        lows, starts = [low, *heads[1:], high], [start, *new_heads[1:], end]
        pairs = zip(pairwise(lows), pairwise(starts), strict=True)
        found += [("replace", one, other, first, last) for (one, other), (first, last) in pairs]
    return found


def _statement_lines(lines: Sequence[str]) -> dict[int, int]:
    """Returns the index of the first line of each statement -> its indentation."""
    tree = ast.parse("\n".join(lines))
    return {node.lineno - 1: node.col_offset for node in ast.walk(tree) if isinstance(node, ast.stmt)}


def _heads(statements: dict[int, int], low: int, high: int) -> list[int]:
    """Returns the first lines of the outermost statements between two lines."""
    inside = {line: column for line, column in statements.items() if low <= line < high}
    outermost = min(inside.values(), default=0)
    return sorted(line for line, column in inside.items() if column == outermost)


def behaviour(code: str) -> str:
    """Returns a dump of the program's syntax tree without its docstrings. Raises SyntaxError."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, Documented) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def parses(code: str) -> bool:
    try:
        ast.parse(code)
    except UNREADABLE:
        return False
    return True


def _says_nothing(before: Sequence[str], after: Sequence[str], hunk: Hunk) -> bool:
    """Returns whether the program stays the same if the change is taken back."""
    kind, low, high, start, end = hunk
    if kind == "equal":
        return True
    reverted = [*after[:start], *before[low:high], *after[end:]]
    try:
        return behaviour("\n".join(reverted)) == behaviour("\n".join(after))
    except SyntaxError:
        return False


def _with_comments(before: Sequence[str], after: Sequence[str], hunk: Hunk) -> list[str]:
    """Returns the new lines of a changed part, below the comments that stood above the old ones."""
    _, low, high, start, end = hunk
    above: list[str] = []
    for line in before[low:high]:
        if not line.strip().startswith("#"):
            break
        above.append(line)
    new = list(after[start:end])
    return new if any(line.strip().startswith("#") for line in new) else [*above, *new]


def _with_docstrings(given: str, code: str) -> str:
    """Returns `code` with the given docstring in each definition of the same name that has none, or another one."""
    old, tree = given.splitlines(), ast.parse(code)
    known = {name: node for name, node in _documented(ast.parse(given)) if ast.get_docstring(node) is not None}
    edits: list[tuple[int, int, list[str]]] = []
    for name, node in _documented(tree):
        before = known.get(name)
        first = node.body[0] if node.body else None
        if before is None or first is None or ast.get_docstring(node) == ast.get_docstring(before):
            continue
        doc = before.body[0]
        lines = old[doc.lineno - 1 : doc.end_lineno]
        start = first.lineno - 1
        end = (first.end_lineno or start) if ast.get_docstring(node) is not None else start
        if isinstance(node, ast.Module) or (doc.col_offset == first.col_offset and first.lineno > node.lineno):
            edits.append((start, end, lines))
    new = code.splitlines()
    for start, end, lines in sorted(edits, reverse=True):
        new[start:end] = lines
    return "\n".join(new) + "\n"


def _documented(tree: ast.Module) -> Iterator[tuple[str, Documented]]:
    yield "", tree
    yield from _inside(tree, "")


def _inside(tree: Documented, prefix: str) -> Iterator[tuple[str, Documented]]:
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef):
            yield prefix + node.name, node
            yield from _inside(node, f"{prefix}{node.name}.")
