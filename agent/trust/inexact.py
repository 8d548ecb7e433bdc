"""Whole numbers made from fractions: where floating point gives another one than exact arithmetic does."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

_WHOLE: Mapping[str, Callable[[Any], int]] = {
    "int": int, "ceil": math.ceil, "floor": math.floor, "trunc": math.trunc, "round": round,
}  # fmt: skip
_REACH = {1: 300, 2: 40, 3: 10}
"""How far the values of so many variables are tried; more variables are not."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEEP = 4
"""Names that are followed to what they were set to, one after the other."""


@dataclass(frozen=True, slots=True)
class Inexact:
    expression: str
    told: str


@lru_cache(maxsize=64)
def inexact_signs(code: str) -> tuple[Inexact, ...]:
    """One for each expression that rounds a fraction to a whole number and is wrong by it for small whole numbers, as
    `math.ceil(p / 100 * n)` is for p = 7 and n = 100. Whether the program ever meets them is not looked at."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(dict.fromkeys(sign for node in ast.walk(tree) for sign in _in_function(node)))


def _in_function(scope: ast.AST) -> Iterator[Inexact]:
    if not isinstance(scope, (*_FUNCTIONS, ast.Module)):
        return
    nodes = [node for node in ast.walk(scope) if node is not scope]
    inner = {id(deep) for node in nodes if isinstance(node, _FUNCTIONS) for deep in ast.walk(node)}
    nodes = [node for node in nodes if id(node) not in inner]
    told = _set_once(nodes)
    for node in nodes:
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in _WHOLE and (wrong := _first_wrong(_WHOLE[name], node.args[0], told)):
                text = ast.unparse(node)
                yield Inexact(text, f"line {node.lineno}: in floating point `{text}` is {wrong}")


def _set_once(nodes: list[ast.AST]) -> dict[str, ast.expr]:
    """What each name stands for that is set in one place only."""
    bound = [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    return {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and bound.count(node.targets[0].id) == 1
    }


def _first_wrong(whole: Callable[[Any], int], node: ast.expr, told: Mapping[str, ast.expr]) -> str:
    """The smallest values for which the float is rounded to another whole number, in words; "" where there are none."""
    leaves: dict[str, None] = {}
    formula = _formula(node, told, leaves, _DEEP)
    if formula is None or not 0 < len(leaves) <= len(_REACH) or not _is_fraction(formula):
        return ""
    names, reach = list(leaves), _REACH[len(leaves)]
    asked = product(range(1, reach + 1), repeat=len(names))
    for values in asked if len(names) == 1 else sorted(asked, key=max):
        try:
            rough = whole(_value(formula, dict(zip(names, values, strict=True)), float))
            exact = whole(_value(formula, dict(zip(names, values, strict=True)), Fraction))
        except (ArithmeticError, ValueError):
            continue
        if rough != exact:
            given = " and ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))
            return f"{rough} instead of {exact} for {given}"
    return ""


def _formula(node: ast.expr, told: Mapping[str, ast.expr], leaves: dict[str, None], deep: int) -> ast.expr | None:
    """The expression with names replaced by what they were set to; what is no arithmetic is a variable, noted in
    `leaves`. None for an operation that is not exact by itself."""
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right):
            parts = [_formula(part, told, leaves, deep) for part in (left, right)]
            return None if None in parts else ast.BinOp(parts[0], node.op, parts[1])  # type: ignore[arg-type]
        case ast.Constant(value) if type(value) in (int, float):
            return node
        case ast.Name(name) if deep and isinstance(told.get(name), ast.BinOp):
            return _formula(told[name], told, leaves, deep - 1)
        case ast.Name() | ast.Call() | ast.Attribute() | ast.Subscript():
            leaves.setdefault(ast.unparse(node))
            return node
        case _:
            return None


def _is_fraction(node: ast.expr) -> bool:
    parts = list(ast.walk(node))
    decimal = any(isinstance(part, ast.Constant) and isinstance(part.value, float) for part in parts)
    return decimal or any(isinstance(part, ast.Div) for part in parts)


def _value(node: ast.expr, values: Mapping[str, int], kind: type[float] | type[Fraction]) -> Any:
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, values, kind), _value(node.right, values, kind)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case _:
                return left / right
    if isinstance(node, ast.Constant):
        return kind(str(node.value))
    return kind(values[ast.unparse(node)])
