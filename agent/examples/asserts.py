"""`assert` lines of a task text: an assert says what has to hold, whatever stands around it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from agent.inputs import split_assert
from agent.parsing import expression_of, module_of

from .names import Names
from .page import Page
from .types import Example

_LINE = re.compile(r"^[ \t>*-]*`?((?:assert\s|(?:self\.)?assertEquals?\()[^\n]+?)`?[ \t]*$", re.M)
_PLAIN = {"abs", "len", "sorted", "set", "list", "tuple", "round", "sum", "all", "any", "str", "int", "isinstance"}
"""Builtins that an assert of the task text may use."""


def assert_examples(page: Page) -> Iterator[Example]:
    """The asserts that only use names the text speaks of, builtins and literals; `assertEqual` is one of them."""
    for match in _LINE.finditer(page.text):
        source = _as_assert(match.group(1).strip())
        if source is not None and _is_clear(source, page.names) and not _is_doubted(page, match.start()):
            told = page.reading.quote(match.start(1), match.end(1))
            yield Example(source, told, *(split_assert(source) or (None, None)))


def _as_assert(line: str) -> str | None:
    """The assert statement itself; for `self.assertEqual(a, b)` the one that says the same; None for anything else."""
    if line.startswith("assert "):
        return line
    node = expression_of(line.removeprefix("self."))
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    return f"assert {ast.unparse(node.args[0])} == {ast.unparse(node.args[1])}"


def _is_doubted(page: Page, place: int) -> bool:
    """Whether the line above takes it back ("these are wrong:")."""
    above = page.text[:place].rstrip()
    return page.doubts.between(above.rfind("\n") + 1, len(above), "denied", "supposed", "reported", "about")


def _is_clear(source: str, names: Names) -> bool:
    body = module_of(source).body
    if len(body) != 1 or not isinstance(body[0], ast.Assert):
        return False
    test = body[0].test
    used = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    dotted = any(isinstance(node, ast.Attribute) for node in ast.walk(test))
    vague = any(isinstance(node, ast.Constant) and node.value is Ellipsis for node in ast.walk(test))
    allowed = names.known | _PLAIN
    return bool(used & names.known) and used <= allowed and not dotted and not vague
