"""Rewrites assert statements so that a failing one can tell the values it compared."""

from __future__ import annotations

import ast
from typing import NamedTuple, TypeVar

EXPLAIN = "@explain"
FAILURE = "@failure"
UNSET = "@unset"

_Node = TypeVar("_Node", bound=ast.AST)


class Site(NamedTuple):
    """One assert of the source: what its recorded values mean. Slots are indexes into the recorded values."""

    kind: str
    """compare, value, not, and, or"""
    node: ast.expr
    slots: tuple[int, ...] = ()
    parts: tuple[Site, ...] = ()


class _Builder:
    """Builds one assert's condition; every operand worth telling is stored under a name no source can spell."""

    def __init__(self, at: ast.stmt) -> None:
        self._at = at
        self.count = 0
        self.lazy = False

    def condition(self, node: ast.expr) -> tuple[ast.expr, Site]:
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner, site = self.condition(node.operand)
            return self.located(ast.UnaryOp(ast.Not(), inner)), Site("not", node, parts=(site,))
        if isinstance(node, ast.BoolOp):
            self.lazy = True
            pairs = [self.condition(value) for value in node.values]
            kind = "and" if isinstance(node.op, ast.And) else "or"
            joined = self.located(ast.BoolOp(node.op, [pair[0] for pair in pairs]))
            return joined, Site(kind, node, parts=tuple(pair[1] for pair in pairs))
        recorded, slot = self._record(node)
        return recorded, Site("value", node, (slot,))

    def _compare(self, node: ast.Compare) -> tuple[ast.expr, Site]:
        self.lazy = self.lazy or len(node.ops) > 1
        pairs = [self._record(operand) for operand in (node.left, *node.comparators)]
        compared = ast.Compare(pairs[0][0], node.ops, [pair[0] for pair in pairs[1:]])
        return self.located(compared), Site("compare", node, tuple(pair[1] for pair in pairs))

    def _record(self, node: ast.expr) -> tuple[ast.expr, int]:
        name = f"@v{self.count}"
        self.count += 1
        return self.located(ast.NamedExpr(self.located(ast.Name(name, ast.Store())), node)), self.count - 1

    def located(self, node: _Node) -> _Node:
        return ast.copy_location(node, self._at)

    def names(self, context: ast.expr_context) -> list[ast.expr]:
        return [self.located(ast.Name(f"@v{i}", context)) for i in range(self.count)]

    def store(self, value: ast.expr) -> ast.stmt:
        return self.located(ast.Assign(self.names(ast.Store()), value))

    def load(self, name: str) -> ast.expr:
        return self.located(ast.Name(name, ast.Load()))


def rewrite(tree: ast.Module) -> list[Site]:
    """Replace every assert below `tree` in place; the sites are what EXPLAIN's first argument counts."""
    sites: list[Site] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            block: list[ast.AST] | None = getattr(node, name, None)
            if type(block) is list:
                _block(block, waiting, sites)
    return sites


def _block(block: list[ast.AST], waiting: list[ast.AST], sites: list[Site]) -> None:
    replaced: list[ast.AST] = []
    for node in block:
        if isinstance(node, ast.Assert):
            replaced += _replace(node, sites)
        else:
            replaced.append(node)
            waiting.append(node)
    block[:] = replaced


def _replace(node: ast.Assert, sites: list[Site]) -> list[ast.stmt]:
    """`if not <condition>: raise failure(explain(site, (values), message))`, and the values are let go either way."""
    build = _Builder(node)
    condition, site = build.condition(node.test)
    values = build.located(ast.Tuple(build.names(ast.Load()), ast.Load()))
    told: list[ast.expr] = [build.located(ast.Constant(len(sites))), values, *([node.msg] if node.msg else [])]
    text = build.located(ast.Call(build.load(EXPLAIN), told, []))
    raised = build.located(ast.Raise(build.located(ast.Call(build.load(FAILURE), [text], []))))
    test = build.located(ast.UnaryOp(ast.Not(), condition))
    released = build.store(build.located(ast.Constant(None)))
    sites.append(site)
    check = build.located(ast.If(test, [raised], [released]))
    return [build.store(build.load(UNSET)), check] if build.lazy else [check]
