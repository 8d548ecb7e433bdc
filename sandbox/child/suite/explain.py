"""Explains a failed assert by pytest's own rewriting of asserts; used only in the run that explains a failure."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from _pytest.assertion import rewrite, util

from ..load import TESTS
from ..words import TEXT_LIMIT, clean, show

_LONG = 10_000
"""Characters of a text."""
_LINES = 8
"""Lines that tell where two values differ."""


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


def _difference(left: Any, right: Any) -> Iterator[str]:
    """Yields pytest's own words for where two values differ. Of long texts none: looking for that takes too long."""
    if isinstance(left, str) and isinstance(right, str) and max(len(left), len(right)) > _LONG:
        return iter(())
    words = util.assertrepr_compare(
        "==", left, right, verbose=0, highlighter=util.dummy_highlighter, assertion_text_diff_style="ndiff"
    )
    return islice((clean(line, TEXT_LIMIT) for line in islice(words, 1, None) if line), _LINES)
