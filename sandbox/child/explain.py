"""Words for a failed assert: what was compared, where it came from, and the first difference."""

from __future__ import annotations

import ast
import sys
from itertools import zip_longest
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any

from .rewrite import EXPLAIN, FAILURE, UNSET, Site, rewrite
from .words import clean, show

_SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_UNTOLD = (ModuleType, FunctionType, BuiltinFunctionType, type)
_NAMES_TOLD = 8


class Unset:
    """Stands for an operand that was never evaluated."""


def explaining(source: str) -> dict[str, Any]:
    """The names that a rewritten suite calls; its source is read again when the first assert fails."""
    sites: list[Site] = []

    def explain(index: int, values: tuple[Any, ...], *message: Any) -> str:
        if not sites:
            sites.extend(rewrite(ast.parse(source)))
        site = sites[index]
        lines = [say(text) for text in message]
        lines += _tell(site, values)
        lines += _names(site.node, sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        return clean("\n".join(dict.fromkeys(lines)))

    return {EXPLAIN: explain, FAILURE: AssertionError, UNSET: Unset}


def say(message: object) -> str:
    """An assert's own message: text as it stands, anything else as its repr."""
    return clean(message) if type(message) is str else show(message)


def _tell(site: Site, values: tuple[Any, ...]) -> list[str]:
    if site.kind == "compare":
        return _tell_compare(site, values)
    if site.kind == "value":
        shown = show(values[site.slots[0]])
        return [f"assert {shown}", f"  where {shown} = {_source(site.node)}"]
    if site.kind == "not":
        inner = _tell(site.parts[0], values)
        return [f"assert not {inner[0].removeprefix('assert ')}", *inner[1:]]
    lines = [f"assert {_source(site.node)}"]
    for part in site.parts:
        if not _is_unset(part, values):
            lines += [f"  {line.removeprefix('assert ')}" for line in _tell(part, values)]
    return lines


def _is_unset(site: Site, values: tuple[Any, ...]) -> bool:
    if site.parts:
        return all(_is_unset(part, values) for part in site.parts)
    return values[site.slots[0]] is Unset


def _tell_compare(site: Site, values: tuple[Any, ...]) -> list[str]:
    node = site.node
    assert isinstance(node, ast.Compare)
    operands = [node.left, *node.comparators]
    shown = ["..." if values[slot] is Unset else show(values[slot]) for slot in site.slots]
    line = f"assert {shown[0]}"
    for operator, text in zip(node.ops, shown[1:], strict=True):
        line += f" {_SYMBOLS[type(operator)]} {text}"
    lines = [line]
    for operand, text in zip(operands, shown, strict=True):
        if not isinstance(operand, ast.Constant | ast.Name) and (source := _source(operand)) != text:
            lines.append(f"  where {text} = {source}")
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
        left, right = values[site.slots[0]], values[site.slots[1]]
        swapped = _is_literal(node.left) and not _is_literal(node.comparators[0])
        lines += _difference(left, right)
        lines += [f"actual: {shown[swapped]}", f"expected: {shown[not swapped]}"]
    return lines


def _is_literal(node: ast.expr) -> bool:
    return not any(isinstance(inner, ast.Name | ast.Call) for inner in ast.walk(node))


def _source(node: ast.expr) -> str:
    return clean(ast.unparse(node), 300)


def _names(node: ast.expr, frame: FrameType) -> list[str]:
    """`x = 2` for the variables of the assert, read where it failed."""
    lines: list[str] = []
    for name in dict.fromkeys(n.id for n in ast.walk(node) if isinstance(n, ast.Name)):
        value = frame.f_locals.get(name, frame.f_globals.get(name, Unset))
        if value is not Unset and not isinstance(value, _UNTOLD) and len(lines) < _NAMES_TOLD:
            lines.append(f"  with {name} = {show(value, 300)}")
    return lines


def _difference(left: Any, right: Any) -> list[str]:
    """Where two builtin containers of one type first differ, for those too long to see it at a glance."""
    if type(left) is not type(right):
        builtin = type(left).__module__ == type(right).__module__ == "builtins"
        return [f"  types differ: {type(left).__name__} and {type(right).__name__}"] if builtin else []
    if type(left) in (list, tuple, str, bytes):
        return _first_difference(left, right) if max(len(left), len(right)) > 3 else []
    if type(left) in (set, frozenset):
        return _only("left", left - right) + _only("right", right - left)
    both: Any = (left, right)
    return _key_difference(*both) if type(left) is dict else []


def _key_difference(left: dict[Any, Any], right: dict[Any, Any]) -> list[str]:
    keys = [key for key in left if key in right and not _same(left[key], right[key])]
    told = [f"  at key {show(key)}: {show(left[key], 200)} != {show(right[key], 200)}" for key in keys[:3]]
    return told + _only("left", left.keys() - right.keys()) + _only("right", right.keys() - left.keys())


def _only(side: str, items: Any) -> list[str]:
    return [f"  only {side}: {show(set(items), 300)}"] if items else []


def _first_difference(left: Any, right: Any) -> list[str]:
    for index, (a, b) in enumerate(zip_longest(left, right, fillvalue=Unset)):
        if a is Unset or b is Unset:
            return [f"  equal up to index {index}, then one ends: lengths {len(left)} and {len(right)}"]
        if not _same(a, b):
            return [f"  first difference at index {index}: {show(a, 200)} != {show(b, 200)}"]
    return []


def _same(a: Any, b: Any) -> bool:
    try:
        return bool(a is b or a == b)
    except BaseException:  # noqa: BLE001 - a foreign __eq__ may raise anything; the assert itself has failed already
        return False
