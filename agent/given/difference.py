"""Compares two versions of a program: line by line, and whether one was written for a single input."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from agent.source.parsing import UNREADABLE, Function, expression_of, module_of
from llm.replies.files import split_files

KEPT_SHARE = 0.4
"""A "repair" that keeps less than this share of the given program's statements is another program."""
_FEW_STATEMENTS = 6
"""In programs with fewer statements, the smallest repair may change all of them."""
_MANY_LINES = 2_000
"""With more lines than this, difflib ignores very common lines (blank ones, `pass`); its time would otherwise grow with
the square of their number."""

_BASE = (0, 1, -1, "", None, True, False)
"""Inputs that honest programs treat as a case of their own."""
Hunk = tuple[str, int, int, int, int]
"""(equal, replace, delete or insert; first and end line before; first and end line after)."""


def hunks(before: Sequence[str], after: Sequence[str]) -> list[Hunk]:
    """Returns equal and changed parts of two texts in order, as difflib finds them. Their common beginning and end are
    cut off first, to save time."""
    head = _common_prefix(before, after)
    tail = _common_prefix(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=max(len(old), len(new)) > _MANY_LINES)
    found: list[Hunk] = [("equal", 0, head, 0, head)] if head else []
    found += [
        (kind, low + head, high + head, start + head, end + head)
        for kind, low, high, start, end in matcher.get_opcodes()
    ]
    if tail:
        found.append(("equal", len(before) - tail, len(before), len(after) - tail, len(after)))
    return found


def _common_prefix(before: Sequence[str], after: Sequence[str]) -> int:
    """Returns how many lines both texts begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


@lru_cache(maxsize=256)
def changed_lines(given: str, code: str) -> int:
    """Returns how many lines stand in only one of two programs."""
    found = hunks(given.splitlines(), code.splitlines())
    return sum(high - low + end - start for kind, low, high, start, end in found if kind != "equal")


def kept_share(given: str, code: str) -> float:
    """Returns the share of the given program's statements that stand in `code`, in order; 1.0 for a small program, and
    if one of the two does not parse."""
    try:
        before, after = _statements(given), _statements(code)
    except UNREADABLE:
        return 1.0
    if len(before) < _FEW_STATEMENTS:
        return 1.0
    kept = sum(high - low for kind, low, high, _, _ in hunks(before, after) if kind == "equal")
    return kept / len(before)


def _statements(code: str) -> list[str]:
    """Returns the lines of a program in one spelling, without comments and docstrings."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.ClassDef | ast.Module) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return [line.strip() for line in ast.unparse(tree).splitlines() if line.strip()]


def unified(before: str, after: str, before_name: str = "before", after_name: str = "after") -> str:
    """Returns the unified diff of two sources, file by file if there are several; "" when they are equal."""
    old, new = split_files(before), split_files(after)
    if old is not None and new is not None:
        paths = [path for path in (*new, *(path for path in old if path not in new)) if old.get(path) != new.get(path)]
        parts = (
            unified(old.get(path, ""), new.get(path, ""), f"{before_name}/{path}", f"{after_name}/{path}")
            for path in paths
        )
        return "\n".join(parts)
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), fromfile=before_name, tofile=after_name, lineterm=""
    )
    return "\n".join(lines)


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
