"""Writes the first tests and the first program at the same time, by roles that do not see each other's work."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agent.by_output.agreement import RECOMPUTES, made_by
from agent.by_output.choices import choices_of
from agent.by_output.data import files_told
from agent.by_output.demand import demand_of
from agent.by_output.figures import blanked
from agent.checks.execution import SCRIPT
from agent.checks.splitting import UnusableTests, hold_out, parse_suite, without_properties
from agent.context import Context, node, with_problems
from agent.counting.comparing import by_output
from agent.counting.counted import brute_force_of, facts_of
from agent.dialogue.telling import (
    answers_told,
    decided_told,
    failures_told,
    known_claims,
    leaves_name_open,
    lessons_told,
    names_wanted,
    packages_told,
    persons_tests,
    several_files,
    signature_told,
    tried_told,
)
from agent.examples.bruteforce import Form
from agent.examples.vocabulary import has
from agent.given.documentation import documentation
from agent.given.symptoms import given_program
from agent.given.words import task_told
from agent.nodes.hints import hints_on
from agent.nodes.readings import contradictions
from agent.nodes.reference import write_reference
from agent.programs import add_suite, announce, candidate_of, make_candidate, own_candidate, with_chosen_name
from agent.session.packages import libraries_named
from agent.session.question import Ask
from agent.session.roles import GENERATOR, SPEC_TESTER
from agent.state import AgentState, Candidate, Suite, Task, Update
from agent.state.done import Done
from agent.tools import LOOK_UP, Workbench, with_tools
from agent.trust.facts import ANCHORS
from agent.trust.reading import FactsView
from sandbox.types import FileData

CHECKS_WANTED = 7
SHORT_TEXT = 100
"""A text of at most this many characters that says that tests are to pass says nothing else."""
_AUTHORS = {1: "spec", 2: "second_spec"}
"""The names of the steps in which suites are written, by number."""
_BLIND = re.compile(r"spec:(\d+)")


@node
async def write_spec_tests(state: AgentState, context: Context) -> Update:
    """Writes tests from the task alone; their author sees neither plan nor code. A task without any example gets a
    second suite, written without sight of the first: what both state is more than one author's opinion."""
    there = state.task.fork is not None and any(suite.origin == "spec" for suite in state.suites)
    there |= leaves_name_open(state) and not state.candidates  # the tests waited for a program, and none was written
    idle = there or not state.config.spec_tests or by_output(state) or _says_nothing_else(state.task)
    return {} if idle else await blind_suites(state, context)


def _says_nothing_else(task: Task) -> bool:
    """Returns whether the given tests are all there is to go by. Neither the text nor a docstring says more, so an
    author who has not seen the program could only guess."""
    plain = len(task.text) <= SHORT_TEXT and has(task.text, "tests_pass")
    return plain and bool(task.tests) and '"""' not in documentation(task.code or "")


async def blind_suites(state: AgentState, context: Context) -> Update:
    """Writes one or two new suites, numbered after those that exist."""
    kind, last = state.brief.form if state.brief else "function", last_blind(state)
    suites = [write_suite(state, context, kind, last + 1)]
    anchored = any(suite.origin in ANCHORS for suite in state.suites)
    # The second suite gets event ids of its own: which of the two ends first must not decide an event's id.
    beside = replace(context, task_id=f"{context.task_id}:second", problems=[], done=[])
    if state.config.second_suite and not anchored:
        suites.append(write_suite(state, beside, kind, last + 2, second=True))
    first, *more = await asyncio.gather(*suites)
    return joined([tell_suites(context, first), *(_unrepeated(first, one, beside) for one in more)])


def _unrepeated(first: Update, second: Update, beside: Context) -> Update:
    """Returns what the second author brought, without tests that are the first one's once more: the same tests are one
    suite, and confirm nothing."""
    wrote = [[check.source for suite in _blind(update) for check in suite.checks] for update in (first, second)]
    if not wrote[0] or wrote[0] != wrote[1]:
        return tell_suites(beside, second)
    again = "a second author of tests wrote the same ones, which count once"
    others = [suite for suite in second.get("suites", []) if suite not in _blind(second)]
    return {**second, "suites": others, "problems": [*second.get("problems", []), again]}


def _blind(update: Update) -> list[Suite]:
    return [suite for suite in update.get("suites", []) if suite.origin == "spec"]


def tell_suites(context: Context, written: Update) -> Update:
    """Announces the suites that an author wrote, and returns them as they are."""
    for suite in _blind(written):
        context.emit(add_suite(suite))
    return written


