"""Goes from one step of a task to the next: keeps what passed, and works on the next step with the files so far."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from agent.by_output.demand import demand_of
from agent.by_output.running import run_script, show
from agent.context import Context, node, replaced
from agent.counting.counted import facts_of, reasons_to_stop
from agent.counting.signs import signs_in
from agent.events import Noted
from agent.outcome.final import came_to, left_by, word_for, word_without_program
from agent.programs import announce, announce_runs, candidate_of, last_number
from agent.session.packages import lacks
from agent.state import AgentState, Candidate, Task, Update
from agent.state.done import done_of
from agent.state.steps import Steps
from agent.task.steps import (
    brief_of,
    brief_of_all,
    program_of,
    reopened,
    task_of,
    to_be_reopened,
)
from agent.trust import rank, verdict

from .repair import learned

JOINED = "steps"
"""The strategy of the program that is joined from the programs of the steps."""


@node
async def next_step(state: AgentState, context: Context) -> Update:
    """Keeps the result of the open step and begins the next one; after the last one, joins all into one program."""
    steps = state.steps
    assert steps is not None
    over = False
    if steps.at >= 0:
        steps = await _kept(state, steps, context)
        failed = steps.parts[steps.at].word == "failed"
        earlier = to_be_reopened(steps)
        ended = lacks(state) or reasons_to_stop(state) or context.session.exhausted()
        over = bool(ended) or (failed and earlier is None)
        if not over and earlier is not None:
            context.emit(Noted(f"step {earlier + 1} is opened again, because step {steps.at + 1} failed"))
            steps = replace(reopened(steps, earlier), at=earlier - 1)
    if over or steps.at + 1 == len(steps.parts):
        return await _joined(state, steps, context)
    return _begun(state, replace(steps, at=steps.at + 1), context)


async def _kept(state: AgentState, steps: Steps, context: Context) -> Steps:
    """Returns the steps with the open one completed: its best program, its verdict, and the files that it leaves."""
    step, facts = steps.parts[steps.at], facts_of(state)
    if not facts.candidates:
        word, reason = word_without_program(step, next(iter(reasons_to_stop(state)), ""))
        done = replace(step, word=word, reason=reason)
    elif gone := lacks(state):
        done = replace(step, code=state.candidates[-1].code, word="unverified", reason=gone)
    else:
        best, demand = candidate_of(state, rank(facts)[0]), demand_of(state)
        shown = await show(context, state.config, best.code, demand)
        found = verdict(facts, confirmed=False, candidate=best.id, signs=signs_in(state, best.code))
        word, reason = word_for(step, found, demand, shown)
        seen = tuple(one.told for one in shown.left if not one.fault)
        beside = tuple(one.code for one in state.candidates if one.root != best.root)
        done = replace(
            step, code=best.code, beside=beside, word=word, reason=reason, left=left_by(shown) or {}, seen=seen
        )
    done = replace(done, lessons=tuple(dict.fromkeys((*step.lessons, *learned(state)))))
    context.emit(Noted(f"step {steps.at + 1} of {len(steps.parts)}: {done.word}: {came_to(done)}"))
    parts = (*steps.parts[: steps.at], done, *steps.parts[steps.at + 1 :])
    return replace(steps, parts=parts, written=last_number(state))


def _begun(state: AgentState, steps: Steps, context: Context) -> Update:
    """Begins a step. Programs, decisions and lessons of the step before are removed, so that each step may be repaired
    as often as a whole task. A program that this step has already is tried again."""
    step = steps.parts[steps.at]
    task = task_of(steps, steps.at)
    context.emit(Noted(f"step {steps.at + 1} of {len(steps.parts)} begins: {step.task}"))
    kept: list[Candidate] = []
    if step.code and not step.blamed:
        note = "as it was, with other files before it"
        kept = [_kept_program(steps, place, code, note) for place, code in enumerate((step.code, *step.beside))]
    for one in kept:
        announce(context, replace(state, candidates=[], steps=steps), one)
    brief = brief_of(steps, steps.at, task)
    return {**_cleared(state, kept), "steps": steps, "task": task, "brief": brief}


async def _joined(state: AgentState, steps: Steps, context: Context) -> Update:
    """Joins all steps into one program and runs it as a whole."""
    done, whole = replace(steps, at=len(steps.parts)), Task(steps.text, files=steps.files)
    if not any(step.code for step in steps.parts):
        return {**_cleared(state, []), "steps": done, "task": whole}
    brief, context.task = brief_of_all(steps), whole
    program = replace(_kept_program(steps, 0, program_of(steps), "the steps, one after the other"), strategy=JOINED)
    announce(context, replace(state, candidates=[], steps=done), program)
    run = await run_script(context, state.config, program, brief.demand)
    announce_runs(context, program, [run])
    return {**_cleared(state, [program]), "steps": done, "task": whole, "brief": brief, "runs": [run]}


def _kept_program(steps: Steps, place: int, code: str, note: str) -> Candidate:
    name = f"c{steps.written + place + 1}"
    return Candidate(name, code, "independent" if place else "first", None, name, note=note)


def _cleared(state: AgentState, candidates: list[Candidate]) -> Update:
    """Returns an update that keeps only what belongs to the new step, and the reasons why the run must end."""
    stays = done_of(state.done, "exhausted", "lacks")
    fresh = {"candidates": candidates, "proposals": [], "diagnoses": [], "decisions": [], "done": stays}
    return cast(Update, {"lessons": [], **{name: replaced(value) for name, value in fresh.items()}})
