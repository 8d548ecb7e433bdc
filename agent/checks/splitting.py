"""Splits test source into checks, one per claim, so that a single wrong claim can be quarantined alone."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from agent.source.inputs import split_test
from agent.source.parsing import UNREADABLE, module_of
from agent.source.standard import MODULE, defined_in, with_imports
from agent.state import Check, CheckOutcome, Origin, Suite
from llm.replies.files import split_files
from sandbox.types import CheckResult

from .asynchronous import MADE_OF_CALLS, wait_in
from .program_calls import HARNESS

WORST_FIRST = ("error", "timeout", "fail", "not_run", "skipped", "pass")
_SAYS = re.compile("assert|raises")
_SEVERAL_TIMES = re.compile(r"@\S*(?:parametrize|given)\(|^\s*(?:for|while) .*:$", re.MULTILINE)


class UnusableTests(ValueError):
    """The test source cannot be used; the message says why, worded for its author."""


def parse_suite(source: str, suite: str, origin: Origin, *, against: str | None = None, own: str = "") -> Suite:
    """Splits test source into a header and checks. `own` is a text whose words may be names of the program's own
    modules.

    Test functions and `Test*` classes become checks; so do asserts and calls at module level. A model's function that
    only holds several asserts is split into one check per assert; the person's own functions stay whole. Raises
    UnusableTests when the source does not parse, holds nothing to check, or imports a module that is not installed."""
    try:
        module = ast.parse(source)
    except UNREADABLE as error:
        raise UnusableTests(f"the tests do not parse: {error}") from None
    split = origin not in ("person", "task", "answer")
    header: list[str] = []
    checks: list[Check] = []
    helpers: set[str] = set()
    for node in module.body:
        found = list(_claims(node, split, len(checks)))
        if not found:
            header.append(_text(source, node))
            helpers |= {node.name} if isinstance(node, _HELPERS) else set()
        for name, text, claim in found:
            checks.append(_check(suite, origin, name, text, claim))
    checks = [_without_helpers(check, helpers) for check in checks]
    if not checks:
        raise UnusableTests("the tests hold no test function and no assert")
    if split and (unknown := _unknown_modules(module, own)):
        names = ", ".join(unknown)
        raise UnusableTests(
            f"the tests import {names}, which is not installed here; the program is the module `solution`"
        )
    return Suite(id=suite, origin=origin, header="\n".join(header), checks=tuple(_unique(checks)), against=against)


def persons_suites(tests: str) -> list[Suite]:
    """Returns the person's own tests as one suite, or as one suite per test file with its fixtures. Raises
    UnusableTests."""
    files = split_files(tests)
    if files is None:
        return [parse_suite(tests, "person", "person")]
    fixtures = "\n".join(text for path, text in files.items() if path.endswith("conftest.py"))
    own = {path: text for path, text in files.items() if not path.endswith("conftest.py")}
    found: list[Suite] = []
    for path, text in own.items():
        try:
            found.append(parse_suite(f"{fixtures}\n{text}" if fixtures else text, f"person:{path}", "person"))
        except UnusableTests as error:
            raise UnusableTests(f"{path}: {error}") from None
    return found


def _unknown_modules(module: ast.Module, own: str) -> list[str]:
    """Returns the top-level names of imports that cannot succeed: neither the program nor anything that is
    installed."""
    imported = [node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [alias.name for node in imported if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in imported if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    tops = dict.fromkeys(name.partition(".")[0] for name in names)
    known = {MODULE, *re.findall(r"\w+", own)}
    return [top for top in tops if top not in known and importlib.util.find_spec(top) is None]


def _claims(node: ast.stmt, split: bool, count: int) -> Iterator[tuple[str, str, ast.stmt]]:
    """Yields (name, source, node that makes the claim) for each check that `node` holds; nothing for a header line."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
        parts = _asserts_only(node) if split else []
        if len(parts) > 1:
            for number, statement in enumerate(parts, 1):
                yield f"{node.name}_{number}", _function(f"{node.name}_{number}", node, statement), statement
        else:
            yield node.name, ast.unparse(node), node
    elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
        yield node.name, ast.unparse(node), node
    elif isinstance(node, ast.Assert) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        name = f"test_line_{count + 1}"
        yield name, _function(name, None, node), node


