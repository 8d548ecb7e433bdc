"""Finds expressions that cut a fraction to a whole number and, because of floating point, give another number than
exact arithmetic."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from typing import Any

from agent.source.parsing import UNREADABLE, module_of

_WHOLE: Mapping[str, Callable[[Any], int]] = {
    "int": int, "ceil": math.ceil, "floor": math.floor, "trunc": math.trunc,
}  # fmt: skip
"""`round` is left out: it differs only at an exact half, which it rounds to the even number anyway."""
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: lambda left, right: left / right,
}  # fmt: skip
_COUNTS = {"len", "sum", "count", "int"}
"""Calls that give whole numbers."""
_EXACT_MODULES, _EXACT_TYPES = {"decimal", "fractions"}, {"Decimal", "Fraction"}
_REACH, _QUOTIENT_REACH = {1: 300, 2: 40, 3: 10}, 100
"""The largest values that are tried, for expressions with one, two or three variables (with more, none are tried), and
for two variables of which one is divided by the other."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEEP, _NODES, _EXPRESSIONS = 4, 60, 20
"""How many names in a chain are followed to their values, how many parts an expression may have, and how many
expressions of a program are looked at."""
_CENTS = 100
"""How many parts a unit has in which amounts are counted."""
_NEAR = 1e-6
"""How near a float must be to a whole number, relative to it, to be cut to the wrong one."""


@dataclass(frozen=True, slots=True)
class Inexact:
    expression: str
    told: str


def inexact_signs(code: str, given: str = "", text: str = "") -> tuple[Inexact, ...]:
    """Returns one sign for each expression that is wrong for small numbers: `math.ceil(p / 100 * n)` for p = 28 and n =
    25, `int(price * 100)` for price = 0.29. Expressions of the `given` program, and those that the task's `text` itself
    holds, are left out. Whether the program ever meets such numbers is not examined."""
    before = {sign.expression for sign in _signs(given)}
    signs = (sign for sign in _signs(code) if sign.expression not in before)
    return tuple(sign for sign in signs if not _stands_in(text, sign.expression))


def _stands_in(text: str, expression: str) -> bool:
    signs = map(re.escape, "".join(expression.split()))
    return re.search(r"(?<!\w)" + r"\s*".join(signs), text) is not None


@lru_cache(maxsize=64)
def _signs(code: str) -> tuple[Inexact, ...]:
    """Returns the signs of one program; none if it uses exact fractions or decimals, or is nested too deeply."""
    tree = module_of(code)
    nodes = list(ast.walk(tree))
    if any(map(_is_exact, nodes)):
        return ()
    names = [alias for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    imported = {(alias.asname or alias.name).split(".")[0] for alias in names}
    found: dict[Inexact, None] = {}
    for node, told in islice(_roundings(tree, nodes), _EXPRESSIONS):
        try:
            found.update(dict.fromkeys(_wrong(node, _Formula(told, imported))))
        except UNREADABLE:
            continue
    return tuple(found)


def _is_exact(node: ast.AST) -> bool:
    match node:
        case ast.Import(names):
            return any(alias.name in _EXACT_MODULES for alias in names)
        case ast.ImportFrom(module):
            return module in _EXACT_MODULES
        case ast.Name(name) | ast.Attribute(attr=name):
            return name in _EXACT_TYPES
        case _:
            return False


def _roundings(tree: ast.Module, nodes: list[ast.AST]) -> Iterator[tuple[ast.Call, Mapping[str, ast.expr]]]:
    """Yields each call that makes a whole number of its single argument, with the values of the names in its
    function."""
    outer: Mapping[str, ast.expr] = {}
    for scope in (node for node in nodes if isinstance(node, (*_FUNCTIONS, ast.Module))):
        own = [node for node in ast.walk(scope) if node is not scope] if scope is not tree else nodes
        inner = {id(deep) for node in own if isinstance(node, _FUNCTIONS) for deep in ast.walk(node)}
        own = [node for node in own if id(node) not in inner]
        told = _set_once(own, outer)
        outer = told if scope is tree else outer
        for node in own:
            if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords and _called(node) in _WHOLE:
                yield node, told


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _set_once(nodes: list[ast.AST], outer: Mapping[str, ast.expr]) -> dict[str, ast.expr]:
    """Returns name -> value, for names that are set in exactly one place, or only in the module (`outer`)."""
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    bound = Counter([*stored, *(node.arg for node in nodes if isinstance(node, ast.arg))])
    return {name: value for name, value in outer.items() if not bound[name]} | {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and bound[node.targets[0].id] == 1
    }


_Rule = Callable[[Mapping[str, Any]], Any]
"""Computes an expression from the values of its variables and constants, by their texts."""


@dataclass
class _Formula:
    """An expression, with the variables, constants and quotients of two variables that are gathered while it is
    read."""

    told: Mapping[str, ast.expr]
    imported: set[str]
    leaves: dict[str, None] = field(default_factory=dict[str, None])
    constants: dict[str, None] = field(default_factory=dict[str, None])
    quotients: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    fraction: bool = False
    nodes: int = 0

    def read(self, node: ast.expr, deep: int = _DEEP) -> _Rule | None:
        """Returns how to compute the expression. Returns None for an operation that is not exact in fractions, for a
        value that may be no whole number, and for a long expression."""
        self.nodes += 1
        if self.nodes > _NODES:
            return None
        match node:
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right):
                return self._joined(node, self.read(left, deep), self.read(right, deep))
            case ast.Constant(value) if type(value) in (int, float):
                self.fraction |= type(value) is float
                return self._value(str(value), self.constants)
            case ast.Name(name) if deep and isinstance(self.told.get(name), ast.BinOp | ast.Constant):
                return self.read(self.told[name], deep - 1)
            case ast.Name() | ast.Call() | ast.Attribute() | ast.Subscript() if self._is_whole(node):
                return self._value(ast.unparse(node), self.leaves)
            case _:
                return None

    def _joined(self, node: ast.BinOp, left: _Rule | None, right: _Rule | None) -> _Rule | None:
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Div):
            self.fraction = True
            pair = ast.unparse(node.left), ast.unparse(node.right)
            if pair[0] != pair[1] and self.leaves.keys() >= set(pair):
                self.quotients.add(pair)
        operation = _ARITHMETIC[type(node.op)]
        return lambda values: operation(left(values), right(values))

    def _value(self, text: str, among: dict[str, None]) -> _Rule:
        among.setdefault(text)
        return operator.itemgetter(text)

    def _is_whole(self, node: ast.expr) -> bool:
        """Returns whether the expression may be a whole number. A module's functions and constants are not, and of
        calls only counting ones are."""
        if isinstance(node, ast.Name) and isinstance(self.told.get(node.id), ast.Call | ast.Attribute):
            return self._is_whole(self.told[node.id])
        if isinstance(node, ast.Call):
            return _called(node) in _COUNTS
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return not isinstance(node, ast.Name) or node.id not in self.imported


