"""Chooses the checker for each kind of clause, and prepares what it may look at."""

from __future__ import annotations

import asyncio

from agent.context import Context
from agent.counting.comparing import probes_of
from agent.counting.counted import contradicts_in, facts_of, outcomes_so_far
from agent.examples.conflicts import told_contradiction
from agent.examples.types import MEASURED, Brief, Clause
from agent.source.structure import Source
from agent.state import AgentState, Candidate
from agent.state.findings import Finding, Inspection
from agent.trust.facts import ANCHORS
from agent.trust.reading import FactsView

from .bench import MAX_INPUTS, LawBench, entry_of, given_of
from .checkers.algorithm import check_algorithm
from .checkers.at_once import check_at_once
from .checkers.cases import check_case
from .checkers.complexity import check_complexity
from .checkers.errors import check_no_raise, check_raises
from .checkers.faster import check_faster
from .checkers.forbidden import check_forbidden
from .checkers.form import check_form
from .checkers.letters import check_any_case
from .checkers.limits import check_memory, check_seconds
from .checkers.order import check_order
from .checkers.output import check_output
from .checkers.ranges import check_range, check_size
from .checkers.signature import check_signature
from .checkers.sorting import check_sorted
from .checkers.types import check_type
from .checkers.unchanged import check_in_place, check_unchanged
from .types import Checker, left_open
from .unnamed import unnamed

CHECKERS: dict[str, Checker] = {
    "type": check_type,
    "range": check_range,
    "size": check_size,
    "unchanged": check_unchanged,
    "in_place": check_in_place,
    "forbidden": check_forbidden,
    "algorithm": check_algorithm,
    "complexity": check_complexity,
    "time": check_seconds,
    "memory": check_memory,
    "faster": check_faster,
    "at_once": check_at_once,
    "form": check_form,
    "raises": check_raises,
    "no_raise": check_no_raise,
    "output": check_output,
    "order": check_order,
    "sorted": check_sorted,
    "signature": check_signature,
    "case": check_case,
    "any_case": check_any_case,
}
"""Kind of clause -> checker; a clause of another kind is never checked."""


async def inspect(bench: LawBench, candidate: str) -> Inspection:
    """Returns the findings on every clause of the task for one program."""
    clauses = bench.brief.clauses
    quick = [number for number, clause in enumerate(clauses) if clause.kind not in MEASURED]
    told = dict(zip(quick, await asyncio.gather(*(_checked(clauses[n], bench) for n in quick)), strict=True))
    for number, clause in enumerate(clauses):  # one after the other, since two measurements would disturb each other
        if clause.kind in MEASURED:
            told[number] = await _checked(clause, bench)
    return Inspection(candidate, tuple(told[number] for number in range(len(clauses))))


async def inspect_new(state: AgentState, context: Context) -> list[Inspection]:
    """Inspects every program that passes what the task itself checks, except a reference, which is slow by order.
    Programs are inspected one after the other, because some clauses are measured. For a program inspected before, open
    clauses are tried again on newer checks, for which the adversary is asked."""
    if state.brief is None or not state.brief.clauses:
        return []
    before = {inspection.candidate: inspection for inspection in state.inspections}
    able = [one.id for one in FactsView(facts_of(state)).witnesses if one.kind != "reference"]
    found: list[Inspection] = []
    for candidate in (one for one in state.candidates if one.id in able):
        bench, known = _bench_of(state, state.brief, context, candidate), before.get(candidate.id)
        if known is None:
            found.append(await inspect(bench, candidate.id))
        elif (again := await _tried_again(bench, known)) != known:
            found.append(again)
    return found


async def _tried_again(bench: LawBench, known: Inspection) -> Inspection:
    """Returns the inspection with each open clause checked once more, except those that are measured. The findings
    stand in the order of the clauses, of which several may share their words."""
    clauses = (*bench.brief.clauses, *(None for _ in known.findings))
    told = [
        await _checked(clause, bench)
        if clause is not None and finding.standing == "open" and _is_quick_of(clause, finding)
        else finding
        for finding, clause in zip(known.findings, clauses, strict=False)
    ]
    return Inspection(known.candidate, tuple(told))


def _is_quick_of(clause: Clause, finding: Finding) -> bool:
    return (clause.text, clause.kind) == (finding.text, finding.kind) and clause.kind not in MEASURED


def unnamed_in(state: AgentState, candidate: str) -> list[str]:
    """Returns the sentences of the task that no example, no clause and no check which the candidate passes is known to
    cover."""
    outcomes = outcomes_so_far(state, candidate)
    checks = [check for suite in state.suites for check in suite.checks]
    passed = [check for check in checks if check.id in outcomes and outcomes[check.id].status == "pass"]
    latest = {ruling.check: ruling.fault for ruling in state.rulings}
    # the verdict quotes two sentences that contradict each other, until the arbiter finds which of them decides
    passed += [check for check in checks if contradicts_in(state, check.id) and latest[check.id] == "task"]
    limits = state.domains[-1].limits if state.domains else ()
    return unnamed(state.task.text, state.brief, passed, limits) if state.brief else []


async def _checked(clause: Clause, bench: LawBench) -> Finding:
    if clause.kind == "contradiction":
        return left_open(clause, f"the task contradicts itself: {told_contradiction(clause)}")
    checker = CHECKERS.get(clause.kind)
    return await checker(clause, bench) if checker else left_open(clause, "there is no way to check this")


def _bench_of(state: AgentState, brief: Brief, context: Context, candidate: Candidate) -> LawBench:
    """Gives the checkers the known inputs of the run and the checks that the program passes."""
    checks = [check for suite in state.suites for check in suite.checks]
    outcomes = outcomes_so_far(state, candidate.id)
    source = Source(candidate.code)
    entry = entry_of(brief, source)
    known = [
        given_of(check.call, entry, stated=check.origin in ANCHORS)
        for check in sorted(checks, key=lambda check: check.origin not in ANCHORS)
        if check.call
    ]
    return LawBench(
        execute=context.execute,
        config=state.config,
        task=state.task,
        brief=brief,
        source=source,
        known=tuple(given for given in known if given is not None)[:MAX_INPUTS],
        tried=probes_of(state)[:MAX_INPUTS],
        passed=tuple(check for check in checks if check.id in outcomes and outcomes[check.id].status == "pass"),
    )
