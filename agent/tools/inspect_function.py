"""The tool `inspect_function`: describes a function or class of the candidate, read from its AST."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from agent.source.parsing import Definition

from .tool import Tool, ToolError, Workbench, shorten, tool


async def use(bench: Workbench, arguments: Mapping[str, Any]) -> str:
    try:
        tree = ast.parse(bench.candidate.code)
    except SyntaxError as error:
        raise ToolError(f"the program does not parse: {error}") from None
    found = {name: node for name, node in _definitions(tree)}
    name = arguments["name"]
    if name not in found:
        raise ToolError(f"there is no {name!r}; defined are: {', '.join(found) or 'nothing'}")
    return shorten(_describe(name, found[name]))


def _definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield prefix + node.name, node
            yield from _definitions(node, f"{prefix}{node.name}.")


def _describe(name: str, node: Definition) -> str:
    head = ast.unparse(_without_body(node)).rsplit("\n", 1)[0]
    calls = sorted({ast.unparse(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)})
    return "\n".join(
        [
            f"{name}, lines {node.lineno}-{node.end_lineno}",
            head,
            f"docstring: {ast.get_docstring(node) or 'none'}",
            f"calls: {', '.join(calls) or 'nothing'}",
        ]
    )


def _without_body(node: Definition) -> Definition:
    bare = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(bare, Definition)
    bare.body = [ast.Pass()]
    return bare


TOOL = Tool(
    tool(
        "inspect_function",
        "Signature, docstring, lines and calls of a function, class or method (Class.method) of the current program.",
        name={"type": "string", "minLength": 1, "maxLength": 200},
    ),
    use,
)
