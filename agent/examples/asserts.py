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
from .vocabulary import any_of, pattern

_LINE = re.compile(r"^[ \t>*-]*`?((?:assert\s|(?:self\.)?assertEquals?\()[^\n]+?)`?[ \t]*$", re.M)
_PLAIN = {"abs", "len", "sorted", "set", "list", "tuple", "round", "sum", "all", "any", "str", "int", "isinstance"}
"""Builtins that an assert of the task text may use."""


_EQUALS = re.compile(r"(?<![=!<>])==(?!=)")
_BEGINS = re.compile(r"(?:^|[\s`:;,(])(?=[\w(\[{'\"])", re.M)
_ENDS = re.compile(rf"(?<=[\w)\]}}'\"])(?=[ \t]*(?:$|[`.,;)](?!\w))|[ \t]+{any_of('and_word')}(?!\w))", re.M)
"""Where the second side of an equation may end: nothing behind it says more of it."""
_LONGEST = 200
"""Characters on either side of an equation."""


def assert_examples(page: Page) -> Iterator[Example]:
    """The asserts that only use names the text speaks of, builtins and literals; `assertEqual` is one of them."""
    for match in _LINE.finditer(page.text):
        source = _as_assert(match.group(1).strip())
        if source is not None and _is_clear(source, page.names) and not _is_doubted(page, match.start()):
            told = page.reading.quote(match.start(1), match.end(1))
            yield Example(source, told, *(split_assert(source) or (None, None)))


def equation_examples(page: Page) -> Iterator[Example]:
    """Equations of running text that are no plain "f(2) == 4": `list(f(3)) == [1, 2]`, `A(1) + A(2) == A(3)`."""
    if page.reporting:
        return
    for sign in _EQUALS.finditer(page.text):
        left = _side(page, [match.end() for match in _BEGINS.finditer(page.text, *_near(page, sign))], sign.start())
        right = _side(page, sign.end(), [match.start() for match in _ENDS.finditer(page.text, *_near(page, sign))])
        if left is None or right is None or _is_unsure(page, left[0], right[1]):
            continue
        source = f"assert {page.text[left[0] : right[1]].strip()}"
        pair = split_assert(source)
        if _is_clear(source, page.names) and (pair is None or pair[0].partition("(")[0] not in page.names.known):
            told = page.reading.quote(*page.reading.sentence(left[0], right[1]))
            yield Example(source, told, *(pair or (None, None)))


def _near(page: Page, sign: re.Match[str]) -> tuple[int, int]:
    """The line of a sign, or the part around it."""
    begin, stop = page.text.rfind("\n", 0, sign.start()) + 1, page.text.find("\n", sign.end())
    stop = stop if stop >= 0 else len(page.text)
    return max(begin, sign.start() - _LONGEST), min(stop, sign.end() + _LONGEST)


def _side(page: Page, starts: int | list[int], stops: int | list[int]) -> tuple[int, int] | None:
    """The longest expression of known names between one of the starts and one of the stops; None without any."""
    first = [starts] if isinstance(starts, int) else starts
    last = [stops] if isinstance(stops, int) else stops[::-1]
    spans = ((start, stop) for start in first for stop in last if start < stop)
    return next(((start, stop) for start, stop in spans if _is_side(page.text[start:stop].strip(), page.names)), None)


def _is_side(text: str, names: Names) -> bool:
    if not text or text[0] in "-+*":
        return False
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    if isinstance(node, ast.BoolOp | ast.Compare | ast.IfExp) or (isinstance(node, ast.Tuple) and text[0] != "("):
        return False
    used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return used <= names.known | _PLAIN and not any(isinstance(one, ast.Attribute) for one in ast.walk(node))


def _is_unsure(page: Page, start: int, stop: int) -> bool:
    """Whether anything around the equation says that it may not hold, or not always."""
    text, (begin, end) = page.reading.masked, page.reading.sentence(start, stop)
    end = stop if text[stop : stop + 1] in ".;" else end
    doubted = page.doubts.between(begin, end, "denied", "supposed", "imagined", "reported", "about")
    return doubted or page.doubts.asked(begin, end) or pattern("condition").search(text, begin, end) is not None


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
