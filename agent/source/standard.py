"""Classes and modules of the standard library that people write into calls as if everybody had imported them:
`date(2020, 5, 1)`, `datetime.date(2020, 5, 1)`, `Decimal("1.5")`."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any

from .parsing import UNREADABLE, expression_of, module_of, names_set_by

HOMES = ("datetime", "decimal", "fractions", "collections", "pathlib", "zoneinfo", "uuid", "io")
"""The modules whose classes people write as values."""
_VALUES = ("datetime", "decimal", "fractions")
"""Those whose objects are values: they never change, and equal ones are alike in everything."""
_BUILTINS = frozenset(dir(builtins))


def home_of(name: str) -> str:
    """Returns the module that defines a class of this name; "" if none of the usual ones does, or Python itself."""
    return "" if name in _BUILTINS else next((home for home in HOMES if is_home(home, name)), "")


@lru_cache(maxsize=4096)
def is_home(module: str, name: str) -> bool:
    """Returns whether the module, one of `HOMES`, defines a class of this name."""
    found = getattr(import_module(module), name, None)
    return isinstance(found, type) and found.__module__.split(".")[0] in (module, f"_{module}")


def is_value(node: ast.expr) -> bool:
    """Returns whether the expression is a literal, a date, a duration, a decimal or a fraction, or holds nothing
    else; False for one that is nested too deeply."""
    try:
        return _is_value(node)
    except RecursionError:
        return False


def _is_value(node: ast.expr) -> bool:
    match node:
        case ast.List(items) | ast.Tuple(items) | ast.Set(items):
            return all(map(_is_value, items))
        case ast.Dict(keys, values):
            return all(key is not None and _is_value(key) for key in keys) and all(map(_is_value, values))
        case ast.Call(ast.Name("set"), [], []):
            return True
        case ast.Call(function, arguments, named):
            made = made_by(function) in _VALUES
            return made and all(map(_is_short, [*arguments, *(keyword.value for keyword in named)]))
        case ast.UnaryOp(ast.USub() | ast.UAdd(), number) | ast.BinOp(
            number, ast.Add() | ast.Sub(), ast.Constant(complex())
        ):
            return _is_value(number)
        case ast.Constant(value):
            return value is not Ellipsis
        case _:
            return False


def _is_short(node: ast.expr) -> bool:
    """Returns whether an argument is a value of few signs without an exponent, so that making an object of it costs
    nothing."""
    return is_value(node) and (
        isinstance(node, ast.Call) or re.fullmatch(r"[^eE*]{1,80}", ast.unparse(node)) is not None
    )


def value_of(text: str) -> tuple[Any] | None:
    """Returns the value that a text spells, in a tuple of one; None for a text that spells none."""
    node = expression_of(text)
    if node is None or not is_value(node):
        return None
    try:
        tree = ast.fix_missing_locations(ast.Expression(_Spelled().visit(node)))
        return (eval(compile(tree, "value", "eval"), {"set": set} | {home: import_module(home) for home in _VALUES}),)
    except (*UNREADABLE, ArithmeticError, TypeError):
        return None


class _Spelled(ast.NodeTransformer):
    """Spells the classes with their modules."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id != "set":
            home = ast.Name(home_of(node.func.id), ast.Load())
            return ast.Call(ast.Attribute(home, node.func.id, ast.Load()), node.args, node.keywords)
        return node


def made_by(function: ast.expr) -> str:
    """Returns the module of the class that is called as `date(...)` or `datetime.date(...)`; "" for anything else."""
    match function:
        case ast.Name(name):
            return home_of(name)
        case ast.Attribute(ast.Name(module), name) if module in HOMES and is_home(module, name):
            return module
        case _:
            return ""


