"""Reads the person's own tests, and makes them call the program as the module `solution` where they use the name of the
person's module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from agent.checks.splitting import UnusableTests, persons_suites
from agent.dialogue.telling import several_files
from agent.examples import read_brief
from agent.source.parsing import module_of
from agent.state import AgentState, Suite, Task
from sandbox.packages import lacking

from .request import BadInput

PROGRAM = "solution"
_PATCHES = re.compile(r"(?:^|[._])patch(?:\.(?:dict|object|multiple))?$|monkeypatch\.(?:set|del)attr$")
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def own_suites(state: AgentState) -> list[Suite]:
    """Returns the person's own tests as the first suites of a run; [] without tests. Raises BadInput."""
    tests = state.task.tests
    if not tests:
        return []
    try:
        return persons_suites(tests if several_files(state) else meeting_the_program(state.task))
    except UnusableTests as error:
        raise BadInput(f"your tests cannot be used: {error}") from None


def meeting_the_program(task: Task) -> str:
    """Returns the tests with the program's name in place of a module that is not installed and that holds what the task
    asks for."""
    tests = task.tests or ""
    module = module_of(tests)
    imports = [node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom)]
    patched = list(_patched(module))
    imported = {name for node in imports for name in _modules(node)}
    named = imported | {name for _, name, _ in patched}
    meant = {name for name in named if _is_the_program(name, imported, module, task)}
    if not meant:
        return tests
    told = {node: _import_of_program(node, meant) for node in imports if meant & set(_modules(node))}
    told |= {target: f"{PROGRAM}.{rest}" for target, name, rest in patched if name in meant}
    lines = tests.encode().splitlines(keepends=True)
    for node in sorted(told, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before, behind = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
        words = repr(told[node]) if isinstance(node, ast.Constant) else told[node]
        lines[first : last + 1] = [before + words.encode() + behind]
    return b"".join(lines).decode()


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if node.module and not node.level else []


def _patched(tests: ast.Module) -> Iterator[tuple[ast.Constant, str, str]]:
    """Yields targets of patches that are given as text, such as patch("shapes.area"): the node, the module, and the
    rest."""
    for call in ast.walk(tests):
        target = call.args[0] if isinstance(call, ast.Call) and call.args else None
        if isinstance(call, ast.Call) and isinstance(target, ast.Constant) and isinstance(target.value, str):
            module, _, rest = target.value.partition(".")
            if rest and _PATCHES.search(ast.unparse(call.func)):
                yield target, module, rest


def _is_the_program(name: str, imported: set[str], tests: ast.Module, task: Task) -> bool:
    if "." in name or f"{name}.py" in task.files or not lacking([f"import {name}"]):
        return False
    brief = read_brief(task.text, task.code, task.files)
    asked = {node.name for node in module_of(task.code or "").body if isinstance(node, _DEFINED)}
    asked |= {brief.entry_point} if brief.entry_point else set()
    # without a known name, the module might be a package that the task names or that stands beside the program
    if not asked:
        others = imported - {name}
        return (
            name in imported
            and re.search(rf"\b{name}\b", task.text) is None
            and PROGRAM not in others
            and not lacking(f"import {one}" for one in others)
        )
    return bool(asked & set(_taken(name, tests)))


def _taken(name: str, tests: ast.Module) -> Iterator[str]:
    """Yields what the tests take from the module: names that they import, attributes, and what they replace in it."""
    called = {name}
    yield from (rest.partition(".")[0] for _, module, rest in _patched(tests) if module == name)
    for node in ast.walk(tests):
        if isinstance(node, ast.ImportFrom) and node.module == name:
            yield from (alias.name for alias in node.names)
            if node.names[0].name == "*":
                yield from (one.id for one in ast.walk(tests) if isinstance(one, ast.Name))
        elif isinstance(node, ast.Import):
            called |= {alias.asname for alias in node.names if alias.name == name and alias.asname}
    nodes = (node for node in ast.walk(tests) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
    yield from (node.attr for node in nodes if isinstance(node.value, ast.Name) and node.value.id in called)


def _import_of_program(node: ast.Import | ast.ImportFrom, meant: set[str]) -> str:
    if isinstance(node, ast.ImportFrom):
        return ast.unparse(ast.ImportFrom(PROGRAM, node.names, 0))
    names = [ast.alias(PROGRAM, one.asname or one.name) if one.name in meant else one for one in node.names]
    return ast.unparse(ast.Import(names))
