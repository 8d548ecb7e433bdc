"""Reads claims of growth, such as O(n log n), as functions of the size, and fits the exponent of what was measured."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Collection, Sequence

from agent.state.findings import Scaling

_T_95 = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306}
"""Student's t for a two-sided 95 % interval, by degrees of freedom."""
_BEYOND = 1e300
"""Stands for a value that overflows."""


def growth_function(claim: str, names: Collection[str] = ()) -> Callable[[float], float] | None:
    """Returns the function inside the brackets of a big O, with every variable taken as the size; None when it is not
    understood. `names` holds words for variables besides single letters."""
    text = claim.lower().replace("^", "**").replace("√", "sqrt ").replace("·", "*")
    text = re.sub(r"(\w+)\s*!", r"factorial(\1)", text)
    text = re.sub(r"\b(log|sqrt)(?:\s*\*\*\s*(\d))?\s+(?:(log|sqrt)\s+)?(\w+)", _applied, text)
    text = re.sub(r"(?<=[\w)])\s+(?=[a-z(])|(?<=\d)(?=[a-z(])|(?<=\))(?=[a-z(])", "*", text)
    try:
        node = ast.parse(text.strip(), mode="eval").body
        unknown = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and len(n.id) > 1} - {
            *_SIZES,
            *names,
            *_FUNCTIONS,
        }
        _value(node, 2.0)
    except (SyntaxError, ValueError, OverflowError):
        return None
    return None if unknown else lambda size: _bounded(node, size)


def _applied(match: re.Match[str]) -> str:
    name, power, inner, variable = match.groups()
    told = f"{name}({inner}({variable}))" if inner else f"{name}({variable})"
    return f"{told}**{power}" if power else told


def _bounded(node: ast.expr, size: float) -> float:
    try:
        return min(_BEYOND, max(_value(node, size), 1e-9))
    except OverflowError:
        return _BEYOND


def _value(node: ast.expr, size: float) -> float:
    """Computes the expression. Raises ValueError for anything but sums, products, powers and the usual functions."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name():
            return size
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, size), _value(right, size))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as args) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(arg, size) for arg in args))
        case _:
            raise ValueError("not a growth")


def _divided(one: float, other: float) -> float:
    return one / max(other, 1e-9)


def _log(size: float) -> float:
    return math.log(max(size, 1.1))


def _root(size: float) -> float:
    return math.sqrt(max(size, 0.0))


def _factorial(size: float) -> float:
    return math.gamma(size + 1)


_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divided,
    ast.Pow: math.pow,
}
_SIZES = ("length", "size", "rows", "cols", "columns", "nodes", "edges", "vertices", "target", "amount", "capacity")
"""Words for a variable, besides single letters."""
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "log": _log,
    "lg": _log,
    "ln": _log,
    "log2": _log,
    "sqrt": _root,
    "factorial": _factorial,
    "min": min,
    "max": max,
    "len": float,
}


def scaling_of(points: Sequence[tuple[float, float]]) -> Scaling:
    """Fits the logarithms of (size, amount) by least squares and returns the slope with its 95 % interval. Needs at
    least three points."""
    logs = [(math.log(size), math.log(max(amount, 1e-9))) for size, amount in points]
    mean_x, mean_y = (sum(axis) / len(logs) for axis in zip(*logs, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in logs)
    freedom = len(logs) - 2
    reach = _T_95.get(freedom, 2.0) * math.sqrt(rest / freedom / spread)
    return Scaling(round(slope, 3), round(slope - reach, 3), round(slope + reach, 3))


def exponent_of(claim: Callable[[float], float], sizes: Sequence[float]) -> float:
    """Returns the exponent that the claim itself has between the smallest and the largest size."""
    low, high = min(sizes), max(sizes)
    if claim(high) >= _BEYOND:
        return math.inf
    return math.log(claim(high) / claim(low)) / math.log(high / low)


def explodes(claim: Callable[[float], float]) -> bool:
    """Returns whether the claim, such as O(2^n) or O(n!), grows faster than any power of the size."""
    return exponent_of(claim, (16, 32)) > exponent_of(claim, (4, 8)) + 1
