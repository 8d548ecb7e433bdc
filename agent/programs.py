"""Makes candidates and suites with their ids and families, and the events that announce them."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from .context import Context
from .events import CandidateWritten, CheckListed, CheckRuled, ChecksRan, SuiteWritten
from .examples.types import MEASURED, Brief, Example
from .given.difference import KEPT_SHARE, kept_share, unified
from .given.extend import new_signature
from .given.form import asks_for_form
from .session.roles import CodeReply
from .source.files import merged_files
from .source.parsing import Function
from .source.structure import Source
from .state import AgentState, AttemptKind, Candidate, Check, Ruling, Run, Suite


def add_suite(suite: Suite) -> SuiteWritten:
    """Returns the event that announces a suite."""
    listed = tuple(CheckListed(check.id, check.name, check.source, check.held_out) for check in suite.checks)
    return SuiteWritten(suite=suite.id, origin=suite.origin, checks=listed, header=suite.header)


def example_suite(examples: Sequence[Example], suite: str = "task") -> Suite | None:
    """Returns the suite of the examples that the task text gives; None when there are none."""
    checks: list[Check] = []
    for number, example in enumerate(examples, 1):
        name = f"test_example_{number}"
        checks.append(
            Check(
                id=f"{suite}.{name}",
                name=name,
                origin="task",
                source=_as_test(name, example),
                call=example.call,
                expected=example.expected,
                sentence=example.sentence,
            )
        )
    header = "import pytest" if any("pytest." in check.source for check in checks) else ""
    return Suite(suite, "task", header, tuple(checks)) if checks else None


def _as_test(name: str, example: Example) -> str:
    """Returns the source of a test function with this name, under the sentence of the task. An example may be a test
    function already, such as one that looks at what is printed."""
    parsed = ast.parse(example.source).body
    if len(parsed) == 1 and isinstance(parsed[0], ast.FunctionDef | ast.AsyncFunctionDef):
        parsed[0].name = name
        parsed[0].body.insert(0, ast.Expr(ast.Constant(example.sentence)))
        return ast.unparse(parsed[0])
    return f"def {name}():\n" + textwrap.indent(f"{example.sentence!r}\n{example.source}", "    ")


def make_candidate(
    state: AgentState,
    reply: CodeReply,
    kind: AttemptKind,
    *,
    parent: Candidate | None = None,
    strategy: str = "",
    offset: int = 0,
) -> Candidate:
    """Makes the next candidate of the run. `offset` keeps the ids of programs written in parallel apart."""
    identity = f"c{last_number(state) + 1 + offset}"
    root = parent.root if parent is not None and kind == "repair" else identity
    return Candidate(
        id=identity,
        code=reply.code,
        kind=kind,
        parent=parent.id if parent else None,
        root=root,
        strategy=strategy,
        note=reply.note,
    )


def last_number(state: AgentState) -> int:
    """Returns the number of the last program that was written, earlier steps included."""
    before = state.steps.written if state.steps else 0
    return max((int(candidate.id[1:]) for candidate in state.candidates), default=before)


def is_of_given(state: AgentState, candidate: Candidate) -> bool:
    """Returns whether the candidate is the program that came with the task, or a repair of it."""
    return any(each.kind == "given" and each.root == candidate.root for each in state.candidates)


def own_candidate(
    state: AgentState, reply: CodeReply, parent: Candidate, *, strategy: str, offset: int = 0
) -> Candidate:
    """Makes a changed version of a program. If it keeps next to nothing of given code, it is a rewrite and no repair,
    whatever its author calls it. That is not applied when the task asks for less time or memory, which mostly takes
    another algorithm, or for another form."""
    # The reply may show only the files that change; the others stay as they were.
    reply = replace(reply, code=merged_files(parent.code, reply.code) or reply.code)
    given = state.task.code if is_of_given(state, parent) else None
    free = asks_for_speed(state) or asks_for_form(state)
    other = given is not None and not free and kept_share(given, reply.code) < KEPT_SHARE
    kind: AttemptKind = "rewrite" if other else "repair"
    return make_candidate(state, reply, kind, parent=parent, strategy=strategy, offset=offset)


def asks_for_speed(state: AgentState) -> bool:
    """Returns whether the task limits time or memory, or asks for less of them."""
    return state.brief is not None and any(clause.kind in MEASURED for clause in state.brief.clauses)


def announce(context: Context, state: AgentState, candidate: Candidate) -> None:
    """Emits that the candidate was written, with its difference from its parent or from the attempt before."""
    before = next((c for c in state.candidates if c.id == candidate.parent), None)
    before = before or (state.candidates[-1] if state.candidates else None)
    diff = unified(before.code, candidate.code, before.id, candidate.id) if before else ""
    context.emit(
        CandidateWritten(
            candidate=candidate.id,
            attempt=candidate.kind,
            parent=candidate.parent,
            strategy=candidate.strategy,
            code=candidate.code,
            diff=diff,
            note=candidate.note,
            provider=context.author[0],
            model=context.author[1],
            step=state.steps.number if state.steps else 0,
        )
    )


def announce_ruling(context: Context, ruling: Ruling) -> Ruling:
    """Tells of the ruling, and returns it."""
    context.emit(CheckRuled(ruling.check, ruling.fault, ruling.by, ruling.reason))
    return ruling


def announce_runs(context: Context, candidate: Candidate, runs: list[Run]) -> None:
    """Emits how the candidate's checks ended."""
    if not runs:
        return
    outcomes = {key: outcome for run in runs for key, outcome in run.outcomes.items()}
    worst = next((run.execution for run in runs if not run.execution.passed), runs[-1].execution)
    context.emit(
        ChecksRan(
            candidate=candidate.id,
            status=worst.status,
            outcomes={key: outcome.status for key, outcome in outcomes.items()},
            messages={key: outcome.message for key, outcome in outcomes.items() if outcome.status != "pass"},
            error=worst.error or next((run.lacks for run in runs if run.lacks), ""),
            confirmed=all(run.execution.confirmed for run in runs),
            duration_ms=round(sum(run.execution.duration_ms for run in runs), 1),
            peak_mb=max(run.execution.peak_mb for run in runs),
            stdout=worst.stdout,
            stderr=worst.stderr,
            artifacts=tuple(artifact.name for run in runs for artifact in run.execution.artifacts),
        )
    )


