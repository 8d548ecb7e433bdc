"""The mutation check: counts how many small changes to the program its own checks notice."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent.checks.asynchronous import awaited_in
from agent.checks.splitting import compose, outcomes_of
from agent.context import Context
from agent.counting.comparing import corners_of, run_inputs, valid_of
from agent.counting.counted import outcomes_so_far, runs_of
from agent.events import codec
from agent.source.mutation import Mutant, mutants
from agent.state import AgentState, Candidate, Mutation, Suite
from agent.trust.agreement import CONFIRMING
from sandbox.types import Limits, Program

STEPS = (30, 10, 3, 1)
"""How many mutants may be tried. There are few choices, far apart, because CPU time varies by a third with the
machine's load, and that must not decide whether 30 or 28 mutants are reported."""
_BEYOND = 3.0
"""The largest number is taken that needs at most this many times `mutation_seconds`: most mutants end early."""
AT_ONCE = 4
"""How many mutants are run at the same time."""
_LEAST_SECONDS = 0.5
"""The fewest CPU seconds that each check of a mutant may take."""
_PATIENCE = 10.0
"""A mutant may take this many times as long as the candidate. One that takes longer is taken to hang."""
_MOST_HUNG = 8
"""After this many hanging mutants no more are tried, because each costs its whole time limit."""


async def measure(state: AgentState, context: Context, candidate: Candidate) -> Mutation | None:
    """Runs mutants of the candidate against the checks that it passes, within `mutation_seconds`.

    Returns None when `mutation_seconds` is 0, no check passes, or nothing can be mutated. A mutant survives if all
    checks pass on it; the adversary may find out whether it differs at all."""
    passed = {key for key, outcome in outcomes_so_far(state, candidate.id).items() if outcome.status == "pass"}
    suites = [suite for suite in state.suites if any(check.id in passed for check in suite.checks)]
    if not state.config.mutation_seconds or not suites:
        return None
    key = f"mutation:{candidate.id}:{','.join(sorted(passed))}"
    if (stored := context.session.port.recall(key)) is not None:
        return codec.mutations.decode(stored)
    mutation = await _measured(state, context, candidate, suites, passed)
    if mutation is not None:
        context.session.port.remember(key, codec.mutations.encode(mutation))
    return mutation


async def _measured(
    state: AgentState, context: Context, candidate: Candidate, suites: Sequence[Suite], passed: set[str]
) -> Mutation | None:
    cost = await _cost(state, context, candidate, suites, passed)
    limits = Limits(
        timeout=min(state.config.execution_timeout, max(_LEAST_SECONDS, _PATIENCE * cost)),
        memory_mb=state.config.memory_mb,
    )
    run: list[tuple[Mutant, Death]] = []
    made = mutants(candidate.code, affordable(cost, state.config.mutation_seconds))
    for at in range(0, len(made), AT_ONCE):
        batch = made[at : at + AT_ONCE]
        fates = await asyncio.gather(*(_fate(state, context, mutant, suites, passed, limits) for mutant in batch))
        run += [(mutant, death) for mutant, death in zip(batch, fates, strict=True) if death is not None]
        if sum(death.hung for _, death in run) >= _MOST_HUNG:
            break
    if not run:
        return None
    alive = [mutant for mutant, death in run if not death.dead]
    effects = await _effects(state, context, candidate, alive)
    return Mutation(
        candidate=candidate.id,
        unpinned=_unpinned(state, effects),
        killed=sum(death.dead for _, death in run),
        total=len(run),
        survivors=tuple(one.in_words for one in effects if not one.same_everywhere),
        alike=sum(one.same_everywhere for one in effects),
        killed_by=tuple(sorted({key for _, death in run for key in death.by})),
    )


@dataclass(frozen=True, slots=True)
class _Effect:
    """What a surviving mutant answers otherwise than the program, on corners and on inputs that the task allows."""

    change: str
    differs: Mapping[str, str]
    """Call -> both values, in words."""
    same_everywhere: bool
    """Whether it answers many allowed inputs, and every input that was tried, as the program does."""
    allowed: str
    """An input that the task allows and that the mutant answers otherwise; "" without one."""

    @property
    def in_words(self) -> str:
        return (
            f"{self.change}, which changes {self.allowed} {self.differs[self.allowed]}" if self.allowed else self.change
        )


