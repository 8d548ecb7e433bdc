"""Code that was given: its repair is the answer, its behaviour is guarded, and an unchanged program never passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.source.uses import ObjectUse
from agent.state.findings import Finding
from agent.trust import CheckFacts, Facts, blame, decide, rank, tiers, verdict
from agent.trust.given import behaviour_lost, told_apart
from agent.trust.reading import FactsView
from sandbox.types import CallOutput

from .build import DONE, ERROR, FIVE, FOUR, NO_END, anchor, check, facts, program

SYMPTOM = CheckFacts("symptom", "symptom", anchor=True)
KEPT = CheckFacts("kept", "kept", call="f(5)", against="c1")
CHECKS = [anchor(), SYMPTOM, KEPT, check("a", call="f(1)")]


def given(letters: str = "FFPP", **more: Any):
    return program("c1", letters, CHECKS, kind="given", fingerprint="old", **_answers(more))


def repair(name: str, letters: str, **more: Any):
    more = {"fingerprint": name, "root": "c1", **more}
    return program(name, letters, CHECKS, kind="repair", **_answers(more))


def stranger(name: str, letters: str, **more: Any):
    return program(name, letters, CHECKS, kind="independent", **_answers({"fingerprint": name, **more}))


def _answers(more: dict[str, Any]) -> dict[str, Any]:
    return {"answers": {"f(5)": more.pop("five", "5"), "f(1)": "1"}, **more}


def word(known: Facts) -> str:
    return verdict(known, confirmed=True).word


def reasons(known: Facts) -> str:
    return "; ".join(verdict(known, confirmed=True).reasons)


def test_a_repair_that_passes_is_the_answer_whoever_agrees_with_the_other_program() -> None:
    pool = [given(), repair("c2", "PPPF"), stranger("c3", "PPPP"), stranger("c4", "PPPP")]
    assert rank(facts(CHECKS, pool))[0] == "c2"


def test_another_program_is_the_answer_only_where_no_repair_passes_and_the_verdict_says_so() -> None:
    pool = [given(), repair("c2", "PFPP"), stranger("c3", "PPPP")]
    assert rank(facts(CHECKS, pool))[0] == "c3"
    assert word(facts(CHECKS, pool)) == "partly_verified"
    assert "another program, c3" in reasons(facts(CHECKS, pool))


def test_another_program_that_does_just_the_same_never_takes_the_place_of_the_persons_own() -> None:
    pool = [given("PPPP"), repair("c2", "PPFP"), stranger("c3", "PPPP")]
    assert rank(facts(CHECKS, pool))[0] == "c1"
    assert rank(facts(CHECKS, [pool[0], pool[1], stranger("c3", "PPPP", five="6")]))[0] == "c3"


def test_the_persons_program_is_repaired_further_while_another_one_passes_already() -> None:
    pool = [given(), repair("c2", "PFPP"), stranger("c3", "PPPP")]
    decision = decide(facts(CHECKS, pool))
    assert (decision.action, decision.candidate) == ("diagnose", "c2")
    spent = replace(DONE, repairs={"c1": 4})
    assert decide(facts(CHECKS, pool, spent)).action == "conclude"


def test_an_unchanged_program_never_passes() -> None:
    for pool in ([given("PPPP")], [given("PPPP"), repair("c2", "PPPP", fingerprint="old")]):
        assert word(facts(CHECKS, pool)) == "unverified"
        assert "unchanged" in reasons(facts(CHECKS, pool))


def test_a_change_that_nothing_shows_does_not_pass() -> None:
    known = facts(CHECKS, [given("PPPP"), repair("c2", "PPPP")])
    assert rank(known)[0] == "c2"
    assert word(known) == "unverified"
    assert "tells it from the program that was given" in reasons(known)


def test_a_change_is_tried_although_no_check_shows_the_fault() -> None:
    decision = decide(facts(CHECKS, [given("PPPP")]))
    assert (decision.action, decision.candidate, decision.attempt) == ("diagnose", "c1", "repair")
    looked = replace(DONE, diagnosed=frozenset({"c1"}), refused=frozenset({"c1"}))
    assert decide(facts(CHECKS, [given("PPPP")], looked)).action == "conclude"


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


def test_a_symptom_that_is_gone_is_no_example_of_what_is_right() -> None:
    bare = [SYMPTOM, KEPT, check("a", call="f(1)")]
    pool = [
        program("c1", "FPP", bare, kind="given"),
        program("c2", "PPP", bare, kind="repair", root="c1", fingerprint="x", answers={"f(1)": "1", "f(5)": "5"}),
    ]
    assert word(facts(bare, pool)) == "unverified"
    witness = program("c3", "PPP", bare, kind="independent", answers={"f(1)": "1", "f(5)": "5"})
    assert word(facts(bare, [*pool, witness])) == "partly_verified"
    assert "1 of 1 reported faults no longer show" in reasons(facts(bare, [*pool, witness]))
    assert word(facts(bare, [pool[0], program("c2", "FPP", bare, kind="repair", root="c1")])) == "failed"


def test_a_crash_of_given_code_on_a_stated_input_is_its_own_fault() -> None:
    checks = [anchor(), check("a", call="f(1)")]
    crashed = program("c1", "PE", checks, kind="given", crashed=frozenset({"a"}), answers={"f(1)": "1"})
    assert blame(facts(checks, [crashed]), "c1", "a").by == "crash"
    assert decide(facts(checks, [crashed])).action == "diagnose"
    also = program("c2", "PE", checks, answers={"f(1)": "1"})
    assert blame(facts(checks, [crashed, also]), "c1", "a").fault == "test"
    spent = replace(DONE, repairs={"c1": 4})
    assert decide(facts(checks, [crashed], spent)).attempt != "rewrite"


def test_a_repair_that_others_can_no_longer_use_is_repaired_again_and_never_passes() -> None:
    pool = [given(), repair("c2", "PPPP", lost="the public name g is gone")]
    decision = decide(facts(CHECKS, pool))
    assert (decision.action, decision.candidate, decision.reason) == ("diagnose", "c2", "the public name g is gone")
    assert word(facts(CHECKS, pool)) == "failed"
    assert rank(facts(CHECKS, [*pool, repair("c3", "PPPP", size=99)]))[0] == "c3"


def test_the_given_program_is_no_attempt_to_repair_it() -> None:
    pool = [given(signature="s"), repair("c2", "FFPP", signature="s")]
    assert decide(facts(CHECKS, pool)).action == "diagnose"
    pool.append(repair("c3", "FFPP", signature="s"))
    assert decide(facts(CHECKS, pool)).attempt == "rewrite"


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
    assert f"{call}: 1 before, 2 now" in "; ".join(judged.reasons)
    assert rank(facts(known, pool))[0] == "c2"
    fresh = replace(DONE, repairs={})
    assert decide(facts(known, pool, fresh)).action == "diagnose"
    assert decide(facts(known, pool, replace(DONE, repairs={"c1": 4}))).action == "conclude"
    assert blame(facts(known, pool), "c3", "kept").fault == "unknown", "it was written by somebody else"


def test_a_speed_that_was_measured_tells_a_repair_from_the_given_program() -> None:
    known = [anchor(), check("a")]
    told = "3.0 times as fast as the given program on random inputs at n = 64"
    slow, quick = (Finding("faster", "faster", one, told) for one in ("open", "kept"))
    pool = [
        program("c1", "PP", known, kind="given", fingerprint="old", clauses=(slow,)),
        program("c2", "PP", known, kind="repair", root="c1", fingerprint="new", clauses=(quick,)),
    ]
    judged = verdict(facts(known, pool), confirmed=True)
    assert (judged.word, told in judged.reasons) == ("verified", True), judged.reasons
    pool[1] = replace(pool[1], clauses=(slow,))
    judged = verdict(facts(known, pool), confirmed=True, candidate="c2")
    assert judged.word == "unverified", judged.reasons


def test_the_given_program_is_a_witness_where_only_its_speed_was_to_change() -> None:
    quick = Finding("faster", "faster", "kept", "3.0 times as fast as the given program")
    answers = {f"f({n})": str(n) for n in range(25)}
    known = [replace(KEPT, id=f"kept{n}", call=call) for n, call in enumerate(answers)]
    given = program("c1", "P" * 25, known, kind="given", fingerprint="old", answers=answers)
    repaired = replace(given, id="c2", root="c1", kind="repair", fingerprint="new", clauses=(quick,))
    judged = verdict(facts(known, [given, repaired]), confirmed=True)
    assert judged.word == "partly_verified", judged.reasons
    told = "no other behaviour is asked for, and {} inputs are answered as by the given program"
    assert told.format("25 of 25") in judged.reasons
    loses = replace(repaired, outputs={**repaired.outputs, "f(3)": CallOutput("exception", "TypeError")})
    judged = verdict(facts(known, [given, loses]), confirmed=True)
    assert judged.word == "unverified", judged.reasons
    assert f"{told.format('24 of 25')}, 1 otherwise, for instance f(3): 3 / raises TypeError" in judged.reasons
    asked = replace(repaired, clauses=(quick, Finding("sorted", "output", "kept", "")))
    assert verdict(facts(known, [given, asked]), confirmed=True).word == "unverified"


@pytest.mark.parametrize(("inputs", "word"), [(19, "unverified"), (20, "partly_verified")])
def test_the_given_program_is_a_witness_on_twenty_inputs_or_more(inputs: int, word: str) -> None:
    quick = Finding("faster", "faster", "kept", "3.0 times as fast as the given program")
    answers = {f"f({n})": str(n) for n in range(inputs)}
    known = [replace(KEPT, id=f"kept{n}", call=call) for n, call in enumerate(answers)]
    given = program("c1", "P" * inputs, known, kind="given", fingerprint="old", answers=answers)
    repaired = replace(given, id="c2", root="c1", kind="repair", fingerprint="new", clauses=(quick,))
    assert verdict(facts(known, [given, repaired]), confirmed=True).word == word


@pytest.mark.parametrize(
    ("before", "after", "apart"),
    [
        ({"f(5)": NO_END}, {"f(5)": FOUR}, True), ({"f(5)": NO_END}, {"f(5)": ERROR}, True),
        ({"f(5)": NO_END}, {"f(5)": NO_END}, False), ({"f(5)": FOUR}, {"f(5)": NO_END}, False),
        ({"f(5)": NO_END}, {}, False), ({}, {"f(5)": FOUR}, False), ({"f(5)": FOUR}, {"f(5)": FOUR}, False),
        ({"f(5)": FOUR}, {"f(5)": FIVE}, True),
    ],
)  # fmt: skip
def test_an_answer_where_the_given_program_found_no_end_is_a_difference(
    before: dict[str, CallOutput], after: dict[str, CallOutput], *, apart: bool
) -> None:
    old = program("c1", "PP", [anchor(), KEPT], kind="given", fingerprint="old", answers=before)
    new = program("c2", "PP", [anchor(), KEPT], kind="repair", root="c1", fingerprint="new", answers=after)
    known = facts([anchor(), KEPT], [old, new])
    assert told_apart(FactsView(known), old, new) is apart
    unseen = "nothing that was executed tells it from the program that was given"
    assert (unseen in verdict(known, confirmed=True, candidate="c2").reasons) is not apart


def test_another_form_is_an_answer_though_nothing_it_does_tells_it_from_the_given_program() -> None:
    form = Finding("Refactor it", "form", "open", "it has 3 lines, the given program 9")
    answers = {f"f({n})": str(n) for n in range(25)}
    known = [replace(KEPT, id=f"kept{n}", call=call) for n, call in enumerate(answers)]
    given = program("c1", "P" * 25, known, kind="given", fingerprint="old", answers=answers)
    rewritten = replace(given, id="c2", root="c1", kind="repair", fingerprint="new", size=9, clauses=(form,))
    pool = facts(known, [given, rewritten])
    assert rank(pool)[0] == "c2"
    judged = verdict(pool, confirmed=True)
    assert judged.word == "partly_verified", judged.reasons
    assert "no other behaviour is asked for, and 25 of 25 inputs are answered as by the given program" in judged.reasons
    fresh = replace(DONE, independents=0)
    assert decide(replace(pool, spent=fresh)).attempt is None, "the given program is the witness"
    unasked = facts(known, [given, replace(rewritten, clauses=())])
    assert decide(replace(unasked, spent=fresh)).attempt == "independent"
    assert verdict(unasked, confirmed=True, candidate="c2").word == "unverified"


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


def test_a_model_written_check_that_the_debugger_holds_to_be_wrong_leaves_a_repair_in_less_doubt() -> None:
    pool = [given(), repair("c2", "PPPF"), stranger("c3", "PPPP")]
    assert word(facts(CHECKS, pool)) == "unverified"
    cleared = replace(DONE, refused=frozenset({"c2"}), diagnosed=frozenset({"c2"}))
    assert word(facts(CHECKS, pool, cleared)) == "partly_verified"
    assert "a fails and nobody has settled it" in "; ".join(
        verdict(facts(CHECKS, pool, cleared), confirmed=True).reasons
    )


def test_a_repair_that_does_otherwise_on_the_report_alone_is_worth_another_program_once() -> None:
    checks = [anchor(call="f(2)"), KEPT, check("a", call="f(1)")]
    before = {"f(5)": "5", "f(1)": "1", "f(2)": "3"}
    old = program("c1", "FPP", checks, kind="given", fingerprint="old", answers=before)
    new = program("c2", "PPP", checks, kind="repair", root="c1", fingerprint="new", answers={**before, "f(2)": "4"})
    decision = decide(facts(checks, [old, new]))
    assert (decision.action, decision.attempt, decision.candidate) == ("second_attempt", "independent", "c2")
    assert decide(facts(checks, [old, new], replace(DONE, independents=1))).action == "conclude"
    wider = [
        replace(old, outcomes={**old.outcomes, "a": "F"}, outputs={**old.outputs, "f(1)": old.outputs["f(5)"]}),
        new,
    ]
    assert decide(facts(checks, wider)).action == "conclude", "a test of another input shows it, too"
    elsewhere = [old, replace(new, outputs={**new.outputs, "f(1)": new.outputs["f(2)"]})]
    assert decide(facts([*checks[:2]], elsewhere)).action == "conclude"


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
