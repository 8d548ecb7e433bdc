"""Names of the standard library that people use as if everybody knew them: `f(date(2020, 5, 1))`."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from agent.source.parsing import module_of
from agent.source.standard import HOMES, home_of, is_home

from .types import Example

_BUILTINS = frozenset(dir(builtins))


def makes_a_value(function: ast.expr) -> bool:
    """Returns whether the expression names a class of the library whose objects people write as values: `date`,
    `datetime.date`."""
    if isinstance(function, ast.Attribute):
        return (
            isinstance(function.value, ast.Name)
            and function.value.id in HOMES
            and is_home(function.value.id, function.attr)
        )
    return isinstance(function, ast.Name) and bool(home_of(function.id))


def self_contained(examples: Sequence[Example], known: Collection[str], code: str) -> Iterator[Example]:
    """Yields the examples, each with an import for every name of the library that it uses. Left out are examples with a
    name that stands for nothing: no name of the task (`known`), nothing that the given `code` binds, and nothing that
    the example makes itself."""
    own = {name.partition(".")[0] for name in known} | _bound_in(ast.walk(module_of(code))) | _BUILTINS | {"pytest"}
    for example in examples:
        nodes = [*ast.walk(module_of(example.source))]
        used = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        missing = used - own - _bound_in(nodes)
        homes = {name: home for name in sorted(missing) if (home := home_of(name)) and _is_called(name, nodes)}
        modules = sorted((missing - homes.keys()) & sys.stdlib_module_names)
        if missing <= {*homes, *modules}:
            lines = [*(f"from {home} import {name}" for name, home in homes.items()), *(f"import {m}" for m in modules)]
            yield _importing(example, lines) if lines else example


def _importing(example: Example, lines: Sequence[str]) -> Example:
    """Returns the example with the imports; its call is then no expression that can be evaluated elsewhere."""
    return replace(example, source="\n".join([*lines, example.source]), call=None, expected=None)


def _is_called(name: str, nodes: Sequence[ast.AST]) -> bool:
    called = (node.func for node in nodes if isinstance(node, ast.Call))
    return any(isinstance(function, ast.Name) and function.id == name for function in called)


def _bound_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Returns the names that the nodes bind: assigned, defined, imported, caught, or taken as a parameter."""
    bound = set[str]()
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.ExceptHandler(name=str(name)):
                bound.add(name)
            case ast.Import() | ast.ImportFrom():
                bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            case _:
                pass
    return bound
