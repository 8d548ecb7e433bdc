"""Asynchronous functions: a check that is made from a call and a value waits for the answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from .state import Origin, Task

MADE_OF_CALLS: tuple[Origin, ...] = ("task", "answer", "kept", "symptom", "arbiter", "critic")
"""Whose checks the agent itself writes from a call and a value."""
_ASKED = re.compile(
    r"async|ass?[i\u00ed]ncron|await|[ck]oroutin|corrutin|corotin|\u0430\u0441\u0438\u043d\u0445\u0440\u043e\u043d|\u043a\u043e\u0440\u0443\u0442\u0438\u043d"
    r"|\u5f02\u6b65|\u534f\u7a0b|\u975e\u540c\u671f|\u30b3\u30eb\u30fc\u30c1\u30f3",
    re.I,
)
"""Words of a task, or of its code, by which an asynchronous function may be what is asked for."""


def awaited_in(task: Task, code: str) -> frozenset[str]:
    """The functions and methods of a program for whose answers one has to wait; none where the task, with the code that
    came with it, does not speak of such: there a coroutine is no right answer."""
    if not _ASKED.search(f"{task.text}\n{task.code or ''}"):
        return frozenset()
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    return frozenset(n.name for n in nodes if isinstance(n, ast.AsyncFunctionDef) and not _yields(n))


def _yields(function: ast.AsyncFunctionDef) -> bool:
    return any(isinstance(node, ast.Yield) for node in ast.walk(function))


def wait_in(source: str, names: Collection[str]) -> str:
    """The source with `asyncio.run(...)` around each call of `names` for which nobody waits yet."""
    tree = ast.parse(source)
    waiting = _Waiting(names)
    changed = waiting.visit(tree)
    return ast.unparse(changed) if waiting.found else source


class _Waiting(ast.NodeTransformer):
    def __init__(self, names: Collection[str]) -> None:
        self.names, self.found = names, False

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func) == "asyncio.run":
            return node
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in self.names:
            return node
        self.found = True
        return ast.Call(ast.parse("asyncio.run", mode="eval").body, [node], [])
