"""What given code did before is recorded and guards its repairs; what nobody compared is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.source.uses import ObjectUse
from agent.trust import CheckFacts, blame, decide, rank, tiers, verdict
from agent.trust.given import behaviour_lost
from sandbox.types import CallOutput

from .build import DONE, anchor, check, facts, program
from .handed_in import CHECKS, KEPT, SYMPTOM, given, reasons, repair, stranger, word


def test_what_the_given_program_did_is_a_trusted_check() -> None:
    assert tiers(facts(CHECKS, [given()]))["kept"] == "T1"


def test_lost_behaviour_that_another_program_keeps_is_the_repairs_fault() -> None:
    known = facts(CHECKS, [given(), repair("c2", "PPFP", five="6"), stranger("c3", "PPPP")])
    assert blame(known, "c2", "kept").fault == "code"
    assert decide(known).action == "diagnose"
    only = facts(CHECKS, [given(), repair("c2", "PPFP", five="6"), stranger("c3", "PFPP")])
    assert word(only) == "partly_verified"


def test_changed_behaviour_that_another_program_shares_belonged_to_the_fault() -> None:
    pool = [given(), repair("c2", "PPFP", five="6"), stranger("c3", "PPFP", five="6")]
    decision = decide(facts(CHECKS, pool))
    assert (decision.action, decision.check) == ("quarantine", "kept")
    ruled = [replace(each, ruling="test", ruled_by="agreement") if each == KEPT else each for each in CHECKS]
    assert word(facts(ruled, pool)) == "verified"
    assert "changed: f(5): 5 before, 6 now" in reasons(facts(ruled, pool))


def test_changed_behaviour_that_nobody_judged_is_shown_and_asks_for_another_program_first() -> None:
    known = facts(CHECKS, [given(), repair("c2", "PPFP", five="6")])
    assert decide(known).attempt == "independent"
    assert word(known) == "partly_verified"
    assert "f(5): 5 before, 6 now" in reasons(known)


def test_what_given_code_did_before_is_put_to_the_arbiter_in_one_question() -> None:
    checks = [anchor(), *(CheckFacts(name, "kept", call=f"f('{name}')", against="c1") for name in "abc")]
    pool = [
        program("c1", "FPPP", checks, kind="given", fingerprint="old"),
        program("c2", "PFFF", checks, kind="repair", root="c1", fingerprint="new"),
    ]
    spent = replace(DONE, independents=2)
    decision = decide(facts(checks, pool, spent))
    assert (decision.action, decision.check) == ("arbitrate", "a")
    asked = replace(spent, arbitrated=frozenset({"a"}), asked=True)
    assert decide(facts(checks, pool, asked)).action != "arbitrate"
    had_to_change = [replace(each, ruling="test", ruled_by="arbiter") if each.id == "a" else each for each in checks]
    decision = decide(facts(had_to_change, pool, asked))
    assert (decision.action, decision.check) == ("arbitrate", "b"), "that one had to change says nothing of the others"
    spec = [*checks, check("s", call="f(9)")]
    more = [replace(each, outcomes={**each.outcomes, "s": "F"}) for each in pool]
    assert decide(facts(spec, more, asked)).check == "s", "a test from the task is a question of its own"


def test_a_repair_may_change_what_was_recorded_and_still_stand_above_the_given_program() -> None:
    assert rank(facts(CHECKS, [given(), repair("c2", "PPFP", five="6")])) == ("c2", "c1")


def test_of_two_repairs_the_one_that_keeps_more_and_then_the_smaller_change_comes_first() -> None:
    loses, keeps = repair("c2", "PPFP", size=1), repair("c3", "PPPP", size=9)
    assert rank(facts(CHECKS, [given(), loses, keeps]))[0] == "c3"
    assert rank(facts(CHECKS, [given(), keeps, replace(keeps, id="c4", fingerprint="c4", size=2)]))[0] == "c4"


def test_attributes_bind_repairs_only_and_leave_them_in_doubt_at_the_most() -> None:
    call = ObjectUse("A()", ("it.m()",)).left(["x"])
    known = [anchor(), SYMPTOM, replace(KEPT, call=call), check("a")]
    pool = [
        program("c1", "FFPP", known, kind="given", fingerprint="old", answers={call: "1"}),
        program("c2", "PPFP", known, kind="repair", root="c1", fingerprint="new", answers={call: "2"}),
        program("c3", "PPFP", known, kind="independent", fingerprint="own", answers={call: "3"}),
    ]
    judged = verdict(facts(known, pool), confirmed=True)
    assert judged.word == "partly_verified", judged.reasons
    assert "it.x after it = A(), it.m(): 1 before, 2 now" in "; ".join(judged.reasons)
    assert rank(facts(known, pool))[0] == "c2"
    fresh = replace(DONE, repairs={})
    assert decide(facts(known, pool, fresh)).action == "diagnose"
    assert decide(facts(known, pool, replace(DONE, repairs={"c1": 4}))).action == "conclude"
    assert blame(facts(known, pool), "c3", "kept").fault == "unknown", "it was written by somebody else"


_ADDED = "[0.6000000000000001, 0.0]"


def test_behaviour_is_lost_where_the_given_program_has_an_answer_and_the_new_one_another() -> None:
    given = program("c1", "", [], kind="given", answers={"f(1)": "1", "f(2)": "2"})
    breaks = replace(given, outputs={**given.outputs, "f(2)": CallOutput("exception", "TypeError")})
    assert behaviour_lost(given, breaks, ["f(1)", "f(2)"]) == "f(2) gave 2, and now raises TypeError"
    assert behaviour_lost(breaks, given, ["f(1)", "f(2)"]) == "", "what broke off may well be mended"
    assert behaviour_lost(given, breaks, ["f(1)"]) == "", "no other input counts"
    other = replace(given, outputs={"f(1)": CallOutput("value", "9")})
    assert behaviour_lost(given, other, ["f(1)"]) == "f(1) gave 1, and now gives 9"
    summed, added = (replace(given, outputs={"f(1)": CallOutput("value", text)}) for text in ("[0.6, -0.0]", _ADDED))
    assert behaviour_lost(summed, added, ["f(1)"]) == "", "the last digits of a float are no behaviour"
    padded, plain = (replace(given, outputs={"f(1)": CallOutput("value", text)}) for text in ("['1.50']", "['1.5']"))
    assert behaviour_lost(padded, plain, ["f(1)"]) == "f(1) gave ['1.50'], and now gives ['1.5']"


@pytest.mark.parametrize(
    ("before", "now", "values", "seen"),
    [
        ("FFF", "PPP", ("3", "4"), False),
        ("FFP", "PPP", ("3", "4"), True),
        ("FFF", "PPP", ("4", "4"), True),
    ],
    ids=["nothing in common", "a check that both pass", "an input that both answer alike"],
)
def test_a_repair_that_is_never_seen_to_do_what_the_given_program_did_is_not_verified(
    before: str, now: str, values: tuple[str, str], seen: bool
) -> None:
    """The report and tests of just that say nothing about what else the program does."""
    known = [anchor(), check("a", call="f(2)"), check("b", call="f(3)")]
    old, new = ({"f(2)": one, "f(3)": f"1{one}"} for one in values)
    new["f(3)"] = "9"
    pool = [
        program("c1", before, known, kind="given", fingerprint="old", answers=old),
        program("c2", now, known, kind="repair", fingerprint="new", root="c1", answers=new),
    ]
    told = "nothing that was executed shows that it still does anything else"
    assert (told in reasons(facts(known, pool))) is not seen


def test_a_program_that_was_never_seen_to_do_anything_has_nothing_to_keep() -> None:
    known = [anchor(), check("a", call="f(2)")]
    pool = [
        program("c1", "EE", known, kind="given", fingerprint="old", answers={}),
        program("c2", "PP", known, kind="repair", fingerprint="new", root="c1", answers={"f(2)": "4"}),
    ]
    assert "still does anything else" not in reasons(facts(known, pool))
