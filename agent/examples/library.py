"""Names of the standard library that people use as if everybody knew them: `f(date(2020, 5, 1))`."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from agent.source.parsing import module_of, names_set_by
from agent.source.standard import HOMES, home_of

from .types import Example

_BUILTINS = frozenset(dir(builtins))


def self_contained(examples: Sequence[Example], known: Collection[str], code: str) -> Iterator[Example]:
    """Yields the examples, each with an import for every name of the library that it uses. Left out are examples with a
    name that stands for nothing: no name of the task (`known`), nothing that the given `code` binds, and nothing that
    the example makes itself."""
    own = {name.partition(".")[0] for name in known} | names_set_by(ast.walk(module_of(code))) | _BUILTINS | {"pytest"}
    for example in examples:
        nodes = [*ast.walk(module_of(example.source))]
        used = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        missing = used - own - names_set_by(nodes)
        homes = {name: home for name in sorted(missing) if (home := home_of(name)) and _is_called(name, nodes)}
        modules = sorted((missing - homes.keys()) & sys.stdlib_module_names)
        if missing <= {*homes, *modules}:
            lines = [*(f"from {home} import {name}" for name, home in homes.items()), *(f"import {m}" for m in modules)]
            yield _importing(example, lines, of_values=set(modules) <= {*HOMES}) if lines else example


def _importing(example: Example, lines: Sequence[str], *, of_values: bool) -> Example:
    """Returns the example with the imports. A call that needs more of the library than the classes of values is no
    expression that can be evaluated elsewhere."""
    call, expected = (example.call, example.expected) if of_values else (None, None)
    return replace(example, source="\n".join([*lines, example.source]), call=call, expected=expected)


def _is_called(name: str, nodes: Sequence[ast.AST]) -> bool:
    called = (node.func for node in nodes if isinstance(node, ast.Call))
    return any(isinstance(function, ast.Name) and function.id == name for function in called)