async def _effects(state: AgentState, context: Context, candidate: Candidate, alive: Sequence[Mutant]) -> list[_Effect]:
    """Runs the surviving mutants, and the program itself, on corners and on the inputs that the task allows."""
    allowed = valid_of(state)
    calls = tuple(dict.fromkeys([*corners_of(state), *allowed]))
    if not alive or not calls:
        return [_Effect(mutant.change, {}, False, "") for mutant in alive]
    programs = (candidate, *(replace(candidate, code=mutant.code) for mutant in alive))
    own, *others = [
        run.outputs for run in await asyncio.gather(*(run_inputs(context, state, one, calls) for one in programs))
    ]
    found: list[_Effect] = []
    for mutant, outputs in zip(alive, others, strict=True):
        differs = {
            call: f"from {own[call]} to {output}"
            for call, output in outputs.items()
            if own[call].kind == output.kind == "value" and own[call] != output
        }
        equal = sum(own[call].comparable and own[call] == outputs[call] for call in allowed)
        same = own == outputs and equal >= CONFIRMING
        found.append(_Effect(mutant.change, differs, same, next((call for call in allowed if call in differs), "")))
    return found


def _unpinned(state: AgentState, effects: Sequence[_Effect]) -> str:
    """Returns, in words, a corner input on which a surviving mutant differs from the program; "" without one. On stored
    programs that passed their tests, one in five of the wrong ones shows such an input, and one in seventy of the right
    ones."""
    corners = [call for call in corners_of(state) if not state.admitted.get(call)]
    shown = ((one, call) for one in effects for call in corners if call in one.differs)
    return next((f"{one.change}, which changes {call} {one.differs[call]}" for one, call in shown), "")


def affordable(cost: float, seconds: float) -> int:
    """Returns how many mutants may be tried if the candidate took `cost` CPU seconds and about `seconds` are
    granted."""
    return next((count for count in STEPS if count * cost <= _BEYOND * seconds), STEPS[-1])


@dataclass(frozen=True, slots=True)
class Death:
    """The result for one mutant: whether some check failed on it, which ones, and whether it hung."""

    dead: bool
    by: frozenset[str]
    hung: bool = False


async def _cost(
    state: AgentState, context: Context, candidate: Candidate, suites: Sequence[Suite], passed: set[str]
) -> float:
    """Returns the CPU seconds that the candidate needs for its suites. The recorded time may include the calls between
    two processes, which cost many times the work itself; if it looks too long, the suites are run once more as they are
    for mutants."""
    counted = sum(run.execution.cpu_ms for run in runs_of(state, candidate.id) if run.outcomes) / 1000
    if affordable(counted, state.config.mutation_seconds) == STEPS[0]:
        return counted
    limits = Limits(timeout=state.config.execution_timeout, memory_mb=state.config.memory_mb)
    programs = (_program(state, candidate.code, _kept(suite, passed), limits) for suite in suites)
    return sum([(await context.session.sandbox.run(context.equipped(program))).cpu_ms for program in programs]) / 1000


async def _fate(
    state: AgentState,
    context: Context,
    mutant: Mutant,
    suites: Sequence[Suite],
    passed: set[str],
    limits: Limits,
) -> Death | None:
    """Runs the checks on one mutant; returns None when the sandbox broke. The first check that fails gets the credit,
    so properties, which need credit to be trusted, run first. A mutant that dies before its checks report is dead
    without credit to any check, or a check that asserts nothing would share it."""
    for suite in sorted(suites, key=_without_property):
        ordered = _kept(suite, passed)
        execution = await context.session.sandbox.run(context.equipped(_program(state, mutant.code, ordered, limits)))
        if execution.status == "broken":
            return None
        if not execution.passed:
            failed = (key for key, one in outcomes_of(ordered, execution.checks).items() if one.failed)
            return Death(True, frozenset(failed), execution.status == "timeout")
    return Death(False, frozenset())


def _kept(suite: Suite, passed: set[str]) -> Suite:
    """Returns the suite with the checks that the candidate passed, properties first."""
    kept = [check for check in suite.checks if check.id in passed]
    return replace(suite, checks=tuple(sorted(kept, key=lambda check: not check.is_property)))


def _program(state: AgentState, code: str, suite: Suite, limits: Limits) -> Program:
    tests, files = compose(suite, awaited=awaited_in(state.task, code), code=code), state.task.files
    return Program(solution=code, tests=tests, files=files, limits=limits, mode="inprocess", fail_fast=True)


def _without_property(suite: Suite) -> bool:
    return not any(check.is_property for check in suite.checks)
