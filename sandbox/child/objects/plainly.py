"""Computes expressions of the program with plain values, on the tests' side.

Nothing of the program is run for it: an expression is read part by part, and where a part could run the program's code,
or is not known here, Unclear is raised."""

from __future__ import annotations

import ast
import math
import operator
import sys
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, cast

SIMPLE: tuple[Any, ...] = (bool, int, float, complex, str, bytes, type(None))
MANY: tuple[Any, ...] = (list, tuple, set, frozenset)
_KNOWN = (*SIMPLE, *MANY, dict, range, date, datetime, time, timedelta, Decimal, Fraction)
_NOTHING: dict[Any, Any] = {}
VIEWS: tuple[Any, ...] = (type(_NOTHING.keys()), type(_NOTHING.values()), type(_NOTHING.items()))
_TYPES: tuple[Any, ...] = (bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict)
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (len, isinstance, abs, min, max, sum, round, any, all, sorted, range, *_TYPES)
}
"""Names that are taken for what Python means by them."""
_ANY_OBJECT = ("len", "isinstance")
"""Functions that ask a builtin object nothing of what it holds."""
_READING = frozenset(("keys", "values", "items", "get"))
_FORMATTING = ("format", "format_map")
_Operations = dict[type[ast.AST], Callable[..., Any]]
_OF_ONE: _Operations = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_OF_TWO: _Operations = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv},
    **{ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitOr: operator.or_},
}
_COMPARING: _Operations = {
    **{ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le},
    **{ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not},
    **{ast.In: lambda *sides: sides[0] in sides[1], ast.NotIn: lambda *sides: sides[0] not in sides[1]},
}


class Unclear(Exception):
    """Raised where only the other process can say what happens."""


def plain(value: Any) -> Any:
    """Returns the value if it holds no object of the program. Raises Unclear."""
    kind = cast(Any, type(value))
    if kind not in _KNOWN and kind not in VIEWS:
        raise Unclear
    if (kind is datetime or kind is time) and not _is_zone(value.tzinfo):
        raise Unclear
    for part in _parts(value):
        plain(part)
    return value


def _is_zone(zone: Any) -> bool:
    """Returns whether this is no time zone, or one of the standard library."""
    known = getattr(sys.modules.get("zoneinfo"), "ZoneInfo", timezone)
    return zone is None or type(zone) in (timezone, known)


def _parts(value: Any) -> list[Any]:
    """Returns the values that a plain value holds."""
    kind = cast(Any, type(value))
    if kind is range:
        return [value.start, value.stop, value.step]
    return [*value, *(value.values() if kind is dict else ())] if kind in (*MANY, *VIEWS, dict) else []


class Expressions(ast.NodeVisitor):
    """Gives the values of expressions over names and one object."""

    def __init__(self, thing: Any, names: dict[str, Any], attribute: Callable[[str], Any]) -> None:
        """`attribute` returns an attribute of the object, and raises KeyError for a name that is not known here."""
        self.names = names
        self._thing, self._attribute = thing, attribute

    def generic_visit(self, node: ast.AST) -> Any:  # noqa: ARG002 - the protocol's signature
        raise Unclear

    def holds(self, node: ast.expr) -> bool:
        """Returns whether an expression is true."""
        value = self.visit(node)
        if type(value) not in _KNOWN:
            raise Unclear
        return bool(value)

    def items(self, node: ast.expr) -> list[Any]:
        """Returns what a loop over an expression goes through."""
        value = self.visit(node)
        if type(value) not in (*MANY, *VIEWS, range, str, dict):
            raise Unclear
        return [*value]

    def visit_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in self.names:
            return self.names[node.id]
        if _FUNCTIONS.get(node.id) in _TYPES:
            return _FUNCTIONS[node.id]
        raise Unclear

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if not isinstance(node.value, ast.Name) or self.names.get(node.value.id) is not self._thing:
            raise Unclear
        return self._attribute(node.attr)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        wanted = isinstance(node.op, ast.And)
        decided = next((part for part in node.values[:-1] if self.holds(part) is not wanted), node.values[-1])
        return self.visit(decided)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return not self.holds(node.operand)
        return _OF_ONE[type(node.op)](plain(self.visit(node.operand)))

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        sides = [self.visit(node.left), self.visit(node.right)]
        return _OF_TWO[type(node.op)](*(side if type(side) is type else plain(side) for side in sides))

    def visit_Compare(self, node: ast.Compare) -> bool:
        values = [self.visit(part) for part in (node.left, *node.comparators)]
        if not all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            values = [*map(plain, values)]
        return all(_COMPARING[type(op)](*sides) for op, sides in zip(node.ops, pairwise(values), strict=True))

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return self.visit(node.body if self.holds(node.test) else node.orelse)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        return plain(self.visit(node.value))[plain(self.visit(node.slice))]

    def visit_Tuple(self, node: ast.Tuple) -> Any:
        return tuple(map(self.visit, node.elts))

    def visit_List(self, node: ast.List) -> Any:
        return [*map(self.visit, node.elts)]

    def visit_Set(self, node: ast.Set) -> Any:
        return {plain(self.visit(part)) for part in node.elts}

    def visit_Dict(self, node: ast.Dict) -> Any:
        keys = [plain(self.visit(key)) if key else self.generic_visit(node) for key in node.keys]
        return dict(zip(keys, map(self.visit, node.values), strict=True))

    def visit_GeneratorExp(self, node: ast.GeneratorExp | ast.ListComp) -> Any:
        return [*self._each(node.elt, node.generators)]

    visit_ListComp = visit_GeneratorExp

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        return {*map(plain, self._each(node.elt, node.generators))}

    def _each(self, part: ast.expr, loops: list[ast.comprehension]) -> Iterator[Any]:
        (loop,) = loops
        items, outside = self.items(loop.iter), self.names
        self.names = {**outside}
        for item in items:
            self.names[cast(ast.Name, loop.target).id] = item
            if all(map(self.holds, loop.ifs)):
                yield self.visit(part)
        self.names = outside

    def visit_Call(self, node: ast.Call) -> Any:
        if node.keywords:
            raise Unclear
        args = [self.visit(arg) for arg in node.args]
        if isinstance(node.func, ast.Name):
            return self._called(node.func.id, args)
        if not isinstance(node.func, ast.Attribute) or node.func.attr.startswith("__"):
            raise Unclear
        return self._method(node.func.value, node.func.attr, args)

    def _called(self, name: str, args: list[Any]) -> Any:
        if name in self.names:
            raise Unclear
        if name == "type" and len(args) == 1:
            return cast(Any, type(args[0]))
        if name not in _FUNCTIONS:
            raise Unclear
        return _FUNCTIONS[name](*(args if name in _ANY_OBJECT else map(plain, args)))

    def _method(self, owner: ast.expr, name: str, args: list[Any]) -> Any:
        if isinstance(owner, ast.Name) and owner.id == "math" and "math" not in self.names:
            return getattr(math, name)(*map(plain, args))
        thing: Any = plain(self.visit(owner))
        kind = cast(Any, type(thing))
        if not (kind is str and name not in _FORMATTING) and not (kind is dict and name in _READING):
            raise Unclear
        return getattr(thing, name)(*map(plain, args))
