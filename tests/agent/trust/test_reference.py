"""A slow reference and a checker confirm only on enough inputs; silence says nothing, and neither is the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.trust import CheckFacts, Facts, accepted, decide, rank, settled, verdict
from agent.trust.agreement import CONFIRMING, checked, clusters
from agent.trust.corroboration import corroboration
from agent.trust.reading import FactsView
from sandbox.types import CallOutput
from tests.agent.trust.build import DONE, anchor, check, facts, program

VALID = tuple(f"f({i})" for i in range(30))
SPEC = [check("s0"), check("s1")]


def answers(count: int) -> dict[str, str | CallOutput]:
    """What a program answers to the first `count` inputs; it gives no answer to the others."""
    return {call: str(i) if i < count else CallOutput("timeout", "") for i, call in enumerate(VALID)}


def pair(count: int, **reference: str) -> Facts:
    """A program that answers everything, and a reference that answers the first `count` inputs the same."""
    fast = program("c1", "PP", SPEC, answers=answers(30), size=900)
    slow = program("c2", reference.get("letters", "PP"), SPEC, answers=answers(count), kind="reference", size=10)
    return facts(SPEC, [fast, slow], valid=VALID)


def test_a_reference_confirms_from_twenty_equal_answers_on() -> None:
    assert verdict(pair(CONFIRMING), confirmed=True).word == "partly_verified", "partly: no example"
    assert verdict(pair(CONFIRMING - 1), confirmed=True).word == "unverified"
    assert settled(pair(CONFIRMING), "c1")
    assert not settled(pair(CONFIRMING - 1), "c1")


def test_a_reference_that_agrees_on_every_one_of_few_inputs_confirms_nothing() -> None:
    assert not settled(replace(pair(30), valid=VALID[:3]), "c1")
    assert not settled(replace(pair(30), valid=()), "c1"), "on none at all"
    assert not settled(replace(pair(3), valid=(), probes=VALID), "c1"), "on three of many"
    assert settled(replace(pair(30), valid=(), probes=VALID[:1]), "c1"), (
        "as of a script, whose output is its one answer"
    )
    told = [check("a", call="f(0)")]
    known = [replace(one, outcomes={"a": "P"}) for one in pair(30).candidates]
    assert not settled(facts(told, known), "c1"), "on the one input of a test"


def test_programs_that_answer_all_known_calls_alike_stand_together_but_for_those_that_could_not_run() -> None:
    told = [check("a", call="f(0)")]
    alike = [program(name, "P", told, answers={"f(0)": "1"}) for name in ("c1", "c2")]
    other = program("c3", "F", told, answers={"f(0)": "2"})
    broken = program("c4", "", (), answers={"f(0)": "1"}, broken="no such name")
    assert clusters(facts(told, [other, *alike, broken])) == (("c1", "c2"), ("c3",))
    silent = [replace(one, outputs={"f(0)": CallOutput("timeout", "")}) for one in alike]
    assert clusters(facts(told, silent)) == (("c1",), ("c2",)), "silence equals nothing"
    assert clusters(facts([anchor()], alike)) == (("c1",), ("c2",)), "where no call is known nothing shows them alike"


def test_a_reference_is_not_returned_while_there_is_another_program() -> None:
    assert rank(pair(30))[0] == "c1", "although it is shorter"
    broken = replace(pair(30), candidates=tuple(replace(c, broken="x" * (c.id == "c1")) for c in pair(30).candidates))
    assert rank(broken)[0] == "c2"


def test_a_reference_is_the_answer_where_every_other_program_fails_by_its_own_fault() -> None:
    checks = [anchor(), check("a")]
    wrong, slow = program("c1", "FP", checks), program("c2", "PP", checks, kind="reference")
    assert rank(facts(checks, [wrong, slow])) == ("c2", "c1")
    assert rank(facts(checks, [slow, program("c3", "PF", checks), wrong]))[0] == "c3"


def test_a_reference_that_does_not_end_on_an_example_still_testifies() -> None:
    checks = [anchor("t0"), anchor("t1")]
    one = program("c1", "PP", checks, answers=answers(30))
    slow = program("c2", "P.", checks, answers=answers(30), kind="reference")
    assert FactsView(facts(checks, [one, slow], valid=VALID)).peers(one) == (slow,)
    assert not accepted(facts(checks, [one, replace(slow, kind="independent")], valid=VALID), "c2")
    wrong = program("c2", "F.", checks, answers=answers(30), kind="reference")
    assert FactsView(facts(checks, [one, wrong], valid=VALID)).peers(one) == ()


def put_to_checker(count: int, failed: int = 0) -> Facts:
    checks: list[CheckFacts] = [check(f"r{i}", "reference", call=f"f({i})", is_property=True) for i in range(count)]
    letters = "F" * failed + "P" * (count - failed)
    return facts([*SPEC, *checks], [program("c1", "PP" + letters, [*SPEC, *checks])])


def test_a_checker_confirms_from_twenty_right_answers_on_and_not_beside_a_wrong_one() -> None:
    found = verdict(put_to_checker(CONFIRMING), confirmed=True)
    assert found.word == "partly_verified"
    assert f"a checker that tries every possibility finds its answers right on {CONFIRMING} inputs" in found.reasons
    assert verdict(put_to_checker(CONFIRMING - 1), confirmed=True).word == "unverified"
    assert settled(put_to_checker(CONFIRMING), "c1")
    assert not settled(put_to_checker(CONFIRMING - 1), "c1")
    for count, agrees in ((CONFIRMING, True), (CONFIRMING - 1, False)):
        known = put_to_checker(count)
        assert corroboration(FactsView(known), known.candidates[0]).agrees is agrees
    known = put_to_checker(CONFIRMING + 4, failed=1)
    assert checked(FactsView(known), known.candidates[0]) == 0
    assert verdict(known, confirmed=True).word == "unverified"


@pytest.mark.parametrize("independents", [0, 1])
def test_a_hard_task_that_can_be_tried_out_gets_one_reference_although_its_examples_pass(independents: int) -> None:
    spent = replace(DONE, hard=True, inputs_done=True, independents=independents)
    decision = decide(facts([anchor("t0")], [program("c1", "P", [anchor("t0")])], spent))
    assert decision.action == ("conclude" if independents else "second_attempt")
