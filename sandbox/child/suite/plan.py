"""Reads a suite's source once for many runs, without running it: which checks it states, whether each of them could
ever fail, and its code, as bytes that travel to the child."""

from __future__ import annotations

import ast
import builtins
import marshal
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import CodeType

from ..reporter import MODULE_CHECK

FILENAME = "test_solution.py"
_PROGRAM = "run_program"
_MOST_CHARACTERS = 60_000
"""Characters of a suite that this process parses; a child parses longer ones."""
_DEEP = tuple(
    map(re.compile, (r"[(\[{][(\[{]{29}", r"[-+~][-+~]{59}", r"not (?:not ){59}", r"lambda: ?(?:lambda: ?){29}"))
)
"""What is nested deeper than a person writes. Each pattern begins with what it repeats, so that the search knows where
to look, and is tried alone; all of them as one took five times as long."""
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
    return len(source) > _MOST_CHARACTERS or any(deep.search(source) for deep in _DEEP)


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
    top = list(at_import(tree.body))
    judge = _Judge(tree, top)
    for node in top:
        if isinstance(node, Function):
            if node.name.startswith("test"):
                _add(suite, node.name, node, judge)
                suite.pytest = suite.pytest or not _is_plain(node, yields)
        elif isinstance(node, ast.ClassDef):
            _add_class(suite, node, judge)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            suite.pytest = suite.pytest or not _tops(node).isdisjoint(_PYTEST_MODULES)
        elif isinstance(node, ast.Assert | ast.Expr) and judge.bites(node):
            suite.module_check = True
        elif isinstance(node, ast.Assign) and _may_be_test(node):
            suite.pytest = True
    suite.pytest = suite.pytest or not PYTEST_HOOKS.isdisjoint(_bound(top))
    suite.tests = list(dict.fromkeys(suite.tests))
    return suite


def at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements that run with a module, and those inside them, except those of the main guard."""
    for node in body:
        yield node
        if not (isinstance(node, Function | ast.ClassDef) or _is_main_guard(node)):
            for block in blocks(node):
                yield from at_import(block)


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
    if not judge.bites(node):
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
    """Decides whether running a piece of source could fail a check ("bites"): by what stands in it, or in what it names
    of the same suite."""

    def __init__(self, tree: ast.Module, top: list[ast.stmt]) -> None:
        self._tree, self._top = tree, top
        self._known: dict[str, bool] = {}

    @cached_property
    def _named(self) -> dict[str, list[ast.AST]]:
        """What runs where a name of the suite is used: a function, a value that may hold one, or, of a class, the
        special methods, which run without being named."""
        found: dict[str, list[ast.AST]] = {}
        for node in _statements(self._tree.body):
            if isinstance(node, Function):
                found[node.name] = [node]
            elif isinstance(node, ast.ClassDef):
                methods = [inner for inner in node.body if isinstance(inner, Function)]
                found[node.name] = [inner for inner in methods if inner.name.startswith("__")]
        found.update((target.id, [node]) for node in self._top for target in _targets(node))
        return found

    def bites(self, node: ast.AST) -> bool:
        """Returns whether something that runs with this statement or function could fail a check. A name that a
        function sets itself is none of the suite's."""
        if any(map(self._fails, _running(node))):
            return True
        parts = [*_running(node)]
        own = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        fixtures = [one.arg for one in node.args.args + node.args.kwonlyargs] if isinstance(node, Function) else []
        names = {getattr(part, "id", getattr(part, "attr", "")) for part in parts} - own
        return any(map(self._name_bites, [*names, *fixtures]))

    def _name_bites(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = False  # a helper that only calls itself proves nothing
            self._known[name] = any(map(self.bites, self._named.get(name, ())))
        return self._known[name]

    def _fails(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Assert):
            test = node.test
            always_true = test.value if isinstance(test, ast.Constant) else isinstance(test, ast.Tuple) and test.elts
            return not always_true
        if not isinstance(node, ast.Call):
            return isinstance(node, ast.Raise)
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        return name.startswith(_FAILING_PREFIXES) and name not in self._named


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        for block in blocks(node):
            yield from _statements(block)


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes that running a statement or function runs. An inner function runs where its name is used, and
    perhaps where it is decorated; a name that is only mentioned is not used."""
    waiting: list[ast.AST] = [*node.decorator_list, *node.body] if isinstance(node, Function) else [node]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, Function) and not part.decorator_list:
            continue
        if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Name)):
            waiting += ast.iter_child_nodes(part)
