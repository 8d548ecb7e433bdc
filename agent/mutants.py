"""The mutation check: how many small wrong versions of the program its own checks notice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from sandbox.types import Limits, Program

from .checks import compose, outcomes_of
from .context import Context
from .facts import outcomes_so_far
from .mutation import Mutant, mutants
from .state import AgentState, Candidate, Mutation, Suite

MAX_MUTANTS = 30
AT_ONCE = 4


async def measure(state: AgentState, context: Context, candidate: Candidate) -> Mutation | None:
    """Run mutants of the candidate against the checks it passes, within the time that the flag allows.

    None when the flag is 0, nothing passes, or there is nothing to mutate. A mutant that no check tells from the
    candidate survives; whether it means anything else is for the adversary to find out.
    """
    passed = {key for key, outcome in outcomes_so_far(state, candidate.id).items() if outcome.status == "pass"}
    suites = [suite for suite in state.suites if any(check.id in passed for check in suite.checks)]
    if not state.config.mutation_seconds or not suites:
        return None
    made = mutants(candidate.code, MAX_MUTANTS)
    deadline = time.monotonic() + state.config.mutation_seconds
    gate = asyncio.Semaphore(AT_ONCE)

    async def judged(mutant: Mutant) -> frozenset[str] | None:
        async with gate:
            if time.monotonic() > deadline:
                return None
            return await _killers(state, context, mutant, suites, passed)

    killers = await asyncio.gather(*(judged(mutant) for mutant in made))
    run = [(mutant, by) for mutant, by in zip(made, killers, strict=True) if by is not None]
    if not run:
        return None
    return Mutation(
        candidate=candidate.id,
        killed=sum(bool(by) for _, by in run),
        total=len(run),
        survivors=tuple(mutant.change for mutant, by in run if not by),
        killed_by=tuple(sorted({key for _, by in run for key in by})),
    )


async def _killers(
    state: AgentState, context: Context, mutant: Mutant, suites: Sequence[Suite], passed: set[str]
) -> frozenset[str]:
    """Ids of the checks that the mutant fails and the program passes."""
    found: set[str] = set()
    for suite in suites:
        without = {check.id for check in suite.checks if check.id not in passed}
        execution = await context.session.sandbox.run(
            Program(
                solution=mutant.code,
                tests=compose(suite, without),
                files=state.task.files,
                limits=Limits(timeout=min(2.0, state.config.execution_timeout), memory_mb=state.config.memory_mb),
                mode="inprocess",
            )
        )
        outcomes = outcomes_of(suite, execution.checks)
        kept = [check.id for check in suite.checks if check.id in passed]
        found |= {key for key in kept if key not in outcomes or outcomes[key].status != "pass"}
    return frozenset(found)
