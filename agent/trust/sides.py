"""Limits of the task, "50 or more", and comparisons that put their number on the other side, `total > 50`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Literal

from agent.examples.clauses.quantities import numbers_in
from agent.examples.vocabulary import any_of
from agent.source.parsing import module_of

Side = Literal["more", "less"]
"""Whether the number itself is among what is more, or among what is less."""
_LEAST = 3
"""Smaller whole numbers stand in programs for other reasons, too."""
_WORDS = 40
"""Characters before and behind a number among which the words of its limit are looked for."""
_MIRRORED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE,
}  # fmt: skip
_GROWING = frozenset({"append", "appendleft", "add", "insert", "extend", "put", "push"})
_SIDES: Mapping[type[ast.cmpop], Side] = {ast.Lt: "more", ast.GtE: "more", ast.Gt: "less", ast.LtE: "less"}
"""Of the number on the right."""


def misplaced(code: str, text: str, shown: Collection[str] = ()) -> list[str]:
    """A sentence on each limit of the task's `text` that every comparison with its number contradicts; none on a number
    that stands in an example (`shown`), for what holds at the limit was executed there."""
    compared = list(_compared(module_of(code)))
    found: list[str] = []
    for number, (side, words) in _limits(text).items():
        own = [(told, line) for other, told, line in compared if other[0] == number]
        sides = {other[1] for other, _, _ in compared if other[0] == number}
        if own and side not in sides and not any(_holds(one, number) for one in shown):
            told, line = own[0]
            found.append(f"line {line}: `{told}` has {number:g} on the other side than “{words}” of the task")
    return found


def _holds(source: str, number: float) -> bool:
    return any(value == number for value, _, _ in numbers_in(source, 0, len(source)))


def _limits(text: str) -> dict[float, tuple[Side, str]]:
    """Each number that is a limit by the words next to it, and its side; not one that is told of as both."""
    found: dict[float, tuple[Side, str]] = {}
    both: set[float] = set()
    for number, start, end in numbers_in(text, 0, len(text)):
        if number.is_integer() and abs(number) < _LEAST:
            continue
        for side in ("more", "less"):
            before, after = _words(side)
            lead = before.search(text, max(0, start - _WORDS), start)
            rest = after.match(text, end, end + _WORDS)
            if lead is None and rest is None and side == "more":
                lead, rest = _from_on(text, start, end)
            if lead is None and rest is None:
                continue
            told = text[lead.start() if lead else start : rest.end() if rest else end]
            if found.setdefault(number, (side, " ".join(told.split())))[0] != side:
                both.add(number)
    return {number: told for number, told in found.items() if number not in both}


def _from_on(text: str, start: int, end: int) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """ "from 10 pieces on": each part alone says nothing."""
    before, after = _frame(any_of("from_limit"), any_of("on_limit"))
    lead, rest = before.search(text, max(0, start - _WORDS), start), after.match(text, end, end + _WORDS)
    return (lead, rest) if lead and rest else (None, None)


def _words(side: Side) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return _frame(any_of(f"with_{side}"), any_of(f"with_{side}_after"))


@cache
def _frame(lead: str, rest: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What ends before the number, and what begins behind it or behind its unit."""
    before = rf"(?<!\w){lead}\s+$"
    after = rf"\s*(?:%|€|\$|[^\W\d]+)?\s*(?<!\w){rest}(?!\w)"
    return re.compile(before, re.I), re.compile(after, re.I)


def _compared(tree: ast.Module) -> Iterator[tuple[tuple[float, Side], str, int]]:
    """Each comparison by size with a number, or with a name that is set to one once."""
    nodes = list(ast.walk(tree))
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    once = {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and stored.count(node.targets[0].id) == 1
    }
    counted = {ast.unparse(one) for node in nodes for one in _counted(node)}
    for node in nodes:
        if not isinstance(node, ast.Compare):
            continue
        for left, sign, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            mirrored = _MIRRORED.get(type(sign), type(sign))
            for side, other, operator in ((right, left, type(sign)), (left, right, mirrored)):
                value = _number(once.get(side.id, side) if isinstance(side, ast.Name) else side)
                if value is not None and operator in _SIDES and ast.unparse(_measured(other)) not in counted:
                    yield (value, _SIDES[operator]), ast.unparse(node), node.lineno


def _counted(node: ast.AST) -> list[ast.expr]:
    """What a statement or a loop counts, or makes longer. It is compared before the next one as well as after it: `if
    len(found) >= 5: break` keeps at most 5."""
    if isinstance(node, ast.AugAssign) and (_number(node.value) is not None or _is_display(node.value)):
        return [node.target]
    if isinstance(node, ast.Assign):
        return [one.value for one in node.targets if isinstance(one, ast.Subscript)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GROWING:
        return [node.func.value]
    if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Call):
        first = node.target.elts[0] if isinstance(node.target, ast.Tuple) else node.target
        return [first] if ast.unparse(node.iter.func).rpartition(".")[2] in ("enumerate", "range", "count") else []
    return []


def _is_display(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple | ast.JoinedStr | ast.Constant)


def _measured(node: ast.expr) -> ast.expr:
    """That of which a length is taken."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and node.args:
        return node.args[0]
    return node


def _number(node: ast.expr) -> float | None:
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
