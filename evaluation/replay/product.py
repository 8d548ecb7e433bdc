"""Makes the product a policy: the functions that the graph runs, on facts that are built from the stored matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from agent.trust import (
    CandidateFacts,
    CheckFacts,
    Decision,
    Facts,
    Letter,
    Spent,
    accepted,
    decide,
    rank,
    settled,
    verdict,
)
from sandbox.types import CallOutput

from .data import StoredProgram, View
from .references import MAX_ATTEMPTS, LoopEnd, Policy, Pool

_SILENT = {"T": CallOutput("timeout", ""), "E": CallOutput("opaque", ""), "X": CallOutput("opaque", "")}
"""The matrices do not name exception classes, so an error equals nothing."""
_BUDGET = Spent(
    asked=True,
    adversary_done=True,
    critic_done=True,
    use_arbiter=False,
    max_independents=MAX_ATTEMPTS,
    max_repairs=MAX_ATTEMPTS,
    max_rewrites=MAX_ATTEMPTS,
)
"""What a run may still do. Only what the matrices can answer is left: nobody can be asked, there is no arbiter and
there are no new tests, and each further program is a stored one."""


def facts_of(view: View, pool: Pool, spent: Spent = _BUDGET) -> Facts:
    """Returns the facts: examples as anchors, other tests with the votes of the suites in use, programs with their
    stored outputs."""
    task = view.task
    novel = [test for test in view.tests if test not in set(view.examples)]
    checks = [_check(view, test, anchor=True) for test in view.examples]
    checks += [_check(view, test, anchor=False) for test in novel]
    wanted = {*(check.call for check in checks if check.call), *(task.calls[k] for k in task.mutated)}
    calls = [(k, call) for k, call in enumerate(task.calls) if call in wanted]
    numbers = [*view.examples, *novel]
    candidates = tuple(_candidate(program, numbers, calls) for program in pool)
    probes = tuple(task.calls[k] for k in task.mutated)
    return Facts(tuple(checks), candidates, probes, spent, suites=len(view.suites))


def _check(view: View, test: int, *, anchor: bool) -> CheckFacts:
    number = view.task.call_of.get(test)
    call = view.task.calls[number] if number is not None else None
    return CheckFacts(
        str(test),
        "task" if anchor else "spec",
        anchor=anchor,
        votes=max(1, len(view.task.suites[test] & view.suites)),
        call=call,
    )


def _candidate(program: StoredProgram, tests: list[int], calls: list[tuple[int, str]]) -> CandidateFacts:
    outputs, letters = program.outputs, program.corrected
    answers = [(call, outputs[k]) for k, call in calls] if outputs else []
    return CandidateFacts(
        id=program.id,
        root=program.id,
        outcomes={str(test): cast(Letter, letters[test]) for test in tests},
        outputs={call: _SILENT.get(text, CallOutput("value", text)) for call, text in answers},
    )


def accept(view: View, pool: Pool) -> list[StoredProgram]:
    facts = facts_of(view, pool)
    return [program for program in pool if accepted(facts, program.id)]


def select(view: View, pool: Pool) -> StoredProgram:
    best = rank(facts_of(view, pool))[0]
    return next(program for program in pool if program.id == best)


def loop(view: View, attempts: Pool) -> LoopEnd:
    """Drives `decide` as the graph does. A repair and a second attempt both give the next stored sample, which saw no
    feedback, so that the figures do not show what a repair gains from its feedback."""
    used, spent, ruled = 1, _BUDGET, frozenset[str]()
    while True:
        facts = facts_of(view, attempts[:used], spent)
        facts = replace(facts, checks=tuple(replace(c, ruling="test") if c.id in ruled else c for c in facts.checks))
        decision = decide(facts)
        spent = _count(spent, decision)
        if decision.action == "quarantine" and decision.check is not None:
            ruled |= {decision.check}
        elif decision.action in ("diagnose", "second_attempt") and used < min(MAX_ATTEMPTS, len(attempts)):
            used += 1
        else:
            chosen = decision.candidate or attempts[0].id
            program = next(p for p in attempts if p.id == chosen)
            said = verdict(facts, confirmed=True, candidate=chosen)
            return LoopEnd(program, settled(facts, chosen), used, said.word, said.grounds)


def _count(spent: Spent, decision: Decision) -> Spent:
    judged = spent.judged + 1
    if decision.action == "diagnose" and decision.candidate is not None:
        repairs = {**spent.repairs, decision.candidate: spent.repairs.get(decision.candidate, 0) + 1}
        return replace(spent, judged=judged, repairs=repairs)
    if decision.attempt == "rewrite":
        return replace(spent, judged=judged, rewrites=spent.rewrites + 1)
    if decision.attempt == "independent":
        return replace(spent, judged=judged, independents=spent.independents + 1)
    return replace(spent, judged=judged)


PRODUCT = Policy(accept=accept, select=select, loop=loop)
