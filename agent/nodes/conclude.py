"""The end of a run: confirms the best candidate once more and counts everything that can be counted about it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from agent.by_output.agreement import recomputing
from agent.by_output.demand import demand_of
from agent.checks.execution import measure_coverage, run_suite
from agent.context import Context, node
from agent.counting.comparing import by_output
from agent.counting.counted import facts_of, outcomes_so_far
from agent.counting.signs import signs_in
from agent.events import MutationMeasured, RunFinished
from agent.examples.classify import defines_class
from agent.law import unnamed_in
from agent.law.unnamed import unchecked_demands
from agent.outcome.evidence import Closing, conclusion_of
from agent.outcome.final import verdict_of_run, without_program
from agent.outcome.large import spoiled_by_floats
from agent.outcome.mutants import measure
from agent.outcome.printed import last_run, left_out_of
from agent.outcome.shared import shared_results
from agent.outcome.smallest import with_smallest_change
from agent.outcome.style import with_style
from agent.programs import candidate_of
from agent.session.memory import keep
from agent.session.packages import lacks
from agent.state import AgentState, Candidate, Mutation, Update
from agent.trust import Chance, Verdict, chance, rank, verdict
from sandbox.types import SELF_ANSWERED

from .repair import learned


@node
async def conclude(state: AgentState, context: Context) -> Update:
    """Emits the outcome: the best program with its verdict. The program that was written last has no precedence."""
    facts = facts_of(state, context.session.exhausted())
    best = candidate_of(state, rank(facts)[0]) if facts.candidates else None
    if best is not None and not lacks(state):
        known = state
        state, best = await with_smallest_change(state, context, best)
        facts = facts if state is known else facts_of(state, context.session.exhausted())
    isolation = await context.session.sandbox.describe()
    exhausted = facts.spent.exhausted
    if best is None or lacks(state):
        closing = Closing(best, without_program(state), False, None, None, isolation, exhausted)
        context.emit(RunFinished(conclusion_of(state, facts, closing)))
        return {}
    best, style = await with_style(state, context, facts, best)
    (confirmed, reason), mutation, coverage, spoiled, shared = await asyncio.gather(
        _confirm(state, context, best),
        _mutation(state, context, best),
        measure_coverage(context, state.config, best, state.suites),
        spoiled_by_floats(state, context, best),
        shared_results(state, context, best),
    )
    if mutation is not None and mutation not in state.mutations:
        context.emit(MutationMeasured(mutation.killed, mutation.total, mutation.survivors))
    shown = await last_run(state, context, best)
    signs = [*signs_in(state, best.code), *spoiled, *shared, *(left_out_of(state, shown) if shown else ())]
    passed_over = [] if state.steps else unnamed_in(state, best.id)
    signs += unchecked_demands(passed_over)
    ruled = verdict(
        replace(facts, passed_over=bool(passed_over)),
        confirmed=confirmed,
        candidate=best.id,
        unconfirmed_reason=reason,
        signs=signs,
        self_judged=SELF_ANSWERED in reason and _asks_for_functions(state),
    )
    signs = [*facts.contradictions, *signs]
    ruled = verdict_of_run(state, ruled, shown, signs, passed_over)
    told = _chance(state, ruled, confirmed and not signs)
    if state.config.memory:
        keep(state.task, _learned(state), ruled.word, context.session)
    closing = Closing(best, ruled, confirmed, mutation, coverage, isolation, exhausted, told, style, passed_over, shown)
    state = replace(state, problems=[*state.problems, *context.problems])
    context.emit(RunFinished(conclusion_of(state, facts, closing)))
    return {"mutations": [mutation]} if mutation else {}


def _learned(state: AgentState) -> list[str]:
    """Returns what was learned in all of the run, step by step if it has several."""
    return [*(one for step in (state.steps.parts if state.steps else ()) for one in step.lessons), *learned(state)]


def _asks_for_functions(state: AgentState) -> bool:
    """Returns whether the task neither asks for a class nor gives one. No object should then answer comparisons by code
    of the program."""
    return state.brief is not None and state.brief.form == "function" and not defines_class(state.task.code or "")


def _chance(state: AgentState, ruled: Verdict, repeated: bool) -> Chance | None:
    """Returns how often such evidence was right. None when the stored runs say nothing: they hold functions written
    from a text, and passes that were repeated (`repeated`) and not written for their checks."""
    alike = state.brief is not None and state.brief.kind == "function" and state.task.code is None
    if state.config.believe_tests or ruled.grounds is None or not alike or not (repeated or ruled.grounds.failed):
        return None
    return chance(ruled.grounds)


async def _confirm(state: AgentState, context: Context, best: Candidate) -> tuple[bool, str]:
    """Returns whether the split runner repeated every pass that counts, and otherwise why not. A suite with failing or
    set-aside checks was never confirmed as a whole, so it is run again without them."""
    if not state.suites and demand_of(state).by_chance and best.id not in recomputing(state).values():
        return False, "its data are left to chance or to its author, so that no other program can recompute its figures"
    if not state.suites:
        alone = "a script's output is judged by comparison: no check of it was executed whose pass could be repeated"
        return False, alone if by_output(state) else "there is no check whose pass could be repeated"
    outcomes = outcomes_so_far(state, best.id)
    reasons: list[str] = []
    confirmed_any = False
    for suite in state.suites:
        failing = {
            check.id for check in suite.checks if outcomes.get(check.id) is None or outcomes[check.id].status != "pass"
        }
        if len(failing) == len(suite.checks):
            continue
        run = await run_suite(context, state.config, best, suite, without=failing)
        if run.execution.confirmed:
            confirmed_any = True
        else:
            reasons.append(run.execution.unconfirmed_reason or run.execution.error or "the pass was not repeated")
    return confirmed_any and not reasons, "; ".join(dict.fromkeys(reasons))


async def _mutation(state: AgentState, context: Context, best: Candidate) -> Mutation | None:
    """Returns the mutation score; measures it again if checks were added, or another program won, since the last
    time."""
    last = state.mutations[-1] if state.mutations else None
    attacked = any(suite.origin == "adversary" for suite in state.suites)
    if last is not None and last.candidate == best.id and not (attacked and last.survivors):
        return last
    if state.explanation or (last is None and not state.config.adversary):
        return None
    return await measure(state, context, best)