@lru_cache(maxsize=4096)
def with_standard_names(call: str, code: str) -> str:
    """Returns the call so that it means the same in every program: what it uses of the standard library and the program
    does not import, or imports as something else, comes with it. What the program defines itself is left to it."""
    tree = expression_of(call)
    wanted = dict(_wanted(ast.walk(tree))) if tree is not None else {}
    bound = _bound_in(code) if wanted else {}
    missing = {name: origin for name, origin in wanted.items() if bound.get(name, "") not in (origin, _OWN)}
    if not missing or not _can_be_read(code):
        return call
    values = ", ".join(_imported(origin) for origin in missing.values())
    return f"(lambda {', '.join(missing)}: {call})({values})"


MODULE = "solution"
"""The module that holds the program under test."""
_OWN = "its own"


def with_imports(tests: str, code: str) -> str:
    """Returns the tests of the program with the imports that they lack: what they use of the standard library, and
    neither they nor the program import, or the program imports as something else; and what they use of the program
    that `from solution import *` hides, because a task may ask for a function `_sum`."""
    wanted, used, first = _lacking(tests)
    bound = _bound_in(code) if wanted or any(name.startswith("_") for name in used) else {}
    missing = {name: origin for name, origin in wanted.items() if bound.get(name, "") not in (origin, _OWN)}
    missing |= {name: f"{MODULE}.{name}" for name in used if name.startswith("_") and bound.get(name) == _OWN}
    if not missing or not _can_be_read(code):
        return tests
    lines = [_import_of(name, origin) for name, origin in sorted(missing.items())]
    told = tests.splitlines(keepends=True)
    return "".join([*told[:first], *lines, *told[first:]])


@lru_cache(maxsize=64)
def _lacking(tests: str) -> tuple[dict[str, str], frozenset[str], int]:
    """Returns what the tests use of the standard library and give no meaning to themselves, as name -> origin; all
    names that they use so; and how many lines have to stay in front of an import. One suite is run on many programs,
    such as mutants."""
    tree = module_of(tests)
    nodes = [*ast.walk(tree)]
    own = names_set_by(nodes)
    wanted = {name: origin for name, origin in _wanted(nodes) if name not in own}
    used = frozenset(node.id for node in nodes if isinstance(node, ast.Name)) - own
    futures = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
    return wanted, used, max((node.end_lineno or 0 for node in futures), default=0)


def _import_of(name: str, origin: str) -> str:
    return f"import {origin}\n" if name == origin else f"from {origin.partition('.')[0]} import {name}\n"


def _can_be_read(code: str) -> bool:
    """Returns whether the names of the program are known. A program of several files is no text of one module."""
    return bool(module_of(code).body)


def _wanted(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yields (name, origin) for what code of these nodes takes from the standard library: "datetime" or
    "datetime.date"."""
    for node in nodes:
        match node:
            case ast.Attribute(ast.Name(module), name) if module in sys.stdlib_module_names:
                of_class = module in HOMES and not hasattr(import_module(module), name) and home_of(module)
                yield module, f"{module}.{module}" if of_class else module
            case ast.Call(ast.Name(name)) if home := home_of(name):
                yield name, f"{home}.{name}"
            case ast.Attribute(ast.Name(name)) if home := home_of(name):
                yield name, f"{home}.{name}"
            case _:
                continue


@lru_cache(maxsize=64)
def _bound_in(code: str) -> dict[str, str]:
    """Returns for each name of the module what it stands for: "datetime", "datetime.date", or something of its own."""
    bound: dict[str, str] = {}
    for node in module_of(code).body:
        if isinstance(node, ast.Import):
            bound |= {alias.asname or alias.name.split(".")[0]: alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            bound |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound[node.name] = _OWN
        elif isinstance(node, ast.Assign):
            bound |= {target.id: _OWN for target in node.targets if isinstance(target, ast.Name)}
    return bound


def defined_in(code: str) -> list[str]:
    """Returns the names that the top of a module defines or assigns, without what it imports."""
    return [name for name, origin in _bound_in(code).items() if origin == _OWN]


def _imported(origin: str) -> str:
    module, _, name = origin.partition(".")
    return f"__import__({module!r})" + (f".{name}" if name else "")