def _wrong(node: ast.Call, formula: _Formula) -> Iterator[Inexact]:
    """Yields, in words, the smallest values for which the float is cut to another whole number, if there are any."""
    rule, whole, names = formula.read(node.args[0]), _WHOLE[_called(node)], list(formula.leaves)
    parts = 1 if formula.fraction else _parts_of_one(node.args[0], formula)
    if rule is None or len(names) not in _REACH or not (formula.fraction or parts > 1):
        return
    rough_constants = {text: float(text) for text in formula.constants}
    exact_constants = {text: Fraction(text) for text in formula.constants}
    for counts in _tried(len(names), tuple((names.index(a), names.index(b)) for a, b in formula.quotients)):
        values = [Fraction(count, parts) for count in counts]
        try:
            rough = rule(rough_constants | dict(zip(names, map(float, values), strict=True)))
            if abs(rough - round(rough)) > _NEAR * max(1, abs(rough)):
                continue
            exact = whole(rule(exact_constants | dict(zip(names, values, strict=True))))
        except (ArithmeticError, ValueError):
            continue
        if whole(rough) != exact:
            told = (str(value if value.denominator == 1 else float(value)) for value in values)
            given = " and ".join(f"{name} = {value}" for name, value in zip(names, told, strict=True))
            text = ast.unparse(node)
            wrong = f"{whole(rough)} instead of {exact} for {given}"
            yield Inexact(text, f"line {node.lineno}: in floating point `{text}` is {wrong}")
            return


def _parts_of_one(node: ast.expr, formula: _Formula) -> int:
    """Returns _CENTS if one amount, multiplied by that, is cut to a whole number: the amount, such as money, then has
    decimals itself. Returns 1 otherwise."""
    match node:
        case ast.BinOp(thing, ast.Mult(), ast.Constant(value)) | ast.BinOp(ast.Constant(value), ast.Mult(), thing):
            counted = isinstance(formula.told.get(ast.unparse(thing)), ast.Call) or isinstance(thing, ast.Call)
            return _CENTS if value == _CENTS and len(formula.leaves) == 1 and not counted else 1
        case _:
            return 1


@lru_cache(maxsize=16)
def _tried(count: int, quotients: tuple[tuple[int, int], ...]) -> list[tuple[int, ...]]:
    """Returns values for so many variables, small ones first. If two are divided, values with a quotient of at most 1
    come first."""
    reach = _QUOTIENT_REACH if count == 2 and quotients else _REACH[count]
    asked = product(range(1, reach + 1), repeat=count)
    return sorted(asked, key=lambda values: (any(values[a] > values[b] for a, b in quotients), max(values)))
