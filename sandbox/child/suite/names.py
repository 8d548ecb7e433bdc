"""Finds out what a suite takes from the solution: which names, and which of them in place of Python's own."""

from __future__ import annotations

import ast
import builtins
import symtable
import sys
from collections.abc import Iterable, Iterator, Sequence

from .plan import Function, at_import

_MODULES = sys.stdlib_module_names | {"np", "pd", "plt", "numpy", "pandas", "matplotlib", "pytest"}
BY_TEXT = frozenset(("eval", "exec", "globals", "locals", "vars", "dir"))
"""Names by which a suite may look up or bind a name that it does not mention."""


def given_names(public: Iterable[str], mentioned: frozenset[str]) -> list[str]:
    """Returns the public names to hand to a suite before it asks: those it mentions, or all if it may look names up by
    text."""
    everything = not mentioned.isdisjoint(BY_TEXT)
    return [name for name in public if everything or name in mentioned]


def hiding_names(tests: str, given: Sequence[str], module: str, sources: Iterable[str]) -> set[str]:
    """Returns those of `given` that the suite uses as a builtin or as a module of that name, without having imported or
    defined them itself, and those that a later `from module import *` puts over a name of the suite. There the solution
    answers where a reader expects Python or the tests, so it could make a check pass. `sources` are the program's."""
    suspects = {name for name in given if name in builtins.__dict__ or name in _MODULES}
    starred = f"from {module} import *" in tests
    if not (suspects or starred):
        return set()
    tree = ast.parse(tests)
    bound = _bound_before_star(tree, module) if starred else {}
    replaced = {name for name in given if name in bound}
    if any(bound[name] for name in replaced):
        same = set(_imported_names(node for source in sources for node in ast.walk(ast.parse(source))))
        replaced = {name for name in replaced if (*bound[name], name) not in same}
    asked_as_module = {
        node.value.id for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    taken = _taken_from_outside(symtable.symtable(tests, "tests", "exec"))
    return replaced | {name for name in suspects & taken if name in builtins.__dict__ or name in asked_as_module}


def _bound_before_star(tree: ast.Module, module: str) -> dict[str, tuple[str, ...]]:
    """Returns the names that the suite has before it takes all names of the solution, each with the module and the name
    there that it was imported by; (), for any other. A program that imports the same gives nothing of its own."""
    bound: dict[str, tuple[str, ...]] = {}
    before: dict[str, tuple[str, ...]] = {}
    for node in at_import(tree.body):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            before |= bound if any(alias.name == "*" for alias in node.names) else {}
        elif isinstance(node, ast.Import):
            bound |= {(alias.asname or alias.name).partition(".")[0]: () for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            bound |= {name: (origin, there) for origin, there, name in _imported_names([node])}
        elif isinstance(node, Function | ast.ClassDef):
            bound[node.name] = ()
        else:
            stored = (part for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
            bound |= {part.id: () for part in stored}
    return before


def _imported_names(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str, str]]:
    """Yields module, name there and name here of what these statements import out of modules."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name, alias.asname or alias.name) for alias in node.names)


def _taken_from_outside(module: symtable.SymbolTable) -> set[str]:
    """Returns the names that the suite looks up as globals and never binds as globals."""
    taken: set[str] = set()
    bound: set[str] = set()
    waiting = [module]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        for symbol in table.get_symbols():
            if symbol.is_global() or table is module:
                made_here = symbol.is_assigned() or symbol.is_imported()
                (bound if made_here else taken).add(symbol.get_name())
    return taken - bound


_CONDITIONS = ("skipif", "skipIf", "skipUnless", "mark.xfail")
"""Marks that may skip a check or not."""


def skips_alone(tests: str, module: str) -> bool:
    """Returns whether all that the conditions of marks in a suite name are modules, none of them the program's."""
    if not any(word in tests for word in _CONDITIONS):
        return True
    calls = [node for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.Call)]
    marks = [call for call in calls if ast.unparse(call.func).endswith(_CONDITIONS)]
    asked = {node.id for mark in marks for node in ast.walk(mark) if isinstance(node, ast.Name)}
    by_text = any(
        isinstance(one, ast.Constant) and isinstance(one.value, str) for mark in marks for one in mark.args[:1]
    )
    return not by_text and asked <= (_MODULES | {*dir(builtins)}) - {module}