def joined(updates: Sequence[Update]) -> Update:
    """Returns what several suites' authors brought, as one update."""
    return Update(
        suites=[suite for update in updates for suite in update.get("suites", [])],
        rulings=[ruling for update in updates for ruling in update.get("rulings", [])],
        problems=[problem for update in updates for problem in update.get("problems", [])],
        done=[one for update in updates for one in update.get("done", [])],
    )


def last_blind(state: AgentState) -> int:
    """Returns the number of the last blind suite that was asked for, whatever became of it."""
    names = [*(suite.id for suite in state.suites), *state.about("failed"), *state.about("renewed")]
    return max((int(found[1]) for name in names if (found := _BLIND.fullmatch(name))), default=0)


async def write_suite(
    state: AgentState, context: Context, kind: str, number: int, *, second: bool = False, refused: str = ""
) -> Update:
    """Writes one blind suite; asks once more, with the reason, if it cannot be used. `refused` says why one before it
    could not be used; it is then asked for once."""
    name = f"spec:{number}"
    for attempt in (1,) if refused else (1, 2):
        reply = await context.ask_or_none(
            SPEC_TESTER,
            "write",
            question=f"{_AUTHORS.get(number, f'spec_{number}')}:{attempt}",
            options=Ask(temperature=0.8 if second else None),
            task=task_told(state),
            signature=signature_told(state),
            packages=packages_told(state, await context.session.sandbox.packages()),
            count=CHECKS_WANTED,
            kind=kind,
            refused=refused,
            known=known_claims(state),
            answers=answers_told(state),
        )
        if reply is None:
            return with_problems({}, context) if second else {}
        if not reply.code and reply.note:
            why = f"the spec tester wrote no tests, and gave as the reason: “{reply.note.rstrip('.')}”"
            return {"problems": [why], "done": [Done("failed", name)]}
        try:
            suite = parse_suite(reply.code or "", name, "spec", own=task_told(state))
            suite = suite if state.config.properties else without_properties(suite)
            suite = hold_out(suite, state.config.held_out)
        except UnusableTests as error:
            refused = str(error)
            continue
        suites, rulings = contradictions(state, context, reply.contradictions, name)
        return {"suites": [suite, *suites], "rulings": rulings}
    return {"problems": [f"the spec tester's suite was dropped: {refused}"], "done": [Done("failed", name)]}


@node
async def write_code(state: AgentState, context: Context) -> Update:
    """Writes the first program. If code is given, nothing is written, except that code to be extended is extended at
    once."""
    given = given_program(state)
    written = any(candidate.kind != "given" for candidate in state.candidates)
    if written or (given is not None and (state.brief is None or state.brief.kind != "extend")):
        return {}
    reply = await context.ask_or_none(
        GENERATOR,
        "first",
        question="first",
        options=replace(
            await _may_look_up(state, context), search=True, needed=True, data={"kind": "first", "written": 0}
        ),
        plan=state.plan or "",
        code=state.task.code or "",
        **await _asked(state, context),
    )
    if reply is None:
        return {}
    if given is None:
        candidate = make_candidate(state, reply, "first")
    else:
        candidate = own_candidate(state, reply, given, strategy="extend")
    announce(context, state, candidate)
    hints = await hints_on(state, context, candidate)
    update = Update(candidates=[candidate], lessons=[*state.lessons, *hints])
    if state.brief is not None and leaves_name_open(state):
        update["brief"] = with_chosen_name(state.brief, candidate.code)
    return update


@node
async def second_attempt(state: AgentState, context: Context) -> Update:
    """Writes another program: from the task alone and independent of every other, or because a family is stuck."""
    kind = state.decisions[-1].attempt
    failed = sum(question.startswith(f"{kind}:") for question in state.about("failed"))
    number = 1 + sum(c.kind == kind for c in state.candidates) + failed
    question = f"{kind}:{number}"
    data = {"kind": kind, "written": len(state.candidates)}
    steps = number if kind == "rewrite" else 0
    options = replace(
        await _may_look_up(state, context), temperature=0.8, data=data, escalate=steps, search=kind == "rewrite"
    )
    if kind == "rewrite" and not state.config.blind_rewrites:
        best = state.decisions[-1].candidate or state.candidates[-1].id
        reply = await context.ask_or_none(
            GENERATOR,
            "rewrite",
            question=question,
            options=options,
            **await asked_to_rewrite(state, context, best),
        )
    elif kind == "independent" and (form := _brute_force(state)) is not None:
        return await write_reference(state, context, form, number)
    elif kind == "rewrite":
        first = {"plan": state.plan or "", "code": "", **await _asked(state, context)}
        reply = await context.ask_or_none(GENERATOR, "first", question=question, options=options, **first)
    elif made := _made_for_itself(state):
        return await _recompute(state, context, made, question, options)
    else:
        asked = await _asked(state, context) | {"again": _was_repeated(state)}
        reply = await context.ask_or_none(GENERATOR, "independent", question=question, options=options, **asked)
    if reply is None:
        return {}
    candidate = make_candidate(state, reply, "rewrite" if kind == "rewrite" else "independent")
    announce(context, state, candidate)
    return {"candidates": [candidate]}


