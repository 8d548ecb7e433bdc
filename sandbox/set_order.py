"""Decides whether the order of a set, which depends on the seed of str hashes, may show in what a program does.

The decision is read from the source. Any use of a set may show its order, except a few that cannot: comparing sets,
measuring one, or asking for a member. A set from elsewhere was made by the tests, which are read too, or by a library,
which counts as showing."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from functools import lru_cache

from .child.suite.plan import strains_a_parser
from .types import Program

_MADE = frozenset(("set", "frozenset"))
_SHOWING_WORDS = """
__hash__ Set AbstractSet MutableSet WeakSet __abstractmethods__ all_tasks as_completed wait available_timezones
stdlib_module_names builtin_module_names sched_getaffinity literal_eval pickle marshal shelve gc
sets frozensets from_type
"""
_SHOWING = frozenset(_SHOWING_WORDS.split())
"""Names without `set` in them that give a set, or a number that a seed or an address decides."""
_SHOWING_BUILTINS = frozenset(("hash", "id", "eval", "exec", "compile"))
_VIEWS = frozenset(("keys", "items"))
_PLAIN_CALLS = frozenset(
    ("list", "tuple", "dict", "sorted", "enumerate", "len", "zip", "max", "min", "sum", "any", "all", "iter", "map")
)
"""Functions that read a view of a dict's keys in the dict's own order."""
_BLIND = frozenset(("len", "isinstance", "issubclass", "cast", "bool"))
_ORDERING = re.compile(r"__[lg][te]__|total_ordering|order\s*=\s*True")
_KNOWN = frozenset(("solution", "numpy", "pandas", "matplotlib", "pytest", "hypothesis", "__future__"))
"""Modules whose results never show the order of a set of theirs."""
_SUSPECT = re.compile(
    r"[{]|[sS]ets?\b|import|keys|items|hash|\b(?:id|eval|exec|compile|all_tasks|as_completed|wait|available_timezones)\b|_names"
    r"|__abstract|affinity|literal_eval"
)
"""A source without any of these cannot show an order; most programs need no closer look."""


def may_show(program: Program) -> bool:
    """Returns whether a pass has to be repeated under another seed."""
    own = frozenset(path.partition("/")[0].removesuffix(".py") for path in (*program.package, *program.files))
    sources = (program.solution, program.tests or "", *program.package.values())
    return any(path.endswith(".py") for path in program.files) or any(_shows(source, own) for source in sources)


@lru_cache(maxsize=256)
def _shows(source: str, own: frozenset[str]) -> bool:
    if _SUSPECT.search(source) is None:
        return False
    if strains_a_parser(source):
        return True
    try:
        visitor = _SetVisitor(own, orders=bool(_ORDERING.search(source)))
        visitor.visit(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return visitor.shows


class _SetVisitor(ast.NodeVisitor):
    def __init__(self, own: frozenset[str], orders: bool) -> None:
        self._own = own
        self._orders = orders
        """Whether objects of the program's own classes have an order. Equal objects may then be told apart."""
        self.shows = False

    def visit_Set(self, node: ast.AST) -> None:  # noqa: ARG002 - the protocol's signature
        self.shows = True

    visit_SetComp = visit_Set

    def visit_Name(self, node: ast.Name) -> None:
        self.shows = self.shows or node.id in _MADE | _SHOWING | _SHOWING_BUILTINS

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.shows = self.shows or node.attr in _SHOWING or node.attr in _VIEWS
        self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._look([node.left, *node.comparators], unordered=True)

    def visit_Call(self, node: ast.Call) -> None:
        name = _name(node.func)
        sorts = name == "sorted" and not node.keywords and not self._orders
        self.visit(node.func)
        self._look(node.args, unordered=sorts or name in _BLIND, views=name in _PLAIN_CALLS)
        self._look([word.value for word in node.keywords])

    def visit_For(self, node: ast.For | ast.AsyncFor | ast.comprehension) -> None:
        self._look([node.iter], views=True)
        self._look(inner for inner in ast.iter_child_nodes(node) if inner is not node.iter)

    visit_AsyncFor = visit_comprehension = visit_For

    def generic_visit(self, node: ast.AST) -> None:
        """Visits all parts except annotations, which name types."""
        types = [getattr(node, name, None) for name in ("annotation", "returns")] + getattr(node, "type_params", [])
        self._look(inner for inner in ast.iter_child_nodes(node) if inner not in types)

    def visit_Import(self, node: ast.Import) -> None:
        self._imported([alias.name for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._imported([node.module or ""] if not node.level else [])
        self.shows = self.shows or any(alias.name in _SHOWING for alias in node.names)

    def _imported(self, modules: Iterable[str]) -> None:
        tops = {module.partition(".")[0] for module in modules}
        known = tops <= (sys.stdlib_module_names | _KNOWN | self._own)
        self.shows = self.shows or not known or not tops.isdisjoint(_SHOWING)

    def _look(self, nodes: Iterable[ast.AST], unordered: bool = False, views: bool = False) -> None:
        """Visits nodes that are handed to some function. `unordered` says that it asks for no order of a set; `views`
        says that it reads a dict view only in the dict's own order."""
        for node in nodes:
            if unordered and isinstance(node, ast.Set | ast.SetComp):
                self.generic_visit(node)
            elif unordered and isinstance(node, ast.Name) and node.id in _MADE:
                continue
            elif isinstance(node, ast.Call) and unordered and _name(node.func) in _MADE:
                self._look(node.args, views=True)
            elif isinstance(node, ast.Call) and (views or unordered) and getattr(node.func, "attr", "") in _VIEWS:
                self._look(ast.iter_child_nodes(node.func))
            else:
                self.visit(node)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
