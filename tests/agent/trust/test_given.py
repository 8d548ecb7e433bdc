"""Code that was given: its repair is the answer, its behaviour is guarded, and an unchanged program never passes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.state.findings import Finding
from agent.trust import blame, decide, rank, verdict
from agent.trust.given import told_apart
from agent.trust.reading import FactsView
from sandbox.types import CallOutput

from .build import DONE, ERROR, FIVE, FOUR, NO_END, anchor, check, facts, program
from .handed_in import CHECKS, KEPT, SYMPTOM, given, reasons, repair, stranger, word


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