def _was_repeated(state: AgentState) -> bool:
    """Returns whether the best program was written once more by an author who had not seen it."""
    reading = FactsView(facts_of(state))
    return reading.repeats(reading.candidates[state.decisions[-1].candidate or ""]) > 0


def _made_for_itself(state: AgentState) -> dict[str, FileData]:
    """Returns the data files that the best program made by its own choice."""
    return made_by(state, state.decisions[-1].candidate or "", demand_of(state))


async def _recompute(
    state: AgentState, context: Context, made: dict[str, FileData], question: str, options: Ask
) -> Update:
    """Asks for a program that computes, from the files that the best program made, the figures which that one prints.
    It makes no data itself and is never the answer."""
    best = candidate_of(state, state.decisions[-1].candidate)
    run = next(run for run in state.runs if (run.candidate, run.suite) == (best.id, SCRIPT))
    asked = await _asked(state, context) | {"files": await files_told(context, made)}
    asked = {name: asked[name] for name in ("task", "packages", "files", "answers")}
    printed = run.execution.stdout
    told = {"form": blanked(printed), "choices": choices_of(best.code, printed)}
    reply = await context.ask_or_none(GENERATOR, "recompute", question=question, options=options, **told, **asked)
    if reply is None:
        return {}
    candidate = make_candidate(state, reply, "reference", parent=best, strategy=RECOMPUTES)
    announce(context, state, candidate)
    return {"candidates": [candidate]}


async def _may_look_up(state: AgentState, context: Context) -> Ask:
    """Returns the options with which an author is asked. If the task names installed libraries, the author may look
    them up."""
    here = libraries_named(state.task.text, await context.session.sandbox.packages())
    unwritten = Candidate("", "", "first", None, "")
    asked = with_tools(Workbench(state, context, unwritten), LOOK_UP, turn_mark=":look") if here else Ask()
    return replace(asked, names=names_wanted(state))


def _brute_force(state: AgentState) -> Form | None:
    """Returns how the first witness besides the best program is asked for; None for later ones, which are written like
    any other program."""
    witnessed = any(c.kind in ("independent", "reference") for c in state.candidates)
    asked = any(suite.origin == "reference" for suite in state.suites) or state.did("failed", "independent:1")
    return None if witnessed or asked or not state.config.reference else brute_force_of(state)


async def _asked(state: AgentState, context: Context) -> dict[str, Any]:
    """Returns what an author is told who must not know of another program: the task, and what the person added to
    it."""
    return {
        "task": task_told(state),
        "kind": state.brief.kind if state.brief else "function",
        "signature": signature_told(state),
        "packages": packages_told(state, await context.session.sandbox.packages()),
        "files": await files_told(context),
        "tests": persons_tests(state),
        "several": several_files(state),
        "answers": answers_told(state),
    }


async def asked_to_rewrite(state: AgentState, context: Context, best: str) -> dict[str, Any]:
    """Returns what the author of a rewrite is told: which programs failed, and what the best of them does wrong."""
    tried = [candidate for candidate in state.candidates if candidate.id == best or _failed(state, candidate)]
    return {
        "task": task_told(state),
        "signature": signature_told(state),
        "packages": packages_told(state, await context.session.sandbox.packages()),
        "files": await files_told(context),
        "tried": tried_told(tried),
        "lessons": lessons_told(state),
        "several": several_files(state),
        "failures": failures_told(state, best)[:3],
        "decided": decided_told(state),
    }


def _failed(state: AgentState, candidate: Candidate) -> bool:
    """Returns whether something that was executed speaks against the program; only such a program may be called a
    failure."""
    facts = next(one for one in facts_of(state).candidates if one.id == candidate.id)
    return bool(facts.broken or facts.lost or facts.breaches) or any(ended != "P" for ended in facts.outcomes.values())
