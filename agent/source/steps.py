"""Writes steps that depend on one another, such as a session that a person typed, as one expression, and reads them out
of it again. A step that names something is a loop over one value, so nothing of the program is overwritten."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .parsing import expression_of, module_of
from .uses import OUTCOME

_NOTHING = "_"
"""The name to which steps are bound that name nothing."""
_MOST = 15
"""The most steps of one expression; Python allows 20 loops within one another."""


def as_expression(steps: Sequence[ast.stmt], asked: str) -> str | None:
    """Returns the expression whose value is that of `asked` after the steps; None without a step that names something,
    or if some step cannot be written so."""
    loops = [_loop(step) for step in steps]
    if not steps or len(steps) > _MOST or None in loops or not any(isinstance(step, ast.Assign) for step in steps):
        return None
    return f"[{asked} {' '.join(filter(None, loops))}][0]"


def steps_of(call: str) -> tuple[tuple[str, ...], str] | None:
    """Returns the statements, and what is asked after them, of such an expression; None for any other one."""
    node = expression_of(call)
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.ListComp):
        return None
    last, loops = node.slice, node.value.generators
    whole = isinstance(last, ast.Constant) and last.value == 0
    if not whole or not all(isinstance(each.iter, ast.List) and len(each.iter.elts) == 1 for each in loops):
        return None
    done = [_statement(each.target, each.iter.elts[0]) for each in loops if isinstance(each.iter, ast.List)]
    return tuple(done), ast.unparse(node.value.elt)


def _loop(step: ast.stmt) -> str | None:
    """Returns the step as a loop over one value; None for a statement that is no expression and names nothing."""
    match step:
        case ast.Assign(targets=[ast.Name() | ast.Tuple() as target], value=value):
            name, done = ast.unparse(target), ast.unparse(value)
        case ast.Assign(targets=[ast.Subscript(value=whole, slice=place)], value=value) if not isinstance(
            place, ast.Slice
        ):
            name, done = _NOTHING, f"{ast.unparse(whole)}.__setitem__({ast.unparse(place)}, {ast.unparse(value)})"
        case ast.Assign(targets=[ast.Attribute(value=whole, attr=attribute)], value=value):
            name, done = _NOTHING, f"setattr({ast.unparse(whole)}, {attribute!r}, {ast.unparse(value)})"
        case ast.AugAssign(target=ast.Name(id=name)):
            done = ast.unparse(ast.BinOp(ast.Name(name), step.op, step.value))
        case ast.Expr(value=value) | ast.Assert(test=ast.Compare(left=value)):
            name, done = _NOTHING, ast.unparse(value)
        case ast.For(target=target, iter=values, body=[ast.Expr(value=value)], orelse=[]):
            name, done = (
                _NOTHING,
                f"[{ast.unparse(value)} for {ast.unparse(target)} in {ast.unparse(values)}]",
            )
        case ast.Try(body=[ast.Expr(value=value)], handlers=[_], orelse=[], finalbody=[]):
            name, done = _NOTHING, f"{OUTCOME}(lambda: {ast.unparse(value)})"
        case _:
            return None
    return f"for {name} in [{done}]"


def _statement(target: ast.expr, value: ast.expr) -> str:
    name = ast.unparse(target).strip("()") if isinstance(target, ast.Tuple) else ast.unparse(target)
    if name != _NOTHING:
        return f"{name} = {ast.unparse(value)}"
    guarded = isinstance(value, ast.Call) and ast.unparse(value.func) == OUTCOME
    if not guarded or not isinstance(value, ast.Call) or not isinstance(value.args[0], ast.Lambda):
        return ast.unparse(value)
    tried = ast.unparse(value.args[0].body)
    return ast.unparse(module_of(f"try:\n    {tried}\nexcept Exception:\n    pass"))
