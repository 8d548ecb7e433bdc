"""Reads a suite's source once for many runs, without running it: which checks it states, whether each of them could
ever fail, and its code, as bytes that travel to the child."""

from __future__ import annotations

import ast
import builtins
import marshal
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import CodeType

from ..reporter import MODULE_CHECK

FILENAME = "test_solution.py"
_PROGRAM = "run_program"
_MOST_CHARACTERS = 60_000
"""Characters of a suite that this process parses; a child parses longer ones."""
_DEEP = re.compile(r"[(\[{]{30}|[-+~]{60}|(?:not ){60}|(?:lambda: ?){30}")
Function = ast.FunctionDef | ast.AsyncFunctionDef
_PYTEST_WORDS = """
setup_module teardown_module setup_function teardown_function setUpModule tearDownModule pytestmark pytest_plugins
pytest_generate_tests
"""
PYTEST_HOOKS = frozenset(_PYTEST_WORDS.split())
"""Names by which a module tells pytest how to run its tests."""
_PYTEST_MODULES = ("pytest", "_pytest", "pytest_asyncio", "hypothesis")
_FAILING_WORDS = "assert fail raises Raises warns deprecated_call approx expect verify ensure"
_FAILING_PREFIXES = tuple(_FAILING_WORDS.split())


@dataclass(slots=True)
class SuitePlan:
    """What the source of a suite promises."""

    tests: list[str]
    """Names in source order, without parameters: `test_x` or `TestA::test_x`."""
    toothless: set[str]
    """Those of `tests` that hold nothing that could fail: no assert, no raise, no raises/approx/assert_* call."""
    module_check: bool = False
    """Whether the module itself asserts, or calls a helper that does (`check(candidate)`)."""
    pytest: bool = False
    """Whether the suite needs pytest's own machinery: fixtures, marks, classes, async tests."""
    program_only: bool = False
    """Whether the suite asks for runs of the program and uses nothing of the solution as a module."""

    @property
    def checks(self) -> list[str]:
        """Returns the names of all checks, as the source states them."""
        return [MODULE_CHECK, *self.tests] if self.module_check else self.tests


Reading = tuple[CodeType, SuitePlan, frozenset[str]]
"""The suite's code, what its source promises, and every name it mentions."""


def read(tests: str, explain: bool = False) -> Reading:
    """Returns the reading of a suite. With `explain`, which needs pytest, a failed assert tells the values it compared.
    Raises SyntaxError, ValueError, RecursionError or MemoryError if the source is no Python."""
    tree = ast.parse(tests, FILENAME)
    suite = study(tree, yields="yield" in tests)
    suite.program_only = _PROGRAM in tests and _program_only(tree)
    if explain:
        from .explain import explained  # noqa: PLC0415 - brings pytest, which only the run that explains needs

        explained(tree, tests)
    code = compile(tree, FILENAME, "exec", dont_inherit=True)
    return code, suite, frozenset(_mentioned(code))


def plan(tests: str) -> bytes | None:
    """Returns the packed reading of a source, or None if it is no Python. The result depends only on the
    source and the interpreter, so it serves many runs."""
    try:
        code, suite, names = read(tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    facts = (suite.tests, suite.toothless, suite.module_check, suite.pytest, suite.program_only)
    return marshal.dumps((code, facts, names))


def unpack(packed: bytes) -> Reading:
    """Returns the reading that `plan` packed."""
    code, facts, names = marshal.loads(packed)
    return code, SuitePlan(*facts), names


def strains_a_parser(source: str) -> bool:
    """Returns whether a source is larger, or nested deeper, than a person writes. It could crash or stall a parser, so
    only a child, which may be killed, should parse it."""
    return len(source) > _MOST_CHARACTERS or _DEEP.search(source) is not None


def _mentioned(code: CodeType) -> set[str]:
    """Returns every name that the code looks up outside itself, takes as a parameter, or writes in a dotted path."""
    names = {*code.co_names, *code.co_varnames[: code.co_argcount]}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names |= _mentioned(inner)
        elif isinstance(inner, str) and "." in inner and all(part.isidentifier() for part in inner.split(".")):
            names.update(inner.split("."))
    return names


def _program_only(tree: ast.Module) -> bool:
    used: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler):
            bound.add(node.name or "_")
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
        if isinstance(node, ast.Import | ast.ImportFrom) and not _tops(node) <= sys.stdlib_module_names | {"pytest"}:
            return False
    return _PROGRAM in used and (used - bound - {_PROGRAM}).issubset(dir(builtins))


