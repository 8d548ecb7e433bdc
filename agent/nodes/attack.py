"""Attacks on a program that passes: adversarial tests, and the critic's last look."""

from __future__ import annotations

from dataclasses import replace

from agent.checks import UnusableTests, parse_suite
from agent.context import Context, node
from agent.events import CriticSpoke, MutationMeasured
from agent.execution import run_calls
from agent.failures import shown_checks
from agent.given.words import task_told
from agent.mutants import measure
from agent.programs import add_suite, candidate_of
from agent.roles import ADVERSARY, CRITIC, CriticReply
from agent.state import AgentState, Candidate, Check, Suite, Update
from agent.values import is_literal, same_value

MAX_INPUTS = 20


@node
async def write_adversarial_tests(state: AgentState, context: Context) -> Update:
    """The adversary sees the code, and which small wrong versions of it the checks so far did not notice."""
    candidate = candidate_of(state, state.decisions[-1].candidate)
    mutation = await measure(state, context, candidate)
    update = Update(done=["adversary"], mutations=[mutation] if mutation else [])
    if mutation:
        context.emit(MutationMeasured(mutation.killed, mutation.total, mutation.survivors))
    reply = await context.attempt(
        ADVERSARY,
        "write",
        step="adversary:1",
        task=task_told(state),
        code=candidate.code,
        known_checks=[check.source for check in shown_checks(state)],
        survivors=list(mutation.survivors) if mutation else [],
    )
    if reply is None:
        return update
    update["inputs"] = list(reply.inputs)[:MAX_INPUTS]
    if not reply.code:
        return update
    try:
        suite = parse_suite(reply.code, "adversary:1", "adversary", against=candidate.id)
    except UnusableTests as error:
        update["problems"] = [f"the adversarial suite was dropped: {error}"]
        return update
    context.emit(add_suite(suite))
    update["suites"] = [suite]
    return update


@node
async def critic(state: AgentState, context: Context) -> Update:
    """An objection counts only with a failing input, which is executed here and now; else it is a note."""
    candidate = candidate_of(state, state.decisions[-1].candidate)
    evidence = [f"{check.name}: {check.source}" for check in shown_checks(state)]
    reply = await context.attempt(
        CRITIC, "review", step="critic:1", task=task_told(state), code=candidate.code, evidence=evidence
    )
    update = Update(done=["critic"])
    if reply is None or not reply.objection:
        return update
    suite = await _witness(state, context, candidate, reply)
    context.emit(CriticSpoke(reply.objection, reply.input, suite is not None))
    if suite is not None:
        context.emit(add_suite(suite))
        update["suites"] = [suite]
    return update


async def _witness(state: AgentState, context: Context, candidate: Candidate, reply: CriticReply) -> Suite | None:
    """The objection as a check, when executing its input really gives something else than the critic expects."""
    if not reply.input or not is_literal(reply.expected):
        return None
    run = await run_calls(context, state.config, candidate, [reply.input])
    given = run.outputs[reply.input]
    if given.kind == "value" and same_value(given.text, reply.expected):
        return None
    source = f"def test_objection():\n    assert {reply.input} == {reply.expected}"
    try:
        suite = parse_suite(source, "critic:1", "critic", against=candidate.id)
    except UnusableTests:
        return None
    return Suite(
        suite.id, suite.origin, suite.header, tuple(_with_reason(c, reply) for c in suite.checks), candidate.id
    )


def _with_reason(check: Check, reply: CriticReply) -> Check:
    return replace(check, call=reply.input, expected=reply.expected, sentence=reply.objection)