def _asserts_only(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    """Returns the asserts of a plain function whose body is a docstring and independent asserts; [] for any other
    function."""
    if node.decorator_list or node.args.args or isinstance(node, ast.AsyncFunctionDef):
        return []
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return list(body) if all(isinstance(statement, ast.Assert) for statement in body) else []


def _function(name: str, origin: ast.FunctionDef | ast.AsyncFunctionDef | None, statement: ast.stmt) -> str:
    doc = ast.get_docstring(origin) if origin is not None else None
    body = ([repr(doc)] if doc else []) + [ast.unparse(statement)]
    return f"def {name}():\n" + textwrap.indent("\n".join(body), "    ")


def _check(suite: str, origin: Origin, name: str, text: str, claim: ast.stmt) -> Check:
    single = claim
    if isinstance(claim, ast.FunctionDef):
        asserts = _asserts_only(claim)
        single = asserts[0] if len(asserts) == 1 else claim
    pair = split_test(single.test) if isinstance(single, ast.Assert) else None
    function = claim if isinstance(claim, ast.FunctionDef) else ast.parse(text).body[0]
    sentence = ast.get_docstring(function) if isinstance(function, ast.FunctionDef) else None
    return Check(
        id=f"{suite}.{name}",
        name=name,
        origin=origin,
        source=text,
        call=pair[0] if pair else None,
        expected=pair[1] if pair else None,
        sentence=sentence or "",
        is_property=name.startswith("test_property"),
    )


_HELPERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _without_helpers(check: Check, helpers: set[str]) -> Check:
    """Removes the call from a check if the call uses a helper of the test module: it cannot be made anywhere else and
    so is no input to compare programs on."""
    if check.call is None or not helpers & set(re.findall(r"\w+", check.call)):
        return check
    return replace(check, call=None, expected=None)


def _unique(checks: Iterable[Check]) -> Iterator[Check]:
    """Renames a check whose name occurred before, or Python would silently replace the earlier function."""
    seen: set[str] = set()
    for check in checks:
        name = check.name
        while name in seen:
            name += "_again"
        seen.add(name)
        if name == check.name:
            yield check
        else:
            suite = check.id.rsplit(".", 1)[0]
            yield replace(check, id=f"{suite}.{name}", name=name, source=check.source.replace(check.name, name, 1))


def _text(source: str, node: ast.stmt) -> str:
    segment = None if getattr(node, "decorator_list", None) else ast.get_source_segment(source, node)
    return segment or ast.unparse(node)


def without_properties(suite: Suite) -> Suite:
    """Returns the suite without properties. Raises UnusableTests when it holds nothing else."""
    checks = tuple(check for check in suite.checks if not check.is_property)
    if not checks:
        raise UnusableTests("it holds properties only")
    return replace(suite, checks=checks)


def without_idle(suite: Suite, code: str) -> Suite:
    """Returns the suite without tests that use nothing of the program. Raises UnusableTests when it holds nothing
    else."""
    checks = tuple(check for check in suite.checks if is_about(check, suite.header, code))
    if not checks:
        raise UnusableTests("its tests use nothing of the program")
    return replace(suite, checks=checks)


def hold_out(suite: Suite, share: float) -> Suite:
    """Marks `share` of the suite's plain checks as held out. The hash of a check's text decides, so the choice is the
    same in each run."""
    plain = sorted((check for check in suite.checks if not check.is_property), key=_digest)
    hidden = {check.id for check in plain[: int(len(plain) * share)]}
    return replace(suite, checks=tuple(replace(check, held_out=check.id in hidden) for check in suite.checks))


def _digest(check: Check) -> bytes:
    return hashlib.sha256(check.source.encode("utf-8", "surrogatepass")).digest()


def compose(suite: Suite, without: Collection[str] = (), awaited: Collection[str] = (), code: str = "") -> str:
    """Returns test source of the suite, without the checks whose ids are in `without`. `awaited` names asynchronous
    functions; checks that the agent built from a call and a value then wait for them. `code` is the program under test:
    what neither it nor the suite imports of the standard library is imported."""
    sources = {check.id: check.source for check in suite.checks if check.id not in without}
    header = suite.header
    if awaited and suite.origin in MADE_OF_CALLS:
        waiting = {name: wait_in(source, awaited) for name, source in sources.items()}
        header = header if waiting == sources else f"import asyncio\n{header}"
        sources = waiting
    return with_imports("\n\n".join([header, *sources.values()]).strip() + "\n", code)


def outcomes_of(suite: Suite, reports: Sequence[CheckResult]) -> Mapping[str, CheckOutcome]:
    """Returns check id -> outcome from the sandbox's per-test reports; a check that was never reported is absent.

    A parametrised function or a class is one check: it passes when each of its cases does. What passes and asserts
    nothing counts as skipped."""
    found: dict[str, list[CheckOutcome]] = {}
    ids = {check.name: check.id for check in suite.checks}
    for report in reports:
        name = report.name.split("::")[0].split("[")[0]
        if name in ids:
            status = "skipped" if report.status == "pass" and not report.shows else report.status
            found.setdefault(ids[name], []).append(CheckOutcome(status, report.message))
    return {key: min(cases, key=lambda case: WORST_FIRST.index(case.status)) for key, cases in found.items()}


def is_about(check: Check, header: str, code: str) -> bool:
    """Returns whether the test names anything of the program, itself or by what stands before the tests; a quotation in
    a docstring names nothing, and that a name is there (`assert solution`) shows nothing. True if the names of the
    program are unknown, as those of several files are. A script that defines none can only be run."""
    defined = defined_in(code)
    unknown = not defined and (split_files(code) is not None or not module_of(code).body)
    words = _words_of(f"{header}\n{check.source}", imports=not defined)
    return unknown or not words.isdisjoint({*defined, HARNESS, MODULE})


@lru_cache(maxsize=1024)
def _words_of(tests: str, *, imports: bool) -> frozenset[str]:
    """Returns the names in tests, and the words of their texts, by which things may be used; docstrings, names that are
    asserted alone and, but for `imports`, modules that are imported left out."""
    nodes = [*ast.walk(module_of(tests))]
    holders = [node for node in nodes if isinstance(node, _HELPERS) and ast.get_docstring(node) is not None]
    idle = {id(node.body[0].value) for node in holders if isinstance(node.body[0], ast.Expr)}
    idle |= {id(node.test) for node in nodes if isinstance(node, ast.Assert) and isinstance(node.test, ast.Name)}
    idle |= {id(node) for node in nodes if isinstance(node, ast.Import) and not imports}
    run = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)} if imports else set[str]()
    return frozenset(word for node in nodes if id(node) not in idle for word in _named(node)) | run


def _named(node: ast.AST) -> Iterator[str]:
    """Yields the names in one node; those in a text may be used by name."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name) | ast.arg(name):
            yield name
        case ast.Constant(str() as text):
            yield from re.findall(r"\w+", text)
        case ast.Import(names) | ast.ImportFrom(names=names):
            yield from (alias.name for alias in names)
        case _:
            return


def things_said(source: str) -> int:
    """Returns how many claims a test makes at least: one per assertion, two if it runs over several inputs."""
    return max(1 + bool(_SEVERAL_TIMES.search(source)), len(_SAYS.findall(source)))
