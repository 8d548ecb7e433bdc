"""Takes the task in: announces the run, reads by code what the task promises, and prepares what depends on that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import get_args

from agent.by_output.missing import MISSING_FILE, files_from, missing_files, named_otherwise, payload_of, with_files
from agent.checks.execution import RUN_PROGRAM
from agent.context import Context, node
from agent.events import (
    CandidateWritten,
    MemoryRecalled,
    Noted,
    QuestionAnswered,
    QuestionAsked,
    RunStarted,
    TaskClassified,
    codec,
)
from agent.examples import read_brief
from agent.examples.types import AS_IT_IS, BY_OUTPUT, OF_GIVEN_CODE, Brief, TaskKind
from agent.given.earlier import as_follow_up, comes_from, guards
from agent.programs import add_suite, example_suite
from agent.session.memory import brought, recall
from agent.session.packages import needs_of_task
from agent.state import AgentState, Candidate, Fork, PersonAnswer, Task, Update
from agent.state.done import Done
from sandbox.types import Artifact

from .allow import allow


@node
async def intake(state: AgentState, context: Context) -> Update:
    """Announces the run and reads what is asked for. The person's own tests are the first suites: they were
    read when the run began."""
    session, task = context.session, state.task
    context.emit(
        RunStarted(
            task=task.text,
            provider=session.provider,
            model=session.model,
            scripted=session.scripted,
            config=codec.configs.encode(state.config),
            isolation=asdict(await session.sandbox.describe()),
            comes_from=comes_from(task),
        )
    )
    if session.forecast:
        context.emit(Noted(session.forecast))
    update = Update(brief=brief_of(task))
    if state.config.memory and (found := await recall(task, session.port)):
        context.emit(MemoryRecalled(brought(found)))
        update["recalled"] = found
    for suite in state.suites:
        context.emit(add_suite(suite))
    return update


@node
async def classify(state: AgentState, context: Context) -> Update:
    """Announces what kind of task it is, what is to be defined, and which examples the task gives. Given code becomes
    the first candidate, and what guards it becomes suites."""
    task, brief = state.task, state.brief
    assert brief is not None
    context.emit(
        TaskClassified(
            task_kind=brief.kind,
            hard=brief.hard,
            signature=brief.signature,
            examples=tuple(example.source for example in brief.examples),
        )
    )
    update = Update(done=[Done("classified")])
    update["problems"] = [told] if (told := named_otherwise(task, brief)) else []
    own = example_suite(brief.examples) if state.config.examples else None
    carried = task.fork.suites if task.fork else guards(task, brief)
    update["suites"] = [*([own] if own else []), *carried]
    for suite in update["suites"]:
        context.emit(add_suite(suite))
    update["candidates"] = [_given(task.code, brief)] if task.code and brief.kind not in BY_OUTPUT else []
    if task.fork:
        update["candidates"].append(_forked(task.fork, update["candidates"]))
    for one in update["candidates"]:
        context.emit(CandidateWritten(one.id, one.kind, one.parent, one.strategy, one.code, "", one.note))
    names = () if is_aborted(state.answers) else missing_files(brief)
    if names:
        update |= await _ask_for(names, state, context)
    if not is_aborted([*state.answers, *update.get("answers", [])]):
        allowed = await allow([needs_of_task(update.get("task", task), brief)], state, context)
        allowed["answers"] = [*update.get("answers", []), *allowed.get("answers", [])]
        update |= allowed
    return update


def _given(code: str, brief: Brief) -> Candidate:
    """Returns given code as a candidate. If its kind of task changes nothing, it is the first program; otherwise
    changes are measured against it."""
    kind = "first" if brief.kind in AS_IT_IS else "given"
    return Candidate(id="c1", code=code, kind=kind, parent=None, root="c1", note="as it was given")


def _forked(fork: Fork, before: list[Candidate]) -> Candidate:
    """Returns a forked attempt as a candidate: a repair of given code, or else the first program."""
    note = f"attempt {fork.attempt} of run {fork.run[:8]}{', as the person edited it' if 'code' in fork.edited else ''}"
    given = before[0] if before and before[0].kind == "given" else None
    if given is None:
        return Candidate(f"c{len(before) + 1}", fork.code, "first", None, f"c{len(before) + 1}", note=note)
    return Candidate("c2", fork.code, "repair", given.id, given.root, "fork", note)


def kinds_for(task: Task) -> tuple[TaskKind, ...]:
    """Returns the kinds that a task may have: those of given code if there is code, otherwise the others."""
    return OF_GIVEN_CODE if task.code else tuple(kind for kind in get_args(TaskKind) if kind not in OF_GIVEN_CODE)


def brief_of(task: Task, kind: TaskKind | None = None) -> Brief:
    """Returns what code reads in the task. `kind` is given if somebody has said it already."""
    return _fitting(as_follow_up(read_brief(task.text, task.code, task.files, kind), task), task)


def is_aborted(answers: Iterable[PersonAnswer]) -> bool:
    return any(answer.action == "abort" for answer in answers)


def _fitting(brief: Brief, task: Task) -> Brief:
    """Takes the kind from the person's own tests: a program if they start one, otherwise a function."""
    if not task.tests or brief.kind in OF_GIVEN_CODE or (brief.sure and brief.kind not in BY_OUTPUT):
        return brief
    return replace(brief, kind="program" if RUN_PROGRAM in task.tests else "function", sure=True)


async def _ask_for(names: tuple[str, ...], state: AgentState, context: Context) -> Update:
    """Asks the person for missing files before any model is asked, since only the person has them."""
    payload = payload_of(names)
    context.emit(QuestionAsked(MISSING_FILE, payload))
    answer = context.pause(MISSING_FILE, payload)
    action = str(answer.get("action", "approve"))
    given = files_from(answer, names) if action != "abort" else {}
    context.emit(QuestionAnswered(MISSING_FILE, action, ", ".join(given)))
    for name, data in given.items():
        await context.keep(Artifact(f"data/{name}", "application/octet-stream", data))
    update = Update(answers=[PersonAnswer(MISSING_FILE, action, ", ".join(given))])
    if given:
        update["task"] = with_files(state.task, given, names)
        if state.steps:
            update["steps"] = replace(state.steps, files=update["task"].files)
    return update
