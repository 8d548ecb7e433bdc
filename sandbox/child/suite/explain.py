"""Explains a failed assert by pytest's own rewriting of asserts; used only in the run that explains a failure."""

from __future__ import annotations

import ast
import linecache
import sys
from itertools import zip_longest
from typing import Any

from _pytest.assertion import rewrite, util

from ..load import TESTS
from ..words import show

_NOTHING = object()


def explained(tree: ast.Module, source: str) -> None:
    """Rewrites every assert below `tree` in place, so that it tells the values it compared."""
    rewrite.rewrite_asserts(tree, source.encode("utf-8", "replace"))
    util._reprcompare = _compared  # pyright: ignore[reportPrivateUsage]


def _compared(op: str, left: Any, right: Any) -> str | None:
    """Returns a failed comparison in the form that rewritten asserts take; None if pytest's own words are enough."""
    if op != "==":
        return None
    told = [show(left), show(right)]
    actual, expected = reversed(told) if _expects_left() else told
    lines = [f"{told[0]} == {told[1]}", *_difference(left, right), f"actual: {actual}", f"expected: {expected}"]
    return "\n~".join(line.replace("\n", "\\n") for line in lines).replace("%", "%%")


def _expects_left() -> bool:
    """Returns whether the failed assert has its constant on the left: `assert 3 == f(1)`."""
    frame = sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_globals.get("__name__") != TESTS:
        frame = frame.f_back
    try:
        statement = (
            ast.parse(linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()).body[0] if frame else None
        )
    except (SyntaxError, IndexError):
        return False
    test = statement.test if isinstance(statement, ast.Assert) else None
    return isinstance(test, ast.Compare) and _is_literal(test.left) and not _is_literal(test.comparators[0])


def _is_literal(node: ast.expr) -> bool:
    return not any(isinstance(inner, ast.Name | ast.Call) for inner in ast.walk(node))


def _difference(left: Any, right: Any) -> list[str]:
    """Returns where two builtin containers of one type first differ, if they are too long to see it at a glance."""
    if type(left) is not type(right):
        builtin = type(left).__module__ == type(right).__module__ == "builtins"
        return [f"types differ: {type(left).__name__} and {type(right).__name__}"] if builtin else []
    if type(left) in (list, tuple, str, bytes):
        return _first_difference(left, right) if max(len(left), len(right)) > 3 else []
    if type(left) in (set, frozenset):
        return _only("left", left - right) + _only("right", right - left)
    both: Any = (left, right)
    return _key_difference(*both) if type(left) is dict else []


def _key_difference(left: dict[Any, Any], right: dict[Any, Any]) -> list[str]:
    keys = [key for key in left if key in right and not _same(left[key], right[key])]
    told = [f"at key {show(key)}: {show(left[key], 200)} != {show(right[key], 200)}" for key in keys[:3]]
    return told + _only("left", left.keys() - right.keys()) + _only("right", right.keys() - left.keys())


def _only(side: str, items: Any) -> list[str]:
    return [f"only {side}: {show(set(items), 300)}"] if items else []


def _first_difference(left: Any, right: Any) -> list[str]:
    for index, (a, b) in enumerate(zip_longest(left, right, fillvalue=_NOTHING)):
        if a is _NOTHING or b is _NOTHING:
            return [f"equal up to index {index}, then one ends: lengths {len(left)} and {len(right)}"]
        if not _same(a, b):
            return [f"first difference at index {index}: {show(a, 200)} != {show(b, 200)}"]
    return []


def _same(a: Any, b: Any) -> bool:
    try:
        return bool(a is b or a == b)
    # a foreign __eq__ may raise anything, and the assert itself has failed already
    except BaseException:  # noqa: BLE001
        return False