def _tops(node: ast.Import | ast.ImportFrom) -> set[str]:
    """Returns the modules that the statement imports, without what follows a dot."""
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return {name.partition(".")[0] for name in names}


def study(tree: ast.Module, yields: bool = True) -> SuitePlan:
    """Reads a whole suite. Without `yields` its source holds no such word, so that none is looked for."""
    suite = SuitePlan([], set())
    top = list(_level(tree.body))
    judge = _Judge(top)
    for node in top:
        if isinstance(node, Function):
            if node.name.startswith("test"):
                _add(suite, node.name, node, judge)
                suite.pytest = suite.pytest or not _is_plain(node, yields)
        elif isinstance(node, ast.ClassDef):
            _add_class(suite, node, judge)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            suite.pytest = suite.pytest or not _tops(node).isdisjoint(_PYTEST_MODULES)
        elif isinstance(node, ast.Assert | ast.Expr) and judge.statement(node):
            suite.module_check = True
        elif isinstance(node, ast.Assign) and _may_be_test(node):
            suite.pytest = True
    suite.pytest = suite.pytest or not PYTEST_HOOKS.isdisjoint(_bound(top))
    suite.tests = list(dict.fromkeys(suite.tests))
    return suite


def _level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements that run at import, including those inside if/for/while/try/with, except those of the main
    guard."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef | ast.Import | ast.ImportFrom):
            yield node
            continue
        inner = blocks(node)
        if not inner:
            yield node
        elif not _is_main_guard(node):
            for block in inner:
                yield from _level(block)


def blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """Returns the blocks of statements inside a statement, in the order of the source."""
    parts = [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]
    inner = [getattr(node, "body", None), *(part.body for part in parts)]
    return [block for block in (*inner, getattr(node, "orelse", None), getattr(node, "finalbody", None)) if block]


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test))


def _is_plain(node: Function, yields: bool) -> bool:
    given = node.args
    wanted = len(given.posonlyargs) + len(given.args) - len(given.defaults) + given.kw_defaults.count(None)
    special = wanted or node.decorator_list or isinstance(node, ast.AsyncFunctionDef)
    return not special and not (
        yields and any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node))
    )


def _may_be_test(node: ast.Assign) -> bool:
    """Returns whether the assignment may give a test function: `test_x = make()`."""
    named = any(isinstance(target, ast.Name) and target.id.startswith("test") for target in node.targets)
    return named and isinstance(node.value, ast.Call | ast.Lambda | ast.Name)


def _bound(top: list[ast.stmt]) -> set[str]:
    return {node.name for node in top if isinstance(node, Function)}.union(t.id for node in top for t in _targets(node))


def _targets(node: ast.stmt) -> list[ast.Name]:
    return [name for name in node.targets if isinstance(name, ast.Name)] if isinstance(node, ast.Assign) else []


def _add(suite: SuitePlan, name: str, node: Function, judge: _Judge) -> None:
    suite.tests.append(name)
    suite.toothless.discard(name)
    if not judge.function(node):
        suite.toothless.add(name)


def _add_class(suite: SuitePlan, node: ast.ClassDef, judge: _Judge) -> None:
    unit = any("TestCase" in ast.dump(base) for base in node.bases)
    if not (unit or node.name.startswith("Test")):
        return
    suite.pytest = True
    for inner in node.body:
        if isinstance(inner, Function) and inner.name.startswith("test"):
            _add(suite, f"{node.name}::{inner.name}", inner, judge)


