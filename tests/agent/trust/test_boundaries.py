"""Where each threshold of the policy lies, from both sides, and each sentence of the verdict in full."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.trust import CandidateFacts, CheckFacts, Facts, Spent, decide, overfit, settled, stuck, verdict
from agent.trust.agreement import agreement, compare, compare_with, confirming
from agent.trust.corroboration import corroboration
from agent.trust.ranking import support
from agent.trust.reading import FactsView
from sandbox.types import CallOutput

from .build import DONE, anchor, check, facts, program

SPEC = [anchor(), check("a")]
KEPT = [anchor(), *(CheckFacts(f"k{n}", "kept", call=f"f({n})", against="c1") for n in range(5))]


def two(equal: int, different: int, *, known: int = 0) -> Facts:
    """Two programs that pass everything; `known`: so many inputs of tests, answered alike, besides the probes."""
    checks = [anchor(), *(check(f"t{n}", call=f"f({n})") for n in range(known))]
    told = {f"f({n})": "1" for n in range(known)}
    letters = "P" * len(checks)
    mine = program("c1", letters, checks, ["0"] * (equal + different), answers=told)
    theirs = program("c2", letters, checks, ["0"] * equal + ["1"] * different, answers=told)
    return facts(checks, [mine, theirs])


def reading_of(known: Facts) -> tuple[FactsView, CandidateFacts, CandidateFacts]:
    reading = FactsView(known)
    return reading, reading.candidates["c1"], reading.candidates["c2"]


@pytest.mark.parametrize(("equal", "different", "alike"), [(19, 1, True), (18, 1, False), (20, 0, True)])
def test_one_odd_input_in_twenty_is_still_agreement(equal: int, different: int, *, alike: bool) -> None:
    reading, mine, _ = reading_of(two(equal, different))
    assert bool(confirming(reading, mine)) is alike


@pytest.mark.parametrize(
    ("equal", "different", "share"), [(3, 1, 0.95), (2, 1, (1 + 0.25 * 2 / 3) / 1.25), (0, 0, 1.0)]
)
def test_changed_inputs_weigh_a_quarter_of_those_of_tests(equal: int, different: int, share: float) -> None:
    assert agreement(*reading_of(two(equal, different, known=2))) == pytest.approx(share)


def test_without_a_comparable_input_agreement_is_the_share_of_further_checks_that_both_pass() -> None:
    checks = [anchor(), *(check(name) for name in "abcd")]
    known = facts(checks, [program("c1", "PPPPF", checks), program("c2", "PPPFF", checks)])
    assert agreement(*reading_of(known)) == 0.5
    bare = facts([anchor()], [program("c1", "P", [anchor()]), program("c2", "P", [anchor()])])
    assert agreement(*reading_of(bare)) == 0.0


def test_an_input_counts_once_among_several_programs_and_differs_where_one_does() -> None:
    pool = [program(name, "PP", SPEC, values) for name, values in (("c1", "00"), ("c2", "01"), ("c3", "00"))]
    reading = FactsView(facts(SPEC, [*pool, program("c4", "PP", SPEC)]))
    found = compare_with(reading, pool[0], pool[1:])
    assert (found.equal, found.different, found.silent, found.answered) == (1, ("p1",), 0, 2)
    assert compare_with(reading, pool[0], [reading.candidates["c4"]]).silent == 2
    assert compare(pool[0], pool[1], ["p0", "p1", "p9"]).share == 0.5


@pytest.mark.parametrize("equal", [20, 19, 1])
def test_an_independent_program_corroborates_on_twenty_inputs(equal: int) -> None:
    bare = [anchor()]
    pool = [program(name, "P", bare, ["0"] * equal) for name in ("c1", "c2")]
    assert corroboration(*reading_of(facts(bare, pool))[:2]).agrees is (equal >= 20)
    silent = [replace(each, outputs={**each.outputs, "q": CallOutput("timeout", "")}) for each in pool]
    known = replace(facts(bare, silent), probes=(*facts(bare, pool).probes, *(f"q{n}" for n in range(9))))
    assert corroboration(*reading_of(known)[:2]).agrees is (equal >= 20)


def test_errors_alone_corroborate_nothing() -> None:
    errors = {f"f({n})": CallOutput("exception", "ValueError") for n in range(30)}
    pool = [program(name, "P", [anchor()], answers=errors) for name in ("c1", "c2")]
    reading, mine, _ = reading_of(replace(facts([anchor()], pool), probes=tuple(errors)))
    assert confirming(reading, mine)
    assert not corroboration(reading, mine).agrees


def test_fewer_inputs_corroborate_where_there_can_be_no_more() -> None:
    bare = [replace(anchor(), call="f()"), replace(anchor("t1"), call="f()")]
    pool = [program(name, "PP", bare, answers={"f()": "1"}) for name in ("c1", "c2")]
    assert corroboration(*reading_of(facts(bare, pool))[:2]).agrees


def test_programs_that_no_input_compares_do_not_corroborate_each_other() -> None:
    passing = [anchor(), check("a")]
    known = facts(passing, [program(name, "PP", passing) for name in ("c1", "c2")])
    reading, mine, _ = reading_of(known)
    assert confirming(reading, mine)
    assert not corroboration(reading, mine).agrees


def test_a_reported_fault_that_is_gone_is_no_further_check() -> None:
    told = [anchor(), CheckFacts("reported", "symptom", anchor=True)]
    reading = FactsView(facts(told, [program("c1", "PP", told)]))
    assert corroboration(reading, reading.candidates["c1"]).checks == 0


@pytest.mark.parametrize(
    ("suites", "votes", "open_"), [(1, 1, True), (2, 1, True), (3, 1, True), (4, 1, False), (5, 1, False), (5, 2, True)]
)
def test_a_failing_check_weighs_where_a_third_of_the_suites_state_it(suites: int, votes: int, *, open_: bool) -> None:
    checks = [anchor(), *(check(name) for name in "abcdef"), check("x", votes=votes)]
    known = facts(checks, [program("c1", "PPPPPPPF", checks)], suites=suites)
    assert settled(known, "c1") is not open_


def test_support_grows_with_the_root_of_the_families_and_of_the_votes() -> None:
    checks = [check("a", votes=4), check("b")]
    pool = [program(name, "PP", checks, "0") for name in ("c1", "c2")]
    alone, both = FactsView(facts(checks, pool[:1])), FactsView(facts(checks, pool))
    assert support(alone, pool[0]) == pytest.approx(0.5 + 2 + 1)
    assert support(both, pool[0]) == pytest.approx(2**0.5 * 3.5)


@pytest.mark.parametrize(("letters", "alarm"), [("PPPF", True), ("PPFF", True), ("PFPF", False), ("PPPP", False)])
def test_the_alarm_rings_from_a_gap_of_a_half_on(letters: str, *, alarm: bool) -> None:
    checks = [check("a"), check("b"), check("c", held_out=True), check("d", held_out=True)]
    known = facts(checks, [program("c1", "FFFF", checks), program("c2", letters, checks, kind="repair", root="c1")])
    assert bool(overfit(known, "c2")) is alarm


def test_three_changes_of_given_code_are_spelled_out_and_the_others_counted() -> None:
    def told(changed: int) -> list[str]:
        before = {f"f({n})": str(n) for n in range(5)}
        after = {f"f({n})": str(n + 10 * (n < changed)) for n in range(5)}
        letters = "".join("F" if n < changed else "P" for n in range(5))
        pool = [
            program("c1", "FPPPPP", KEPT, kind="given", fingerprint="old", answers=before),
            program("c2", "P" + letters, KEPT, kind="repair", root="c1", fingerprint="new", answers=after),
        ]
        reasons = verdict(facts(KEPT, pool), confirmed=True, candidate="c2").reasons
        return [reason for reason in reasons if "the given program" in reason]

    three = "f(0): 0 before, 10 now, f(1): 1 before, 11 now, f(2): 2 before, 12 now"
    kept = "on {} of 5 other inputs it behaves as the given program did"
    open_ones = "nothing settles whether it may behave otherwise than the given program on {} inputs: {}"
    assert told(0) == [kept.format(5)]
    assert told(3) == [kept.format(2), open_ones.format(3, three)], "each is told once"
    assert told(4) == [kept.format(1), open_ones.format(4, f"{three} and 1 more")]


@pytest.mark.parametrize(
    ("spent", "why"),
    [
        (Spent(repairs={"c1": 1}), ""),
        (Spent(repairs={"c1": 2}), "2 repairs of this family did not heal it"),
        (Spent(repairs={"c1": 1, "c9": 2}), ""),
        (Spent(repairs={"c1": 1, "c9": 3}), "all 4 repairs are spent"),
    ],
)
def test_repairs_end_at_their_bounds(spent: Spent, why: str) -> None:
    assert stuck(facts(SPEC, [program("c1", "FP", SPEC)], spent), "c1") == why


def test_all_repairs_may_go_to_given_code() -> None:
    given = [program("c1", "FP", SPEC, kind="given")]
    assert stuck(facts(SPEC, given, Spent(repairs={"c1": 3})), "c1") == ""
    assert stuck(facts(SPEC, given, Spent(repairs={"c1": 4})), "c1") == "all 4 repairs are spent"


@pytest.mark.parametrize(("judged", "ends"), [(39, False), (40, True)])
def test_the_judge_ends_the_run_when_it_was_asked_often_enough(judged: int, *, ends: bool) -> None:
    decision = decide(facts(SPEC, [program("c1", "FP", SPEC)], replace(DONE, judged=judged)))
    assert (decision.action == "conclude") is ends
    assert ("the judge was asked 40 times" in decision.reason) is ends


def test_at_most_five_questions_go_to_the_arbiter() -> None:
    checks = [anchor(), *(check(name, call=f"f('{name}')") for name in "abcdef")]
    pool = [program(name, "PFFFFFF", checks) for name in ("c1", "c2", "c3")]
    told = [replace(each, outputs={c.call or "": CallOutput("value", each.id) for c in checks}) for each in pool]
    for asked, action in ((0, "arbitrate"), (4, "arbitrate"), (5, "conclude")):
        spent = replace(DONE, independents=2, arbitrated=frozenset("abcdef"[:asked]), asked=True)
        assert decide(facts(checks, told, spent)).action == action


def test_the_verdict_on_a_program_that_was_compared_says_every_count() -> None:
    silent = CallOutput("timeout", "")
    mine = program("c1", "PP", SPEC, answers={"p0": "1", "p1": "2", "p2": silent, "p3": "4"})
    one = program("c2", "PP", SPEC, answers={"p0": "1", "p1": "3", "p2": "3", "p3": "4"})
    found = verdict(replace(facts(SPEC, [mine, one]), probes=("p0", "p1", "p2", "p3")), confirmed=True, candidate="c1")
    assert found.reasons == (
        "1 of 1 checks of the task itself pass",
        "1 of 1 further checks pass",
        "compared with 1 independent program: 2 of 3 inputs equal, 1 differs, 1 without an answer",
        "independent programs differ, for instance on p1: 2 / 3: the task may leave that open",
    )
    assert found.word == "partly_verified"
    assert found.compared == {"equal": 2, "different": 1, "no_answer": 1}


def test_a_pass_that_was_not_repeated_says_so_also_without_a_reason() -> None:
    known = facts(SPEC, [program("c1", "PP", SPEC)])
    assert verdict(known, confirmed=False).reasons[-1] == "the pass could not be confirmed"
    assert verdict(known, confirmed=False, unconfirmed_reason="too slow").reasons[-1] == "too slow"
    assert verdict(known, confirmed=True).word == "verified"


def test_objects_that_answer_for_themselves_decide_nothing() -> None:
    known = facts(SPEC, [program("c1", "PP", SPEC)])
    assert verdict(known, confirmed=False, self_judged=True, unconfirmed_reason="own").word == "unverified"
