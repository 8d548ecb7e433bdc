"""Which public names of the solution a suite sees, and which of them hide what a reader would take them for."""

from __future__ import annotations

import ast
import builtins
import symtable
import sys
from collections.abc import Iterable

_ALIASES = frozenset(("np", "pd", "plt", "numpy", "pandas", "matplotlib", "pytest"))
_BY_TEXT = frozenset(("eval", "exec", "globals", "locals", "vars", "dir"))


def given_names(public: Iterable[str], mentioned: frozenset[str]) -> list[str]:
    """The public names to hand to a suite before it asks: those it mentions, all where it may look names up by text."""
    everything = not mentioned.isdisjoint(_BY_TEXT)
    return [name for name in public if everything or name in mentioned]


def hiding_names(tests: str, given: Iterable[str]) -> set[str]:
    """Those of `given` that the suite uses in place of a builtin, or of a module of that name, without having imported
    or defined them itself: there the solution answers where a reader expects Python."""
    suspects = {name for name in given if name in builtins.__dict__ or _names_a_module(name)}
    if not suspects:
        return set()
    tree = ast.parse(tests)
    asked_as_module = {
        node.value.id for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    taken = _taken_from_outside(symtable.symtable(tests, "tests", "exec"))
    return {name for name in suspects & taken if name in builtins.__dict__ or name in asked_as_module}


def _names_a_module(name: str) -> bool:
    return name in sys.stdlib_module_names or name in _ALIASES


def _taken_from_outside(module: symtable.SymbolTable) -> set[str]:
    """Names that the suite looks up as globals and never binds as globals."""
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
