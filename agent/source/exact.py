"""Makes the exact twin of a program: the same program whose divisions, roots and logarithms of whole numbers never come
out on the wrong side of a whole number, as floating point lets them do."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from .parsing import UNREADABLE, module_of

_ROOTS: Mapping[str, int] = {"sqrt": 2, "cbrt": 3}
_LOGARITHMS: Mapping[str, int] = {"log2": 2, "log10": 10}
_HELPERS = """
import math as _exact_math
from fractions import Fraction as _ExactFraction
if not hasattr(_ExactFraction, "is_integer"):
    _ExactFraction.is_integer = lambda self: self.denominator == 1
def _exact_same_side(rough, exact):
    try:
        return all(of(rough) == of(exact) for of in (_exact_math.floor, _exact_math.ceil, round))
    except (TypeError, ValueError, OverflowError):
        return False
def _exact_ratio(above, below):
    whole = all(type(one) in (int, _ExactFraction) for one in (above, below)) and below != 0
    exact = _ExactFraction(above, below) if whole else None
    try:
        rough = above / below
    except OverflowError:
        return exact
    return rough if exact is None or _exact_same_side(rough, exact) else exact
def _exact_beside(rough, low, perfect):
    if rough == low if perfect else low < rough < low + 1:
        return rough
    return low + _ExactFraction(0 if perfect else 1 if rough <= low else 3, 4)
def _exact_root(of, number, degree):
    rough = of(number)
    if type(number) is not int or number < 1 or not 1 < degree < 9:
        return rough
    low, high = 1, 1 << number.bit_length() // degree + 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle ** degree <= number else (low, middle - 1)
    return _exact_beside(rough, low, low ** degree == number)
def _exact_log(of, number, base):
    rough = of(number)
    if type(number) is not int or type(base) is not int or number < 1 or base < 2:
        return rough
    low = 0
    while base ** (low + 1) <= number:
        low += 1
    return _exact_beside(rough, low, base ** low == number)
"""


@lru_cache(maxsize=64)
def exact_twin(code: str) -> tuple[str, tuple[str, ...]]:
    """Returns the twin and the expressions that it computes exactly, as they stand in the program; ("", ()) for a
    program without such an expression."""
    tree = module_of(code)
    maker = _Maker(_names_of_math(tree))
    try:
        made = ast.unparse(ast.fix_missing_locations(maker.visit(tree)))
    except UNREADABLE:
        return "", ()
    if not maker.replaced:
        return "", ()
    first = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    head = "".join(f"{ast.unparse(node)}\n" for node in first)
    return f"{head}{_HELPERS}{made.removeprefix(head)}", tuple(dict.fromkeys(maker.replaced))


def _names_of_math(tree: ast.Module) -> dict[str, str]:
    """Returns how the program calls the functions of `math`: "math.sqrt" or "sqrt" -> "sqrt"."""
    called: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "math":
                    names = (*_ROOTS, *_LOGARITHMS, "log")
                    called |= {f"{alias.asname or 'math'}.{name}": name for name in names}
        if isinstance(node, ast.ImportFrom) and node.module == "math":
            called |= {alias.asname or alias.name: alias.name for alias in node.names}
    return called


class _Maker(ast.NodeTransformer):
    """Replaces the expressions, innermost first, and notes them."""

    def __init__(self, of_math: Mapping[str, str]) -> None:
        self.of_math = of_math
        self.replaced: list[str] = []

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        told = ast.unparse(node)
        match node:
            case ast.BinOp(base, ast.Pow(), ast.Constant(0.5)):
                made = self._rooted(base, "lambda _exact_n: _exact_n ** 0.5", ast.Constant(2))
            case ast.BinOp(base, ast.Pow(), ast.BinOp(ast.Constant(1 | 1.0), ast.Div(), ast.Constant(int() as degree))):
                made = self._rooted(base, f"lambda _exact_n: _exact_n ** (1 / {degree})", ast.Constant(degree))
            case ast.BinOp(left, ast.Div(), right):
                made = _call("_exact_ratio", self.visit(left), self.visit(right))
            case _:
                return self._inside(node)
        self.replaced.append(told)
        return made

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if not isinstance(node.op, ast.Div) or not isinstance(node.target, ast.Name):
            self.generic_visit(node)
            return node
        self.replaced.append(ast.unparse(node))
        value = _call("_exact_ratio", ast.Name(node.target.id, ast.Load()), self.visit(node.value))
        return ast.Assign(targets=[node.target], value=value)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        of = ast.unparse(node.func)
        name = "" if node.keywords else self.of_math.get(of, "")
        match name, node.args:
            case (("sqrt" | "cbrt"), [number]):
                made = self._rooted(number, of, ast.Constant(_ROOTS[name]))
            case (("log2" | "log10"), [number]):
                made = _call("_exact_log", _read(of), self.visit(number), ast.Constant(_LOGARITHMS[name]))
            case "log", [number, ast.Constant() | ast.Name() as base]:
                rough = _read(f"lambda _exact_n: {of}(_exact_n, {ast.unparse(base)})")
                made = _call("_exact_log", rough, self.visit(number), base)
            case _:
                return self._inside(node)
        self.replaced.append(ast.unparse(node))
        return made

    def _rooted(self, base: ast.expr, of: str, degree: ast.expr) -> ast.expr:
        return _call("_exact_root", _read(of), self.visit(base), degree)

    def _inside(self, node: ast.expr) -> ast.expr:
        self.generic_visit(node)
        return node


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(func=ast.Name(name, ast.Load()), args=[*arguments], keywords=[])


def _read(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
