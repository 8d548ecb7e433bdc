"""Finds out what a suite takes from the solution: which names, which of them in place of Python's own, and whether a
failure may come from a test that looks at the solution in a way that only works within one process."""

from __future__ import annotations

import ast
import builtins
import symtable
import sys
from collections.abc import Iterable, Sequence
from traceback import walk_tb
from typing import cast

from .plan import FILENAME

_MODULES = sys.stdlib_module_names | {"np", "pd", "plt", "numpy", "pandas", "matplotlib", "pytest"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef
BY_TEXT = frozenset(("eval", "exec", "globals", "locals", "vars", "dir"))
"""Names by which a suite may look up or bind a name that it does not mention."""


def given_names(public: Iterable[str], mentioned: frozenset[str]) -> list[str]:
    """Returns the public names to hand to a suite before it asks: those it mentions, or all if it may look names up by
    text."""
    everything = not mentioned.isdisjoint(BY_TEXT)
    return [name for name in public if everything or name in mentioned]


def hiding_names(tests: str, given: Sequence[str], module: str) -> set[str]:
    """Returns those of `given` that the suite uses as a builtin or as a module of that name, without having imported or
    defined them itself, and those that a later `from module import *` puts over a name of the suite. There the solution
    answers where a reader expects Python or the tests, so it could make a check pass."""
    suspects = {name for name in given if name in builtins.__dict__ or name in _MODULES}
    starred = f"from {module} import *" in tests
    if not (suspects or starred):
        return set()
    tree = ast.parse(tests)
    replaced = _bound_before_star(tree, module) & set(given) if starred else set[str]()
    asked_as_module = {
        node.value.id for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    taken = _taken_from_outside(symtable.symtable(tests, "tests", "exec"))
    return replaced | {name for name in suspects & taken if name in builtins.__dict__ or name in asked_as_module}


def _bound_before_star(tree: ast.Module, module: str) -> set[str]:
    """Returns the modules that the suite imports and the names that it defines before it takes all names of the
    solution. Names that it imports out of modules are left out: a program that imports the same gives nothing of its
    own."""
    bound: set[str] = set()
    before: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == module:
            before |= bound if any(alias.name == "*" for alias in node.names) else set()
        elif isinstance(node, ast.Import):
            bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, _Function | ast.ClassDef):
            bound.add(node.name)
    return before


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


_CONDITIONS = ("skipif", "skipIf", "skipUnless", "xfail")
"""Marks that may skip a check or not."""


def skips_alone(tests: str, module: str) -> bool:
    """Returns whether all that the conditions of marks in a suite name are modules, none of them the program's."""
    if not any(word in tests for word in _CONDITIONS):
        return True
    nodes = [*ast.walk(ast.parse(tests))]
    modules = {
        (alias.asname or alias.name).partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.partition(".")[0] != module
    }
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    marks = [
        node
        for node in calls
        if cast(ast.Attribute, node.func).attr in _CONDITIONS and ast.unparse(node.func) != "pytest.xfail"
    ]
    asked = {node.id for mark in marks for node in ast.walk(mark) if isinstance(node, ast.Name)}
    conditions = [condition for mark in marks for condition in mark.args[:1]]
    by_text = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in conditions)
    return not by_text and asked <= modules | set(dir(builtins))


_WORDS = """
getsource getsourcelines getsourcefile signature getfullargspec get_type_hints __annotations__ __code__ __defaults__
__kwdefaults__ __closure__ __wrapped__ __globals__ __dict__ __slots__ isgeneratorfunction isasyncgenfunction
getmembers getmro getrefcount getsizeof tracemalloc pickle weakref capfd capfdbinary current_thread main_thread
get_ident errstate getLogger copy_context Context settrace setprofile get_objects getreferrers active_count doctest
testmod run_docstring_examples DocTestSuite run_module run_path
perf_counter perf_counter_ns monotonic process_time timeit time.time
"""
INSIDE = frozenset(_WORDS.split())
"""Words of tests that look inside a process. Clocks are among them, because a call to another process takes longer."""


_IDENTITY = frozenset(("assertIs", "operator.is_", "is_", "id"))
"""Calls that ask which object something is, as `is` does."""
_WITH_MESSAGE = 3
"""Arguments of an assertion of unittest that is also given a message."""


def looks_inside(problem: BaseException, source: str) -> str:
    """Returns the word of INSIDE on which the failed statement depends, or on which a name that it uses depends; "" if
    there is none. The failed statement alone counts: a wrong value stays wrong, even in a test that also looks at the
    clock."""
    line = _line(problem)
    if line is None or not any(word in source for word in (*INSIDE, " is ", *_IDENTITY)):
        return ""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, _Function) and _holds(node, line)]
    scope = max(functions, key=lambda node: node.lineno, default=tree)
    statements = [node for node in ast.walk(scope) if isinstance(node, ast.stmt) and node is not scope]
    failed = [node for node in statements if _holds(node, line)]
    if not failed:
        return ""
    helpers = [node for node in tree.body if isinstance(node, _Function) and node is not scope]
    last = max(node.lineno for node in failed)
    beside = [node for node in failed if node.lineno == last]  # several statements may share a line
    if any(map(_asks_for_identity, beside)):
        return "a comparison by is"
    found = set[str]().union(*(_names_behind(node, [*statements, *helpers]) for node in beside)) & INSIDE
    return min(found, default="")


def _asks_for_identity(statement: ast.stmt) -> bool:
    """Returns whether the statement asks if two values are one object; text, a tuple or a number that crossed is
    another object."""
    asked: list[ast.expr] = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Compare):
            asked += [right for op, right in zip(node.ops, node.comparators, strict=True) if isinstance(op, ast.Is)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).removeprefix("self.") in _IDENTITY:
            asked += node.args[-1:] if len(node.args) < _WITH_MESSAGE else node.args[1:2]
    return not all(isinstance(right, ast.Constant) for right in asked)


def _line(problem: BaseException) -> int | None:
    """Returns the innermost line of the suite in the exception's traceback; None if there is none."""
    way = walk_tb(problem.__traceback__)
    lines = [line for frame, line in way if frame.f_code.co_filename.endswith(FILENAME)]
    return lines[-1] if lines else None


def _holds(node: ast.AST, line: int) -> bool:
    return getattr(node, "lineno", 0) <= line <= (getattr(node, "end_lineno", None) or line)


def _names_behind(failed: ast.stmt, statements: list[ast.stmt]) -> set[str]:
    """Returns the names that a statement mentions, and the names on which their values depend."""
    behind = _mentioned(failed)
    waiting = [(_bound(node), _mentioned(node)) for node in statements]
    reached = True
    while reached:
        reached = [mentioned for bound, mentioned in waiting if bound & behind and not mentioned <= behind]
        behind.update(*reached)
    return behind


def _mentioned(statement: ast.stmt) -> set[str]:
    """Returns names and attributes in a statement, without those in statements inside it; for a function, all of
    them."""
    names: set[str] = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
            names.update([f"{node.value.id}.{node.attr}"] if isinstance(node.value, ast.Name) else [])
        inner = ast.iter_child_nodes(node)
        waiting += [n for n in inner if isinstance(statement, _Function) or not isinstance(n, ast.stmt)]
    return names


def _bound(statement: ast.stmt) -> set[str]:
    """Returns the names that a statement sets, or whose value's method it calls, as in `names.add(...)`."""
    if isinstance(statement, _Function):
        return {statement.name}
    inner = list(ast.walk(statement))
    called = [node.func.value for node in inner if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    named = [node for node in called if isinstance(node, ast.Name)]
    named += [node for node in inner if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return {node.id for node in named}
