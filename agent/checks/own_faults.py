"""Finds checks that cannot run by a fault of their own: a name that nobody has, or a suite that does not load."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import re
from collections.abc import Mapping, Sequence

from agent.source.files import names_of
from agent.source.parsing import module_of, names_set_by
from agent.source.standard import MODULE, defined_in
from agent.state import AgentState, Check, Origin, Run, Suite
from llm.replies.files import split_files
from sandbox.child.reporter import NOT_LOADED

from .program_calls import HARNESS
from .splitting import compose

WRITTEN: tuple[Origin, ...] = ("spec", "adversary", "critic")
"""Origins whose checks hold whatever a model wrote into them."""
_FRAME = re.compile(r"  test_solution\.py:(\d+) in ")
_LACKS = re.compile(
    r"NameError: name '(?P<bare>\w+)'|cannot import name '(?P<name>\w+)' from '(?P<of>[\w.]+)'"
    r"|module '(?P<whose>[\w.]+)' has no attribute '(?P<attribute>\w+)'|No module named '(?P<module>\w+)"
    r"|UnboundLocalError"
)


def own_faults(state: AgentState) -> Mapping[str, str]:
    """Returns check id -> what is wrong with the check itself, in words. A check is left out if it ran on some program,
    if the program was running when the error came, or if what it lacks is something that the task names."""
    found: dict[str, str] = {}
    codes = {candidate.id: candidate.code for candidate in state.candidates}
    for suite in (suite for suite in state.suites if suite.origin in WRITTEN):
        ran = [run for run in state.runs if run.suite == suite.id and run.candidate in codes]
        for check in suite.checks:
            faults = [_fault(state, suite, check, run, codes[run.candidate]) for run in ran if check.id in run.outcomes]
            if faults and all(faults):
                found[check.id] = faults[0]
    return found


def told_of(suite: Suite, faults: Mapping[str, str]) -> str:
    """Returns what is wrong with the suite, as a sentence for its author; "" when nothing is."""
    wrong: dict[str, list[Check]] = {}
    for check in suite.checks:
        if check.id in faults:
            wrong.setdefault(faults[check.id], []).append(check)
    lines = (f"{why.removeprefix(NOT_LOADED)} ({', '.join(c.name for c in checks)})" for why, checks in wrong.items())
    told = "; ".join(lines)
    return f"they cannot run, whatever the program does: {told}" if told else ""


def _fault(state: AgentState, suite: Suite, check: Check, run: Run, code: str) -> str:
    """Returns what is wrong with the check itself, as a run of one program shows it; "" where nothing is."""
    outcome = run.outcomes[check.id]
    if outcome.status != "error":
        return ""
    if not run.reported and state.brief is not None and state.brief.form == "program":
        tests = f"{suite.header}\n{check.source}"
        return _unknown_name(state, tests, code) or _unfed(state, tests, outcome.message)
    return outcome.message.partition("\n")[0] if _is_own(state, suite, outcome.message, code) else ""


def _unknown_name(state: AgentState, tests: str, code: str) -> str:
    """Returns, as Python would say it, which name the tests use that nobody defines. A program that does not
    survive being imported hides that: its tests never begin, though it may be right as a program that is started."""
    nodes = [*ast.walk(module_of(tests))]
    known = {*names_set_by(nodes), *defined_in(code), *dir(builtins), HARNESS}
    used = dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name))
    lacking = (name for name in used if name not in known and not _is_named(state, name, bare=True))
    return next((f"NameError: name '{name}' is not defined" for name in lacking), "")


def _unfed(state: AgentState, tests: str, message: str) -> str:
    """Returns, in words, that the tests import a program which reads its input as it starts, and never start it; ""
    where they do, or ask it for something that the task names."""
    nodes, own = [*ast.walk(module_of(tests))], _modules_of_program(state)
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    asked = used - names_set_by(nodes) - {*dir(builtins)}
    named = [a.name for node in nodes if isinstance(node, ast.ImportFrom) and node.module in own for a in node.names]
    asked |= {name for name in named if name != "*"}  # what a star brings is used without being bound
    asked |= {
        n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in own
    }
    if (
        not message.startswith("EOFError")
        or HARNESS in used
        or any(_is_named(state, name, bare=True) for name in asked)
    ):
        return ""
    return f"EOFError: the program reads its input as it is imported, and no {HARNESS} gives it any"


def _is_own(state: AgentState, suite: Suite, message: str, code: str) -> bool:
    words, _, where = message.partition("\n")
    places = [_FRAME.match(line) for line in where.splitlines()]
    if places and all(places) and (lacks := _LACKS.search(words)):
        return not _is_lacking(state, lacks)
    if not words.startswith(NOT_LOADED) or (any(places) and not all(places)):
        return False
    body = module_of(compose(suite, code=code)).body
    line = int(places[0][1]) if places and places[0] else None
    begun = [one for one in body if line in _lines(one)] or body
    # Without a line it came to no end, or pytest could make no checks of it.
    return not _meets_program(state, body, _run_first(body) if line is None else begun)


def _run_first(body: list[ast.stmt]) -> list[ast.AST]:
    """Returns what these tests run before their first check, without their imports."""
    first: list[ast.AST] = []
    for one in body:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            first += one.decorator_list
        elif not isinstance(one, ast.Import | ast.ImportFrom):
            first.append(one)
    return first


def _is_lacking(state: AgentState, lacks: re.Match[str]) -> bool:
    """Returns whether the missing thing is one that the program was to have."""
    owner = lacks["of"] or lacks["whose"]
    name = lacks["bare"] or lacks["name"] or lacks["attribute"] or lacks["module"]
    if name is None or (owner is not None and owner not in _modules_of_program(state)):
        return False
    return _is_named(state, name, bare=bool(lacks["bare"]))


def _is_named(state: AgentState, name: str, *, bare: bool) -> bool:
    """Returns whether the task, or the signature that everybody was told, names this. `bare`: tests use it without
    saying where it comes from."""
    brief = state.brief
    told = "\n".join(filter(None, (state.task.text, state.task.whole, state.task.code, state.task.tests)))
    told += f"\n{(brief.signature or '') if brief else ''}\n{(brief.entry_point or '') if brief else ''}"
    # A word such as "math" or "json" names a module of Python's own, unless the task shows that it is to be called.
    called = rf"\b{name}\s*\(" if bare and importlib.util.find_spec(name) else rf"\b{name}\b"
    return re.search(called, told) is not None


def _modules_of_program(state: AgentState) -> set[str]:
    files = (split_files(candidate.code) or {} for candidate in state.candidates)
    return {MODULE, *(name for paths in files for name in names_of(paths))}


def _meets_program(state: AgentState, body: list[ast.stmt], begun: Sequence[ast.AST]) -> bool:
    """Returns whether these parts of tests use the program, themselves or by what the module defines."""
    bound: dict[str, list[ast.stmt]] = {}
    for statement in body:
        for name in names_set_by(ast.walk(statement)):
            bound.setdefault(name, []).append(statement)
    own, seen = _modules_of_program(state), set[str]()
    waiting = [*begun]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.ImportFrom) and part.module in own:
            return True
        names = {n.id for n in ast.walk(part) if isinstance(n, ast.Name)} - seen
        seen |= names
        if own & names or any(name not in bound and not hasattr(builtins, name) for name in names):
            return True
        waiting += [each for name in names for each in bound.get(name, ())]
    return False


def _lines(statement: ast.stmt) -> range:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return range(first, (statement.end_lineno or first) + 1)
