"""Take the task in: announce the run, and read by code what the task itself promises."""

from __future__ import annotations

from dataclasses import asdict

from agent import codec
from agent.checks import parse_suite
from agent.context import Context, node
from agent.events import CandidateWritten, Noted, RunStarted, TaskClassified
from agent.examples import read_brief
from agent.programs import add_suite, example_suite
from agent.state import AgentState, Candidate, Update


@node
async def intake(state: AgentState, context: Context) -> Update:
    """Announce the run; the person's own tests and code are its first suite and its first candidate."""
    session, task = context.session, state.task
    context.emit(
        RunStarted(
            task=task.text,
            provider=session.provider,
            model=session.model,
            scripted=session.scripted,
            config=codec.encode_config(state.config),
            isolation=asdict(await session.sandbox.describe()),
        )
    )
    if session.forecast:
        context.emit(Noted(session.forecast))
    update = Update()
    if task.tests:
        suite = parse_suite(task.tests, "person", "person")
        context.emit(add_suite(suite))
        update["suites"] = [suite]
    if task.code:
        given = Candidate(id="c1", code=task.code, kind="given", parent=None, root="c1", note="as it was given")
        context.emit(CandidateWritten(given.id, given.kind, None, "", given.code, "", given.note))
        update["candidates"] = [given]
    return update


@node
async def classify(state: AgentState, context: Context) -> Update:
    """What kind of task it is, what is to be defined, and which examples it gives: read by code, never by a model."""
    brief = read_brief(state.task.text, state.task.code, state.task.files)
    context.emit(
        TaskClassified(
            task_kind=brief.kind,
            hard=brief.hard,
            signature=brief.signature,
            examples=tuple(example.source for example in brief.examples),
        )
    )
    suite = example_suite(brief)
    if suite is None:
        return {"brief": brief}
    context.emit(add_suite(suite))
    return {"brief": brief, "suites": [suite]}