def candidate_of(state: AgentState, identity: str | None) -> Candidate:
    """Returns the candidate of that id. Raises LookupError when there is none."""
    for candidate in state.candidates:
        if candidate.id == identity:
            return candidate
    raise LookupError(f"no candidate {identity!r}")


def check_of(state: AgentState, identity: str | None) -> Check:
    """Returns the check of that id. Raises LookupError when there is none."""
    for suite in state.suites:
        for check in suite.checks:
            if check.id == identity:
                return check
    raise LookupError(f"no check {identity!r}")


def signature_of(state: AgentState) -> str:
    """Returns the signature to be called. For code to be extended, that is the one that the task wants."""
    brief = state.brief
    if brief is not None and brief.kind == "extend" and state.task.code:
        return new_signature(brief, state.task.code, state.task.text)
    return (brief.signature if brief else None) or ""


def with_chosen_name(brief: Brief, code: str) -> Brief:
    """Returns the brief with the name and the parameters that the first program chose: later programs and tests have to
    use the same. The brief is unchanged if more than one definition could be meant."""
    source = Source(code)
    defined = [node for node in source.tree.body if isinstance(node, Function | ast.ClassDef)]
    inner = {"main", *(name for node in defined if node.name != "main" for name in _named_in(node) - {node.name})}
    wanted = ast.ClassDef if brief.kind == "class" else Function
    entries = [n for n in defined if isinstance(n, wanted) and n.name[0] != "_" and n.name not in inner]
    if len(entries) != 1:
        return brief
    entry = entries[0]
    is_class, spec = isinstance(entry, ast.ClassDef), source.signature(entry.name)
    plain = _needed(spec, skipped=int(is_class)) if spec is not None else _fields_of(entry)
    opening = "" if is_class else "def "
    return replace(brief, entry_point=entry.name, signature=f"{opening}{entry.name}({plain})", chosen=True)


def _fields_of(made: ast.stmt) -> str:
    """Returns the parameters of a class without `__init__`, as a dataclass takes them: its fields without a value."""
    fields = [one for one in getattr(made, "body", ()) if isinstance(one, ast.AnnAssign) and one.value is None]
    return ", ".join(ast.unparse(one.target) for one in fields)


def _needed(spec: ast.arguments, skipped: int) -> str:
    """Returns the parameters without types. Optional parameters are left out, because the task asks for none of them,
    unless all are optional. `skipped` counts the leading ones that a caller does not hand over, such as `self`."""
    places = [arg.arg for arg in (*spec.posonlyargs, *spec.args)]
    needed = places[skipped : len(places) - len(spec.defaults)] if len(spec.defaults) <= len(places) - skipped else []
    named = [arg.arg for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if default is None]
    rest = [f"*{spec.vararg.arg}"] if spec.vararg else ["*"] if named else []
    return ", ".join([*needed, *rest, *named] or places[skipped:])


def _named_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
