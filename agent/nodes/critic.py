"""The critic: takes a last look at a program that passes."""

from __future__ import annotations

from dataclasses import replace

from agent.checks.execution import run_calls
from agent.checks.splitting import UnusableTests, parse_suite
from agent.context import Context, node
from agent.dialogue.telling import decided_told, outcomes_told
from agent.events import CriticSpoke
from agent.given.words import task_told
from agent.programs import add_suite, candidate_of
from agent.session.roles import CRITIC, CriticReply
from agent.source.values import alike, spells_a_value
from agent.state import AgentState, Candidate, Check, Suite, Update
from agent.state.done import Done


@node
async def critic(state: AgentState, context: Context) -> Update:
    """Asks the critic for an objection. It counts only with a failing input, which is executed at once; otherwise it is
    a note."""
    candidate = candidate_of(state, state.decisions[-1].candidate)
    evidence, decided = outcomes_told(state, candidate.id), decided_told(state)
    reply = await context.ask_or_none(
        CRITIC, "review", question="critic:1",
        task=task_told(state), code=candidate.code, evidence=evidence, decided=decided,
    )  # fmt: skip
    update = Update(done=[Done("critic")])
    if reply is None or not reply.objection:
        return update
    suite = await _witness(state, context, candidate, reply)
    context.emit(CriticSpoke(reply.objection, reply.input, suite is not None))
    if suite is not None:
        context.emit(add_suite(suite))
        update["suites"] = [suite]
    return update


async def _witness(state: AgentState, context: Context, candidate: Candidate, reply: CriticReply) -> Suite | None:
    """Returns the objection as a check, if executing its input really gives something else than the critic expects."""
    if not reply.input or not spells_a_value(reply.expected):
        return None
    run = await run_calls(context, state.config, candidate, [reply.input])
    given = run.outputs[reply.input]
    if given.kind == "value" and alike(given.text, reply.expected):
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
