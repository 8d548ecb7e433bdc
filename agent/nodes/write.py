"""The first tests and the first program, written at the same time by roles that do not see each other."""

from __future__ import annotations

from agent.checks import UnusableTests, hold_out, parse_suite
from agent.context import Ask, Context, node
from agent.given.symptoms import given_program
from agent.given.words import task_told
from agent.programs import add_suite, announce, files_told, make_candidate, own_candidate, signature_of
from agent.roles import GENERATOR, SPEC_TESTER
from agent.state import AgentState, Update

CHECKS_WANTED = 7


@node
async def write_spec_tests(state: AgentState, context: Context) -> Update:
    """Tests from the task text alone: neither plan nor code is shown."""
    kind = state.brief.form if state.brief else "function"
    if not state.config.spec_tests or kind == "data":
        return {}
    refused = ""
    for number in (1, 2):
        reply = await context.attempt(
            SPEC_TESTER,
            "write_class_or_program" if kind in ("class", "program") else "write",
            step=f"spec:{number}",
            task=task_told(state),
            signature=signature_of(state),
            packages=list(await context.session.sandbox.packages()),
            count=CHECKS_WANTED,
            kind=kind,
            refused=refused,
        )
        if reply is None:
            return {}
        try:
            suite = hold_out(parse_suite(reply.code, "spec:1", "spec"), state.config.held_out)
        except UnusableTests as error:
            refused = str(error)
            continue
        context.emit(add_suite(suite))
        return {"suites": [suite]}
    return {"problems": [f"the spec tester's suite was dropped: {refused}"], "done": ["failed:spec:1"]}


@node
async def write_code(state: AgentState, context: Context) -> Update:
    """The first program. Code that came with the task is the first program already; where it shall be extended, its
    extension is written at once."""
    given = given_program(state)
    if given is not None and (state.brief is None or state.brief.kind != "extend"):
        return {}
    reply = await context.attempt(
        GENERATOR,
        "first",
        step="first",
        options=Ask(needed=True, data={"kind": "first", "written": 0}),
        task=task_told(state),
        plan=state.plan or "",
        signature=signature_of(state),
        packages=list(await context.session.sandbox.packages()),
        lessons=state.lessons,
        code=state.task.code or "",
        files=files_told(state),
    )
    if reply is None:
        return {}
    if given is None:
        candidate = make_candidate(state, reply, "first")
    else:
        candidate = own_candidate(state, reply, given, strategy="extend")
    announce(context, state, candidate)
    return {"candidates": [candidate]}


@node
async def second_attempt(state: AgentState, context: Context) -> Update:
    """A program written anew from the task alone: independent of every other, or because a family is stuck."""
    kind = state.decisions[-1].attempt
    number = 1 + sum(c.kind == kind for c in state.candidates) + sum(d.startswith(f"failed:{kind}") for d in state.done)
    step = f"{kind}:{number}"
    known = {
        "task": task_told(state),
    }
    if kind == "rewrite":
        approaches = [f"{c.id}: {c.note or c.kind}" for c in state.candidates]
        reply = await context.attempt(
            GENERATOR,
            "rewrite",
            step=step,
            options=Ask(escalate=number, temperature=0.8, data={"kind": kind, "written": len(state.candidates)}),
            failed_approaches=approaches,
            failure=state.diagnoses[-1].explanation if state.diagnoses else "",
            **known,
        )
    else:
        reply = await context.attempt(
            GENERATOR,
            "independent",
            step=step,
            options=Ask(temperature=0.8, data={"kind": kind, "written": len(state.candidates)}),
            signature=signature_of(state),
            packages=list(await context.session.sandbox.packages()),
            files=files_told(state),
            **known,
        )
    if reply is None:
        return {}
    candidate = make_candidate(state, reply, "rewrite" if kind == "rewrite" else "independent")
    announce(context, state, candidate)
    return {"candidates": [candidate]}
