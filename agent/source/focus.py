"""Cuts a program that is too long for a prompt down to the definitions that matter for a failure, and puts changed
definitions back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from .parsing import UNREADABLE, Definition, module_of

SHOWN_NAMES = 5
"""How many names are told of a stretch of definitions that is left out."""


def focused(code: str, failures: Sequence[str], most: int) -> str:
    """Returns at most about `most` characters of the program: imports, constants, and the definitions that the failures
    name or that those call, nearest first. One line stands for each stretch that is left out. A short program is
    returned whole; of one that does not parse, head and tail."""
    if len(code) <= most:
        return code
    try:
        tree = ast.parse(code)
    except UNREADABLE:
        return f"{code[: most // 2]}\n# [... {len(code) - most} characters left out ...]\n{code[-(most // 2) :]}"
    lines = code.splitlines(keepends=True)
    order = _reachable_definitions(tree, " ".join(failures))
    kept, room = (
        set[str](),
        most - sum(len(_text(lines, node)) for node in tree.body if not isinstance(node, Definition)),
    )
    for node in order:
        size = len(_text(lines, node))
        if size <= room:
            kept.add(node.name)
            room -= size
    return _shortened(tree, lines, kept)


def merged(whole: str, part: str) -> str | None:
    """Returns the program with the definitions of `part` in place of its own of the same names, and with new
    definitions and imports added. Returns None when no name is the same."""
    tree, piece = module_of(whole), module_of(part)
    new = {node.name: node for node in piece.body if isinstance(node, Definition)}
    old = {node.name: node for node in tree.body if isinstance(node, Definition)}
    if not new.keys() & old.keys():
        return None
    lines, pieces = whole.splitlines(keepends=True), part.splitlines(keepends=True)
    for name, node in sorted(old.items(), key=lambda entry: -entry[1].lineno):
        if name in new:
            lines[_first(node) - 1 : node.end_lineno] = [_text(pieces, new[name]).rstrip("\n") + "\n"]
    added = [_text(pieces, node) for name, node in new.items() if name not in old]
    known = {ast.unparse(node) for node in tree.body}
    imports = [node for node in piece.body if isinstance(node, ast.Import | ast.ImportFrom)]
    missing = [ast.unparse(node) + "\n" for node in imports if ast.unparse(node) not in known]
    place = _after_docstring(tree)
    return "".join([*lines[:place], *missing, *lines[place:], *(f"\n\n{text}" for text in added)])


def _reachable_definitions(tree: ast.Module, words: str) -> list[Definition]:
    """Returns the definitions that the words name, then those that these use, and so on; others are left out."""
    found = {node.name: node for node in tree.body if isinstance(node, Definition)}
    named = [node for name, node in found.items() if re.search(rf"\b{re.escape(name)}\b", words)]
    order = list(named)
    for node in order:
        used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        order += [found[name] for name in found if name in used and found[name] not in order]
    return order


def _shortened(tree: ast.Module, lines: Sequence[str], kept: Iterable[str]) -> str:
    """Returns the module with one line in place of each stretch of definitions that is left out."""
    told: list[str] = []
    missing: list[Definition] = []
    for node in tree.body:
        if isinstance(node, Definition) and node.name not in kept:
            missing.append(node)
            continue
        told += [*_left_out(missing), _text(lines, node).rstrip("\n")]
        missing = []
    return "\n".join([*told, *_left_out(missing)]) + "\n"


def _left_out(missing: Sequence[Definition]) -> list[str]:
    if not missing:
        return []
    names = ", ".join(node.name for node in missing[:SHOWN_NAMES])
    more = f" and {len(missing) - SHOWN_NAMES} more" if len(missing) > SHOWN_NAMES else ""
    return [f"# [lines {_first(missing[0])} to {missing[-1].end_lineno} are left out here: {names}{more}]"]


def _text(lines: Sequence[str], node: ast.stmt) -> str:
    return "".join(lines[_first(node) - 1 : node.end_lineno])


def _first(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _after_docstring(tree: ast.Module) -> int:
    """Returns the number of lines before the place for an import: after the docstring and `from __future__` imports."""
    head = [node for node in tree.body[:1] if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    return max([node.end_lineno or 0 for node in (*head, *future)], default=0)
