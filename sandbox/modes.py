"""The three modes of running a suite (in one process, split in two, auto), and what a pass in each is worth."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from .runs import ProgramRun, ProgramRunner
from .set_order import may_show as order_may_show
from .types import Execution, Program

SEED, OTHER_SEED = 0, 1468
"""Of str hashes: all processes of a run share one, and a pass is confirmed under another. Of 1,500 seeds this is the
one under which most pairs of short words (letters, fruits, colours, names) come in the other order: 56 of 75."""
_WHOLE = ("fail", "error", "blocked", "memory")
"""How a run in two processes may end whose every check has told its outcome."""


async def run_in_mode(runner: ProgramRunner, program: Program) -> Execution:
    """Run a program as its mode says; scripts and calls know one mode only."""
    if program.tests is None or program.mode == "inprocess":
        return (await runner.run(program, seed=SEED)).execution
    return await (_split if program.mode == "split" else _in_both)(runner, program)


async def _in_both(runner: ProgramRunner, program: Program) -> Execution:
    """What passes in two processes without a doubt needs a run in one only where the order of sets may show, and then
    under another order, where the tests did what two cannot do, or where coverage is asked for. What does not pass
    there is judged by both runs, unless the first has settled it: what hung or died there is not given the same time
    once more."""
    apart = replace(program, coverage=False)
    split, order_shows = await asyncio.gather(
        runner.run(apart, split=True, seed=SEED, explains=False), _order_may_show(program)
    )
    if split.settled:
        return split.execution
    if split.execution.passed and order_shows:
        return await _in_another_order(runner, program, split)
    if split.execution.passed and not (split.doubts or split.limited or program.coverage):
        return confirm(split.execution, split.doubt)
    claimed = await runner.run(program, seed=SEED)
    if not claimed.execution.passed:
        return claimed.execution
    if any(check.status == "fail" for check in split.execution.checks):
        explained = await runner.run(apart, split=True, seed=SEED)
        split = split if explained.execution.passed else explained
    return _joined(claimed, split)


async def _order_may_show(program: Program) -> bool:
    """Read beside the run, which has been sent to a worker by then."""
    return order_may_show(program)


async def _in_another_order(runner: ProgramRunner, program: Program, split: ProgramRun) -> Execution:
    """After a pass in two processes, one under another hash seed."""
    other = await runner.run(program, seed=OTHER_SEED)
    if other.execution.passed:
        return _joined(other, split)
    claimed = await runner.run(program, seed=SEED)
    return _order_shows(claimed.execution, other) if claimed.execution.passed else claimed.execution


async def _split(runner: ProgramRunner, program: Program) -> Execution:
    """A pass in two processes, repeated under another order of sets where that could matter; in one process only where
    the tests did what two cannot do."""
    run, order_shows = await asyncio.gather(runner.run(program, split=True, seed=SEED), _order_may_show(program))
    if run.execution.passed and order_shows:
        again = await runner.run(program, split=True, seed=OTHER_SEED)
        if not again.execution.passed:
            return _order_shows(run.execution, again)
    if not (run.limited if run.execution.passed else run.limits):
        return confirm(run.execution, run.doubt)
    claimed = await runner.run(program, seed=SEED)
    return _joined(claimed, run) if claimed.execution.passed else claimed.execution


def _order_shows(claimed: Execution, other: ProgramRun) -> Execution:
    failed = next((check.name for check in other.execution.checks if check.status != "pass"), "a check")
    reason = f"it depends on the order of sets: under another hash seed {failed} does not pass"
    return replace(claimed, confirmed=False, unconfirmed_reason=reason)


def _joined(claimed: ProgramRun, second: ProgramRun) -> Execution:
    """What a pass in one process is worth after the run in two."""
    doubts = dict.fromkeys([*claimed.doubts, *second.doubts])
    return join(claimed.execution, second.execution, "; ".join(doubts), second.limits)


def confirm(split: Execution, doubt: str) -> Execution:
    """The execution of a split run, confirmed if it passed without a `doubt`. A doubt says why the pass may prove
    nothing: only values of the tests' own side were compared."""
    return replace(split, confirmed=not doubt, unconfirmed_reason=doubt) if split.passed else split


def join(claimed: Execution, split: Execution, doubt: str, limits: Mapping[str, str]) -> Execution:
    """A pass that was claimed in one process, after the run in two. `limits`: check that did not pass there -> what its
    tests did that two processes cannot do, which says nothing about the program. Where that explains all of them the
    claim stands, unconfirmed. Where one failed on its own merits neither run is believed: the answer is "unverifiable",
    with that check's message as the reason."""
    if split.passed:
        return replace(claimed, confirmed=not doubt, unconfirmed_reason=doubt)
    if split.status == "broken":
        return replace(claimed, unconfirmed_reason=f"the confirming run could not be made: {split.error}")
    excuse = _excuse(split, limits)
    if excuse and {check.name for check in split.checks} == {check.name for check in claimed.checks}:
        return replace(claimed, unconfirmed_reason=excuse)
    by_value = [check for check in split.checks if check.status != "pass" and check.name not in limits]
    refuting = [f"{check.name}: {check.message}" for check in by_value]
    told = refuting[0] if refuting and split.status in _WHOLE else f"{split.status}: {split.error}"
    reason = f"the tests pass in one process with the program, but not apart from it: {told}".split("\n", 1)[0]
    return replace(split, status="unverifiable", error=reason)


def _excuse(split: Execution, limits: Mapping[str, str]) -> str:
    """The first limit that was met, where that explains every check that did not pass; else ""."""
    missed = [check.name for check in split.checks if check.status != "pass"]
    explained = split.status in (*_WHOLE, "timeout") and all(name in limits for name in missed)
    return limits[missed[0]] if missed and explained else ""
