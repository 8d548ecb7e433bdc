"""Executes every candidate against every suite, as far as it was not executed yet, and counts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from agent.by_output.agreement import RECOMPUTES, made_by
from agent.by_output.demand import demand_of, demand_told
from agent.by_output.running import run_script
from agent.checks.execution import PROBES, SCRIPT, run_suite
from agent.checks.trial import refusals
from agent.context import Context, node
from agent.counting.comparing import (
    by_output,
    comparable_calls,
    corners_of,
    run_inputs,
    speaks_of_chance,
    unjudged_calls,
)
from agent.counting.counted import facts_of, outcomes_so_far
from agent.events import Noted, TournamentHeld
from agent.examples.types import Demand
from agent.law import inspect_new
from agent.law.kept import record
from agent.programs import announce_runs
from agent.session.packages import is_project, may_do_without, needs_of_program
from agent.state import AgentState, Candidate, Run, Update
from agent.state.done import Done
from agent.trust import clusters, rank
from sandbox.types import Program

from .allow import allow, ends

SMALL_CALL = 200
"""The most characters of a call that a slow reference is asked for."""


@node
async def run_tests(state: AgentState, context: Context) -> Update:
    """Runs the suites first. Then records what a given program does, which becomes a suite of its own. Then runs
    generated inputs if programs have to be compared."""
    needs = [] if is_project(state.task) else [_needs_of(candidate, state.task.text) for candidate in state.candidates]
    allowed = await allow(needs, state, context)
    if ends(allowed):
        missing = tuple(dict.fromkeys(name for lacking in needs for name in lacking))
        if not may_do_without(state, missing):
            return allowed
        allowed = Update(done=[Done("without", " ".join(missing))])
    runs = await _all_suites(state, context)
    recorded, shown = await record(state, runs, context)
    if recorded:
        known = replace(state, suites=[*state.suites, *recorded], runs=[*state.runs, *runs])
        runs = [*runs, *await _all_suites(known, context)]
    state = replace(state, suites=[*state.suites, *recorded], runs=[*state.runs, *shown])
    admitted = await _admitted(state, context)
    seen = replace(state, runs=[*state.runs, *runs], admitted=state.admitted | admitted)
    compared = await _compare(seen, context)
    inspections = await inspect_new(seen, context)
    for candidate in state.candidates:
        announce_runs(context, candidate, [run for run in runs if run.candidate == candidate.id])
    if compared and len(state.candidates) > 1:
        _tell_tournament(replace(seen, runs=[*seen.runs, *compared]), context)
    ran = [*shown, *runs, *compared]
    known = {one for run in state.runs for one in run.execution.installed}
    if new := sorted({one for run in ran for one in run.execution.installed} - known):
        context.emit(Noted(f"installed for this run, from wheels: {', '.join(new)}"))
    return {**allowed, "suites": recorded, "runs": ran, "admitted": admitted, "inspections": inspections}


def _needs_of(candidate: Candidate, task: str) -> tuple[str, ...]:
    return needs_of_program(Program(solution=candidate.code), task)


async def _admitted(state: AgentState, context: Context) -> dict[str, str]:
    """Asks the validator about the calls that it has not been asked about."""
    calls = unjudged_calls(state)
    if not calls:
        return {}
    domain = state.domains[-1]
    return dict(await refusals(context, state.config, domain.source, domain.entry, calls))


async def _all_suites(state: AgentState, context: Context) -> list[Run]:
    batches = await asyncio.gather(*(_suites(state, context, candidate) for candidate in state.candidates))
    return [run for batch in batches for run in batch]


async def _suites(state: AgentState, context: Context, candidate: Candidate) -> list[Run]:
    ran = {run.suite for run in state.runs if run.candidate == candidate.id and not _is_outdated(state, run)}
    waiting = [run_suite(context, state.config, candidate, suite) for suite in state.suites if suite.id not in ran]
    if SCRIPT not in ran and _is_script(state):
        read = candidate.strategy == RECOMPUTES
        made = made_by(state, candidate.parent or "", demand_of(state)) if read else {}
        demand, speaks = Demand() if read else demand_told(state), by_output(state)
        waiting.append(run_script(context, state.config, candidate, demand, speaks=speaks, made=made))
    return list(await asyncio.gather(*waiting))


def _is_outdated(state: AgentState, run: Run) -> bool:
    """Returns whether no check of the suite began, and some of them were taken away since: without those the others
    may begin."""
    left = {check.id for suite in state.suites if suite.id == run.suite for check in suite.checks}
    return not run.reported and bool(left) and not left >= set(run.outcomes)


def _is_script(state: AgentState) -> bool:
    """Returns whether the candidate is run as a script, because it is judged by its output, or because without any
    suite nothing else could be executed."""
    return by_output(state) or not state.suites


def _worth_comparing(state: AgentState) -> bool:
    """Returns whether programs must be compared: there are several, or a check fails, so that it matters what each
    answers."""
    failing = any(outcome.status != "pass" for run in state.runs for outcome in run.outcomes.values())
    return len(state.candidates) > 1 or failing


async def _compare(state: AgentState, context: Context) -> list[Run]:
    """Runs the inputs on which programs are compared. A single program is only run at corners, to see whether it
    crashes there."""
    wanted_of_all = comparable_calls(state) if _worth_comparing(state) else corners_of(state)
    calls = {c.id: _within_reach(state, c, wanted_of_all) for c in state.candidates}
    known = {(run.candidate, call) for run in state.runs if run.suite == PROBES for call in run.outputs}
    alive = [c for c in state.candidates if _passes_something(state, c)]
    wanted = [(c, [call for call in calls[c.id] if (c.id, call) not in known]) for c in alive]
    return list(await asyncio.gather(*(run_inputs(context, state, c, new) for c, new in wanted if new)))


def _within_reach(state: AgentState, candidate: Candidate, calls: Sequence[str]) -> Sequence[str]:
    """Leaves large inputs out for a reference that tries every possibility: each would cost a timeout."""
    if candidate.kind != "reference":
        return calls
    larger = {call for domain in state.domains for call in domain.larger}
    return [call for call in calls if call not in larger and len(call) <= SMALL_CALL]


def _passes_something(state: AgentState, candidate: Candidate) -> bool:
    """Returns whether the program passes some check. One that passes none cannot testify, and would cost a timeout per
    input; where chance may decide what the checks meet, it may be right all the same."""
    outcomes = outcomes_so_far(state, candidate.id)
    return not outcomes or speaks_of_chance(state) or any(one.status == "pass" for one in outcomes.values())


def _tell_tournament(state: AgentState, context: Context) -> None:
    facts = facts_of(state)
    context.emit(
        TournamentHeld(ranking=rank(facts), clusters=clusters(facts), inputs=len(facts.valid) + len(facts.probes))
    )
