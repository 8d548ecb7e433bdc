"""Makes checks wait for asynchronous functions: a check built from a call and a value must await the answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from agent.source.parsing import module_of
from agent.state import Origin, Task

MADE_OF_CALLS: tuple[Origin, ...] = ("task", "answer", "kept", "symptom", "arbiter", "critic")
"""Origins whose checks the agent itself writes from a call and a value."""
_ASKED = re.compile(
    r"async|ass?[i\u00ed]ncron|await|[ck]oroutin|corrutin|corotin|\u0430\u0441\u0438\u043d\u0445\u0440\u043e\u043d|\u043a\u043e\u0440\u0443\u0442\u0438\u043d"
    r"|\u5f02\u6b65|\u534f\u7a0b|\u975e\u540c\u671f|\u30b3\u30eb\u30fc\u30c1\u30f3",
    re.I,
)
"""Words of a task, or of its code, that show that an asynchronous function may be wanted."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LITERALS = (ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple, ast.JoinedStr)
"""Literal expressions. Their methods are Python's own, even if the program has a method of the same name."""


def awaited_in(task: Task, code: str) -> frozenset[str]:
    """Returns the names of the program's coroutine functions and methods. Returns none unless the task or its given
    code speaks of asynchronous code: in other tasks a coroutine is a wrong answer and must fail its check."""
    if not _ASKED.search(f"{task.text}\n{task.code or ''}"):
        return frozenset()
    nodes = ast.walk(module_of(code))
    return frozenset(n.name for n in nodes if isinstance(n, ast.AsyncFunctionDef) and not _yields(n))


def _yields(function: ast.AST) -> bool:
    """Returns whether the function itself yields; what a nested function yields is not counted."""
    own = (node for node in ast.iter_child_nodes(function) if not isinstance(node, _SCOPES))
    return any(isinstance(node, ast.Yield) or _yields(node) for node in own)


def wait_in(source: str, names: Collection[str]) -> str:
    """Returns the source with `asyncio.run(...)` around each call of `names`. Nothing inside an `await` or a call of
    `asyncio` is changed. Raises SyntaxError."""
    tree = ast.parse(source)
    waiting = _Waiting(names)
    changed = waiting.visit(tree)
    return ast.unparse(changed) if waiting.found else source


def _called(function: ast.expr) -> str:
    match function:
        case ast.Name(name):
            return name
        case ast.Attribute(value, name) if not isinstance(value, _LITERALS):
            return name
        case _:
            return ""


class _Waiting(ast.NodeTransformer):
    def __init__(self, names: Collection[str]) -> None:
        self.names, self.found = names, False

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func).startswith("asyncio."):
            return node
        self.generic_visit(node)
        if _called(node.func) not in self.names:
            return node
        self.found = True
        return ast.Call(ast.parse("asyncio.run", mode="eval").body, [node], [])