class _Judge:
    """Decides whether running a piece of source could fail a check ("bites"). It follows what that calls or mentions of
    the same source."""

    def __init__(self, top: list[ast.stmt]) -> None:
        classes = [node for node in top if isinstance(node, ast.ClassDef)]
        self._helpers = {node.name: node for node in top if isinstance(node, Function)}
        self._methods = {n.name: n for c in classes for n in c.body if isinstance(n, Function)}
        self._bound = {target.id: node for node in top for target in _targets(node)} | {c.name: c for c in classes}
        self._known: dict[int, bool] = {}

    def function(self, node: Function) -> bool:
        return self._first_time(node, lambda: self._runs_to_bite(node))

    def statement(self, node: ast.stmt) -> bool:
        return any(map(self._bites, _reached([node])))

    def _first_time(self, node: ast.AST, judged: Callable[[], bool]) -> bool:
        key = id(node)
        if key not in self._known:
            self._known[key] = False  # a helper that only calls itself proves nothing
            self._known[key] = judged()
        return self._known[key]

    def _runs_to_bite(self, node: Function) -> bool:
        """Returns whether something that the function runs bites, or something that it takes as a parameter or mentions
        does. A name that the function sets itself is local, so it is none of the suite's."""
        body = [*node.decorator_list, *node.body]
        if any(map(self._bites, _reached(body))):
            return True
        names = [inner for inner in _reached(body) if isinstance(inner, ast.Name)]
        own = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        asked = [ast.Name(a.arg) for a in node.args.args + node.args.kwonlyargs]
        return any(map(self._leads_to_bite, [*asked, *(name for name in names if name.id not in own)]))

    def _is_made_of_bites(self, node: ast.AST) -> bool:
        return any(self._bites(inner) or self._leads_to_bite(inner) for inner in ast.walk(node))

    def _leads_to_bite(self, node: ast.AST) -> bool:
        """Returns whether the node names a helper, or a value made of helpers, which someone will call. Of a class only
        the special methods count, which run without being named."""
        if not isinstance(node, ast.Name):
            return False
        if node.id in self._helpers:
            return self.function(self._helpers[node.id])
        found = self._bound.get(node.id)
        if isinstance(found, ast.ClassDef):
            return any(self.function(n) for n in found.body if isinstance(n, Function) and n.name.startswith("__"))
        return found is not None and self._first_time(found, lambda: self._is_made_of_bites(found))

    def _bites(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Assert):
            test = node.test
            always_true = test.value if isinstance(test, ast.Constant) else isinstance(test, ast.Tuple) and test.elts
            return not always_true
        if isinstance(node, ast.Raise):
            return True
        if not isinstance(node, ast.Call):
            return False
        called = node.func
        if isinstance(called, ast.Name):
            helper = self._helpers.get(called.id)
            return self.function(helper) if helper else called.id.startswith(_FAILING_PREFIXES)
        if isinstance(called, ast.Attribute):
            method = self._methods.get(called.attr)
            return self.function(method) if method else called.attr.startswith(_FAILING_PREFIXES)
        return False


def _reached(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yields the nodes that running `body` may run. Those of an inner function count only if its name is used or it is
    decorated."""
    inner: dict[str, Function] = {}
    used: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Name):
            continue  # a name that is only mentioned is not used
        yield node
        if isinstance(node, Function):
            inner[node.name] = node
            waiting += node.decorator_list
            used.update([node.name] if node.decorator_list else [])
        elif isinstance(node, ast.ClassDef):
            used.update(method.name for method in node.body if isinstance(method, Function))
            waiting += ast.iter_child_nodes(node)
        else:
            used.update([node.id] if isinstance(node, ast.Name) else [])
            waiting += ast.iter_child_nodes(node)
        if not waiting:
            for name in used & inner.keys():
                waiting += inner.pop(name).body
