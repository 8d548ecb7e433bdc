"""Reads the kind of the task again, with the planner's help, when no test fits the program."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from agent.by_output.fate import SILENT
from agent.context import Context, node
from agent.counting.comparing import by_output
from agent.counting.counted import outcomes_so_far, runs_of
from agent.dialogue.telling import leaves_name_open
from agent.events import Noted, TaskClassified
from agent.examples import read_brief
from agent.examples.types import BY_OUTPUT, Brief, TaskKind
from agent.given.words import task_told
from agent.programs import add_suite, announce_ruling, example_suite, with_chosen_name
from agent.session.roles import PLANNER
from agent.source.parsing import module_of
from agent.state import AgentState, Candidate, Ruling, Update
from agent.state.done import Done
from agent.trust.facts import ANCHORS

from .intake import kinds_for
from .plan import kind_told
from .write import blind_suites

_UNKNOWN = re.compile(
    r"NameError: name '(\w+)'|cannot import name '(\w+)' from 'solution'|module 'solution' has no attribute '(\w+)'"
)


def doubt_of(state: AgentState) -> str:
    """Returns, in one sentence, why the kind that code read may be wrong. Returns "" if nothing speaks against it, if
    the person or the task shows what is called, or if the kind was read again already."""
    brief = state.brief
    certain = state.task.code or state.task.tests or any(suite.origin in ANCHORS for suite in state.suites)
    if brief is None or certain or state.did("looked again") or state.config.plan == "never" or not state.candidates:
        return ""
    if brief.kind in (*BY_OUTPUT, "program"):
        return _starts_nothing(state, brief.kind, state.candidates[-1])
    missing = {name for candidate in state.candidates for name in _missing_names(state, candidate)}
    return f"tests call {', '.join(sorted(missing))}, which the program does not define" if missing else ""


def _missing_names(state: AgentState, candidate: Candidate) -> set[str]:
    """Returns names that every test of the candidate wants and the candidate lacks; the empty set if one test ran."""
    outcomes = outcomes_so_far(state, candidate.id)
    wanted = [_UNKNOWN.search(outcome.message) for outcome in outcomes.values()]
    names = {name for found in wanted if found for name in found.groups() if name}
    return set() if None in wanted or names & _defined(candidate.code) else names


def _starts_nothing(state: AgentState, kind: str, candidate: Candidate) -> str:
    """Returns a sentence if the candidate only defines things although it should put something out; "" otherwise."""
    silent = kind == "program" or any(run.lacks == SILENT for run in runs_of(state, candidate.id))
    names = _defined(candidate.code)
    if not silent or not names or not _only_defines(candidate.code):
        return ""
    return f"the program puts out nothing by itself, it only defines {', '.join(sorted(names))}"


def _defined(code: str) -> set[str]:
    body = module_of(code).body
    return {each.name for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}


def _only_defines(code: str) -> bool:
    """Returns whether nothing happens when the code is started."""
    idle = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Assign
    idle |= ast.AnnAssign
    texts = (each for each in ast.parse(code).body if not isinstance(each, idle))
    return all(isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in texts)


@node
async def look_again(state: AgentState, context: Context) -> Update:
    """Asks the planner once for the kind. If it is another one, removes the tests so far, because they ask for
    something else. The programs stay and are tested as the new kind."""
    doubt, brief = doubt_of(state), state.brief
    assert brief is not None
    facts = [kind_told(state.task, replace(brief, sure=False)), f"what makes it doubtful: {doubt}"]
    told = task_told(state)
    reply = await context.ask_or_none(
        PLANNER, "plan", question="kind", task=told, code="", brief="\n".join(facts), plan="", wish=""
    )
    if reply is None or reply.kind not in kinds_for(state.task) or reply.kind == brief.kind:
        return Update(done=[Done("looked again")])
    kind = reply.kind
    context.emit(Noted(f"{doubt}: the task was taken for a {brief.kind}, and is now taken for a {kind}"))
    return await _go_on_as_kind(state, context, brief, kind)


async def _go_on_as_kind(state: AgentState, context: Context, old: Brief, kind: TaskKind) -> Update:
    new = read_brief(state.task.text, None, state.task.files, kind)
    if leaves_name_open(replace(state, brief=new)):
        new = with_chosen_name(new, state.candidates[-1].code)
    examples = tuple(example.source for example in new.examples)
    context.emit(TaskClassified(task_kind=kind, hard=new.hard, signature=new.signature, examples=examples))
    checks = [check for suite in state.suites for check in suite.checks]
    reason = f"it was written for a {old.kind}, and the task asks for a {kind}"
    rulings = [Ruling(check.id, "test", "trust", reason) for check in checks]
    for ruling in rulings:
        announce_ruling(context, ruling)
    suite = example_suite(new.examples) if state.config.examples else None
    if suite is not None:
        context.emit(add_suite(suite))
    stated = [suite] if suite is not None else []
    changed = replace(state, brief=new, rulings=[*state.rulings, *rulings], suites=[*state.suites, *stated])
    written = Update() if by_output(changed) else await blind_suites(changed, context)
    taken_away = [replace(suite, checks=()) for suite in state.suites]
    return Update(
        brief=new,
        rulings=rulings,
        suites=[*taken_away, *stated, *written.get("suites", [])],
        problems=written.get("problems", []),
        done=[Done("looked again"), *written.get("done", [])],
    )
