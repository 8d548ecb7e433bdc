"""The mutation check: how many small wrong versions of the program its own checks notice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sandbox.types import Limits, Program

from . import codec
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
    key = f"mutation:{candidate.id}:{','.join(sorted(passed))}"
    if (stored := context.session.port.recall(key)) is not None:
        return codec.decode_mutation(stored)
    mutation = await _measured(state, context, candidate, suites, passed)
    if mutation is not None:
        context.session.port.remember(key, codec.encode_mutation(mutation))
    return mutation


async def _measured(
    state: AgentState, context: Context, candidate: Candidate, suites: Sequence[Suite], passed: set[str]
) -> Mutation | None:
    made = mutants(candidate.code, MAX_MUTANTS)
    deadline = time.monotonic() + state.config.mutation_seconds
    gate = asyncio.Semaphore(AT_ONCE)

    async def judged(mutant: Mutant) -> Death | None:
        async with gate:
            if time.monotonic() > deadline:
                return None
            return await _fate(state, context, mutant, suites, passed)

    ended = await asyncio.gather(*(judged(mutant) for mutant in made))
    run = [(mutant, death) for mutant, death in zip(made, ended, strict=True) if death is not None]
    if not run:
        return None
    return Mutation(
        candidate=candidate.id,
        killed=sum(death.dead for _, death in run),
        total=len(run),
        survivors=tuple(mutant.change for mutant, death in run if not death.dead),
        killed_by=tuple(sorted({key for _, death in run for key in death.by})),
    )


@dataclass(frozen=True, slots=True)
class Death:
    """How a mutant fared: whether anything noticed it, and which checks did."""

    dead: bool
    by: frozenset[str]


async def _fate(
    state: AgentState, context: Context, mutant: Mutant, suites: Sequence[Suite], passed: set[str]
) -> Death | None:
    """None when the sandbox could not say. The first check that fails is given the credit, so properties, which need
    it to be trusted, are asked first. A mutant that dies before its checks report counts as dead, but is no credit to
    any of them: a check that asserts nothing of worth would share it."""
    for suite in sorted(suites, key=_without_property):
        kept = [check for check in suite.checks if check.id in passed]
        ordered = replace(suite, checks=tuple(sorted(kept, key=lambda check: not check.is_property)))
        program = Program(
            solution=mutant.code,
            tests=compose(ordered),
            files=state.task.files,
            limits=Limits(timeout=min(2.0, state.config.execution_timeout), memory_mb=state.config.memory_mb),
            mode="inprocess",
            fail_fast=True,
        )
        execution = await context.session.sandbox.run(program)
        if execution.status == "broken":
            return None
        if not execution.passed:
            failed = (key for key, one in outcomes_of(ordered, execution.checks).items() if one.status != "pass")
            return Death(True, frozenset(failed))
    return Death(False, frozenset())


def _without_property(suite: Suite) -> bool:
    return not any(check.is_property for check in suite.checks)
