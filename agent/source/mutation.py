"""Makes mutants: programs with one small change each, which the checks must tell from the program itself."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from llm.replies.files import with_data_of, with_lasting_marks

SWAPS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Add,), ast.FloorDiv: (ast.Mult,), ast.Div: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,), ast.And: (ast.Or,), ast.Or: (ast.And,),
}  # fmt: skip
"""Operators, and those that a slip would put in their place. Changed boundaries (< and <=) survive most often."""


@dataclass(frozen=True, slots=True)
class Mutant:
    code: str
    line: int
    change: str
    """The change in words, such as "line 4: `<` became `<=`", for the person and the adversarial tester."""


def mutants(code: str, limit: int = 40) -> list[Mutant]:
    """Returns at most `limit` mutants of `code`, spread over it and all different from each other and from the
    original.

    Docstrings, annotations, text that only feeds an exception, and the main guard are left alone: no check could see a
    change there."""
    tree = ast.parse(with_lasting_marks(code))
    seen = {ast.unparse(tree)}
    sites = list(_sites(tree))
    random.Random(0).shuffle(sites)
    made: list[Mutant] = []
    for node, change in sites:
        if len(made) == limit:
            break
        kind, parts = type(node), {name: _copied(part) for name, part in vars(node).items()}
        before, after, line = change(node)
        mutated = ast.unparse(tree)
        node.__class__ = kind  # pyright: ignore[reportAttributeAccessIssue]
        vars(node).update(parts)
        if mutated not in seen:
            seen.add(mutated)
            made.append(Mutant(with_data_of(mutated, code), line, f"line {line}: `{before}` became `{after}`"))
    return sorted(made, key=lambda mutant: mutant.line)


Change = Callable[[ast.AST], tuple[str, str, int]]
"""Changes the node in place. Returns what stood there, what stands there now, and the line."""


def _copied(part: object) -> object:
    return list(cast("list[object]", part)) if isinstance(part, list) else part


def _sites(tree: ast.Module) -> Iterator[tuple[ast.AST, Change]]:
    silent = {id(node) for skipped in ast.walk(tree) for node in _silent_parts(skipped)}
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        yield from ((node, change) for change in _changes(node))


def _changes(node: ast.AST) -> list[Change]:
    """Returns the changes that a slip could make to this node."""
    match node:
        case ast.Compare():
            swaps = [(index, SWAPS.get(type(operator), ())) for index, operator in enumerate(node.ops)]
            return [_swap_compare(index, new) for index, others in swaps for new in others]
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign():
            return [_swap_operator(new) for new in SWAPS.get(type(node.op), ())]
        case ast.Constant():
            return [_set_constant(value) for value in _other_constants(node.value)]
        case ast.If() | ast.While() | ast.IfExp():
            return [_negate]
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            return [_return_none]
        case ast.Break() | ast.Continue():
            return [_swap_jump]
        case _:
            return []


def _silent_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yields descendants of `node` whose change no check can see."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield from ast.walk(first)
    if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        yield from ast.walk(node)
    if isinstance(node, ast.If) and _is_main_guard(node):
        yield from ast.walk(node)
    annotation = getattr(node, "annotation", None) or getattr(node, "returns", None)
    if isinstance(annotation, ast.AST):
        yield from ast.walk(annotation)


def _is_main_guard(node: ast.If) -> bool:
    return (
        isinstance(node.test, ast.Compare) and isinstance(node.test.left, ast.Name) and node.test.left.id == "__name__"
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _other_constants(value: object) -> tuple[object, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1,) if value == 0 else (value + 1, value - 1)
    if isinstance(value, float):
        return (value + 1.0,)
    if isinstance(value, str):
        return ("mutant",) if value == "" else ("",)
    return ()


def _set_constant(value: object) -> Change:
    def change(node: ast.AST) -> tuple[str, str, int]:
        assert isinstance(node, ast.Constant)
        before = ast.unparse(node)
        node.value = value  # pyright: ignore[reportAttributeAccessIssue]
        return before, ast.unparse(node), node.lineno

    return change


def _swap_compare(index: int, new: type[ast.AST]) -> Change:
    def change(node: ast.AST) -> tuple[str, str, int]:
        assert isinstance(node, ast.Compare)
        before = ast.unparse(node)
        node.ops[index] = new()  # pyright: ignore[reportArgumentType, reportCallIssue]
        return before, ast.unparse(node), node.lineno

    return change


def _swap_operator(new: type[ast.AST]) -> Change:
    def change(node: ast.AST) -> tuple[str, str, int]:
        assert isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign)
        before = ast.unparse(node)
        node.op = new()  # pyright: ignore[reportAttributeAccessIssue]
        return before, ast.unparse(node), node.lineno

    return change


def _negate(node: ast.AST) -> tuple[str, str, int]:
    assert isinstance(node, ast.If | ast.While | ast.IfExp)
    before = ast.unparse(node.test)
    node.test = ast.UnaryOp(op=ast.Not(), operand=node.test)
    return before, ast.unparse(node.test), node.lineno


def _return_none(node: ast.AST) -> tuple[str, str, int]:
    assert isinstance(node, ast.Return)
    before = ast.unparse(node)
    node.value = ast.Constant(None)
    return before, "return None", node.lineno


def _swap_jump(node: ast.AST) -> tuple[str, str, int]:
    assert isinstance(node, ast.Break | ast.Continue)
    before = "break" if isinstance(node, ast.Break) else "continue"
    after = "continue" if before == "break" else "break"
    node.__class__ = ast.Continue if before == "break" else ast.Break  # pyright: ignore[reportAttributeAccessIssue]
    return before, after, node.lineno
