"""Runs given code on what the task reports about it, before anything is written. Only a fault that was seen counts as a
symptom."""

from __future__ import annotations

from dataclasses import replace

from agent.checks.execution import run_each_alone
from agent.context import Context, node
from agent.events import Noted
from agent.given.symptoms import (
    calls_to_try,
    given_program,
    kept_already,
    reproduction_of,
    symptom_suite,
    wishes_of,
)
from agent.programs import add_suite, announce_ruling, example_suite
from agent.state import AgentState, Ruling, Suite, Update

WISHED = "wished"
NOTHING_NEW = "the given program already does all that the report says should be, so that nothing of it is a promise"


@node
async def reproduce(state: AgentState, context: Context) -> Update:
    """Turns each reproduced symptom into a check that the program must behave otherwise, and tells what could not be
    reproduced. Results that the text states, without reporting a fault, and that the program does not give, become
    promises."""
    given = given_program(state)
    calls = calls_to_try(state.brief) if state.brief else ()
    if given is None or not calls:
        return {}
    run = await run_each_alone(context, state.config, given, calls)
    found = reproduction_of(replace(state, runs=[*state.runs, run]))
    for line in found.told:
        context.emit(Noted(f"reproduced on the given program: {line}"))
    wishes = wishes_of(state.brief, run) if state.brief and state.config.examples else ()
    suites = [suite for suite in (symptom_suite(found.symptoms), example_suite(wishes, WISHED)) if suite is not None]
    for suite in suites:
        context.emit(add_suite(suite))
    update = Update(runs=[run], problems=list(found.doubts), suites=suites)
    idle = kept_already(state.brief, run, found) if state.brief and not wishes else ()
    if state.brief and idle:
        update["brief"] = replace(state.brief, examples=())
        update["rulings"], gone = _taken_from_the_law(state, context)
        update["suites"] = [*suites, *gone]
        update["problems"] = [*found.doubts, f"{NOTHING_NEW}: {', '.join(one.call or '' for one in idle)}"]
    if state.brief and wishes:
        update["brief"] = replace(state.brief, examples=(*state.brief.examples, *wishes))
    return update


def _taken_from_the_law(state: AgentState, context: Context) -> tuple[list[Ruling], list[Suite]]:
    """Returns rulings on the checks read from the task's words, and their suites without checks, which removes
    those."""
    stated = [suite for suite in state.suites if suite.origin == "task"]
    rulings = [Ruling(one.id, "test", "trust", NOTHING_NEW) for suite in stated for one in suite.checks]
    for ruling in rulings:
        announce_ruling(context, ruling)
    return rulings, [replace(suite, checks=()) for suite in stated]
