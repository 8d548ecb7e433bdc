"""What became of the task's other demands decides with the checks: open ones cap the verdict, refuted ones fail it."""

from __future__ import annotations

from dataclasses import replace

from agent.state.findings import Finding
from agent.trust import accepted, decide, rank, verdict

from .build import anchor, check, facts, program

KEPT = Finding("in O(n)", "complexity", "kept", "exponent 1.02 [0.95, 1.09]")
OPEN = Finding("at most 64 MB", "memory", "open", "no size is stated")
BROKEN = Finding("in O(n)", "complexity", "broken", "exponent 2.01 [1.95, 2.06]")
CHECKS = [anchor(), check("more")]


def test_demands_that_hold_are_counted() -> None:
    found = verdict(facts(CHECKS, [program("c1", "PP", CHECKS, clauses=(KEPT,))]), confirmed=True)
    assert found.word == "verified"
    assert "1 of 1 other demands that could be tried hold" in found.reasons


def test_a_demand_that_nothing_decided_caps_the_verdict_and_is_told() -> None:
    found = verdict(facts(CHECKS, [program("c1", "PP", CHECKS, clauses=(KEPT, OPEN))]), confirmed=True)
    assert found.word == "partly_verified"
    assert "not checked: 'at most 64 MB' (no size is stated)" in found.reasons


def test_each_open_demand_is_told_in_one_line_and_a_contradiction_elsewhere() -> None:
    quicker = Finding("make it\n  faster", "faster", "open", "1.1 times")
    twice = Finding("f(2) == 4, f(2) == 5", "contradiction", "open", "")
    found = verdict(facts(CHECKS, [program("c1", "PP", CHECKS, clauses=(quicker, OPEN, twice))]), confirmed=True)
    assert found.reasons[2:] == (
        "not shown: 'make it faster' (1.1 times)",
        "not checked: 'at most 64 MB' (no size is stated)",
    )


def test_a_task_that_contradicts_itself_is_told_so_whatever_the_word() -> None:
    told = "the task contradicts itself: it promises 4 and 5 for f(2)"
    ended = {"PP": "partly_verified", "FP": "failed"}
    for outcomes, word in ended.items():
        known = facts(CHECKS, [program("c1", outcomes, CHECKS, clauses=(KEPT,))])
        found = verdict(replace(known, contradictions=(told,)), confirmed=True)
        assert found.word == word
        assert found.reasons.count(told) == 1


def test_a_refuted_demand_fails_a_program_that_passes_every_check() -> None:
    found = verdict(facts(CHECKS, [program("c1", "PP", CHECKS, clauses=(BROKEN,))]), confirmed=True)
    assert found.word == "failed"
    assert found.grounds is None, "stored runs, which a chance is counted on, hold no broken demand"
    assert found.reasons[0] == "the task says 'in O(n)', but: exponent 2.01 [1.95, 2.06]"


def test_a_refuted_demand_is_repaired() -> None:
    decision = decide(facts(CHECKS, [program("c1", "PP", CHECKS, clauses=(BROKEN,))]))
    assert (decision.action, decision.fault, decision.candidate) == ("diagnose", "code", "c1")


def test_a_program_that_keeps_the_demands_stands_above_one_that_does_not() -> None:
    slow, fast = (
        program("c1", "PP", CHECKS, clauses=(BROKEN,), size=1),
        program("c2", "PP", CHECKS, clauses=(KEPT,), size=9),
    )
    both = facts(CHECKS, [slow, fast])
    assert rank(both) == ("c2", "c1")
    assert accepted(both, "c2")
    assert not accepted(both, "c1")


def test_a_fast_program_that_fails_an_example_does_not_stand_above_a_slow_one() -> None:
    slow, fast = program("c1", "PP", CHECKS, clauses=(BROKEN,)), program("c2", "FP", CHECKS, clauses=(KEPT,))
    assert rank(facts(CHECKS, [slow, fast])) == ("c1", "c2")


def test_an_unsettled_verdict_names_the_demands_that_nothing_decided() -> None:
    checks = [anchor(), check("more", ruling=None)]
    programs = [program("c1", "PP", checks, ["1"], clauses=(OPEN,)), program("c2", "PF", checks, ["2"])]
    unanchored = [check("more")]
    apart = [program("c1", "P", unanchored, ["1"], clauses=(OPEN,)), program("c2", "P", unanchored, ["2"])]
    told = "not checked: 'at most 64 MB' (no size is stated)"
    assert told in verdict(facts(checks, programs), confirmed=True).reasons
    unsettled = verdict(facts(unanchored, apart), confirmed=True)
    assert unsettled.word == "unverified"
    assert told in unsettled.reasons


def test_a_failed_verdict_names_them_too() -> None:
    found = verdict(facts(CHECKS, [program("c1", "FP", CHECKS, clauses=(OPEN,))]), confirmed=True)
    assert found.word == "failed"
    assert "not checked: 'at most 64 MB' (no size is stated)" in found.reasons
