"""Runs a suite in one of three modes: with the program in one process, split in two processes, or auto, which uses both
as needed. Decides what a pass is worth."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from .runs import ProgramRun, ProgramRunner
from .set_order import may_show as order_may_show
from .types import CheckResult, Execution, Program

SEED, OTHER_SEED = 0, 1468
"""Seeds of str hashes. All processes of a run share one; where the order of sets may show, a pass is confirmed under
the other. Of 1,500 seeds, 1468 is the one under which most pairs of short words (letters, fruits, colours, names) come
in the other order: 56 of 75."""
_COMPLETE = ("fail", "error", "blocked", "memory")
"""Statuses of a split run that ended only after every check had reported its outcome."""


async def run_in_mode(runner: ProgramRunner, program: Program) -> Execution:
    """Runs a program as its `mode` says. Scripts and calls have one process only."""
    if program.tests is None or program.mode == "inprocess":
        return (await runner.run(program, seed=SEED)).execution
    return await (_run_split if program.mode == "split" else _run_auto)(runner, program)


async def _run_auto(runner: ProgramRunner, program: Program) -> Execution:
    """Runs the suite split in two processes first. A second run, in one process, is made in five cases: the suite
    does not pass, the pass is in doubt, the order of sets may show (then under another seed), the tests do something
    that two processes cannot do, or coverage is asked for. If the split run does not pass, both runs decide
    together. A failure that is settled is not repeated: a program that hung or died by itself would only take the
    same time again."""
    apart = replace(program, coverage=False)
    split, order_shows = await asyncio.gather(
        runner.run(apart, split=True, seed=SEED, explains=False), _order_may_show(program)
    )
    if split.settled:
        return split.execution
    if split.execution.passed and order_shows:
        return await _confirm_under_other_seed(runner, program, split)
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
    """Reads the source while the run is already with a worker."""
    return order_may_show(program)


async def _confirm_under_other_seed(runner: ProgramRunner, program: Program, split: ProgramRun) -> Execution:
    """Runs a suite that passed in two processes once more, in one process and under another hash seed. Returns what
    both passes are worth together. If the second run does not pass, a third one, in one process under the first seed,
    tells whether that is due to the order of sets."""
    other = await runner.run(program, seed=OTHER_SEED)
    if other.execution.passed:
        return _joined(other, split)
    claimed = await runner.run(program, seed=SEED)
    return _order_shows(claimed.execution, other) if claimed.execution.passed else claimed.execution


async def _run_split(runner: ProgramRunner, program: Program) -> Execution:
    """Runs the suite split in two processes, and repeats a pass under another hash seed if the order of sets could
    matter. Runs it in one process only if the tests do something that two processes cannot do."""
    run, order_shows = await asyncio.gather(runner.run(program, split=True, seed=SEED), _order_may_show(program))
    if run.execution.passed and order_shows:
        again = await runner.run(program, split=True, seed=OTHER_SEED)
        if not again.execution.passed:
            return _order_shows(run.execution, again)
    if run.settled or not (run.limited if run.execution.passed else run.limits):
        return confirm(run.execution, run.doubt)
    claimed = await runner.run(program, seed=SEED)
    return _joined(claimed, run) if claimed.execution.passed else claimed.execution


def _order_shows(claimed: Execution, other: ProgramRun) -> Execution:
    failed = next((check.name for check in other.execution.checks if not check.holds), "a check")
    reason = f"it depends on the order of sets: under another hash seed {failed} does not pass"
    return replace(claimed, confirmed=False, unconfirmed_reason=reason)


def _joined(claimed: ProgramRun, second: ProgramRun) -> Execution:
    """Decides what a pass in one process is worth, given the split run."""
    doubts = dict.fromkeys([*claimed.doubts, *second.doubts])
    return join(claimed.execution, second.execution, "; ".join(doubts), second.limits)


def confirm(split: Execution, doubt: str) -> Execution:
    """Returns the execution of a split run, confirmed if it passed without a `doubt`. A doubt says why the pass may
    prove nothing: only values of the tests' own side were compared."""
    return replace(split, confirmed=not doubt, unconfirmed_reason=doubt) if split.passed else split


def join(claimed: Execution, split: Execution, doubt: str, limits: Mapping[str, str]) -> Execution:
    """Joins a pass that was claimed in one process with the split run. `limits` maps each check that did not pass there
    to what its tests do that two processes cannot do, which says nothing about the program. If that explains every
    failure, the claim stands, unconfirmed. If a check failed on its own merits, neither run is believed: the status is
    "unverifiable", with that check's message as the reason."""
    if split.passed:
        return replace(claimed, confirmed=not doubt, unconfirmed_reason=doubt)
    if split.status == "broken":
        return replace(claimed, unconfirmed_reason=f"the confirming run could not be made: {split.error}")
    excuse = _excuse(split, limits)
    if excuse and {check.name for check in split.checks} == {check.name for check in claimed.checks}:
        return replace(claimed, unconfirmed_reason=excuse)
    refuting = [f"{check.name}: {check.message}" for check in _missed(split) if check.name not in limits]
    told = refuting[0] if refuting and split.status in _COMPLETE else f"{split.status}: {split.error}"
    reason = f"the tests pass in one process with the program, but not apart from it: {told}".split("\n", 1)[0]
    return replace(split, status="unverifiable", error=reason)


def _excuse(split: Execution, limits: Mapping[str, str]) -> str:
    """Returns the first limit that was met, if limits explain every check that ran and did not pass; "" otherwise."""
    missed = [check.name for check in _missed(split)]
    explained = split.status in (*_COMPLETE, "timeout") and all(name in limits for name in missed)
    return limits[missed[0]] if missed and explained else ""


def _missed(split: Execution) -> list[CheckResult]:
    """Returns the checks that ran and did not pass. A check that never ran, for instance because those before it waited
    in vain, says nothing about the program."""
    return [check for check in split.checks if not check.holds and check.status != "not_run"]
