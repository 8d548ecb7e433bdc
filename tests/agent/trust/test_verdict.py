"""The four words, and what each of them rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.trust import CheckFacts, Facts, verdict
from agent.trust.facts import ENDS_WHEN_IMPORTED, NOT_HERE
from sandbox import CallOutput

from .build import FOUR, NO_END, anchor, check, facts, program

CHECKS = [anchor("t0"), anchor("t1"), check("v", votes=2), check("a", call="f(1)")]
GOOD = program("c1", "PPPP", CHECKS, "xy", answers={"f(1)": "1"})


def word(given: Facts, *, confirmed: bool = True, signs: tuple[str, ...] = ()) -> str:
    return verdict(given, confirmed=confirmed, signs=signs).word


def test_verified_needs_every_promise_executed_and_passed_and_the_pass_confirmed() -> None:
    assert word(facts(CHECKS, [GOOD])) == "verified"
    assert word(facts(CHECKS, [GOOD]), confirmed=False) == "partly_verified"


@pytest.mark.parametrize("letters", ["FPPP", "PFPP", "EPPP", "PTPP"])
def test_a_broken_promise_is_failed(letters: str) -> None:
    assert word(facts(CHECKS, [program("c1", letters, CHECKS)])) == "failed"


@pytest.mark.parametrize("letters", [".PPP", "P.PP", "PP.P"])
def test_a_trusted_check_whose_execution_is_taken_away_changes_the_verdict(letters: str) -> None:
    assert word(facts(CHECKS, [GOOD])) == "verified"
    assert word(facts(CHECKS, [program("c1", letters, CHECKS)])) == "unverified"


def test_zero_executed_checks_is_never_a_pass() -> None:
    assert word(facts([], [program("c1", "", [])])) == "unverified"
    assert word(facts(CHECKS, [program("c1", "....", CHECKS)])) == "unverified"


def test_nothing_written_and_nothing_that_runs_are_failed() -> None:
    assert word(facts(CHECKS, [])) == "failed"
    assert word(facts(CHECKS, [program("c1", "....", CHECKS, broken="SyntaxError")])) == "failed"


def test_a_program_that_no_test_started_is_not_failed() -> None:
    """Where tests import what is to be started, a program that ends its process then may be right all the same."""
    ended = verdict(
        facts(CHECKS, [program("c1", "....", CHECKS, broken=f"{ENDS_WHEN_IMPORTED}SystemExit: 0")]), confirmed=True
    )
    told = "the program was not tried: it ends its process when it is imported, which its tests do: SystemExit: 0"
    assert (ended.word, ended.reasons[0]) == ("unverified", told)
    refused = program("c1", "....", CHECKS, broken=f"{NOT_HERE}URLError: no network")
    found = verdict(facts(CHECKS, [refused]), confirmed=True)
    assert found.reasons[0] == "the program was not tried: it needs what is not here: URLError: no network"
    assert found.word == "unverified"


def test_without_promises_two_agreeing_programs_are_partly_verified_and_one_is_not() -> None:
    bare = [check("a")]
    one, same, other = (program(n, "P", bare, outputs) for n, outputs in (("c1", "xy"), ("c2", "xy"), ("c3", "xz")))
    assert word(facts(bare, [one])) == "unverified"
    assert word(facts(bare, [one, same])) == "partly_verified"
    assert word(facts(bare, [one, other])) == "unverified"
    assert word(facts(bare, [one, same, other])) == "unverified"


def test_a_confirmed_check_of_two_suites_that_the_program_fails_alone_is_failed() -> None:
    peer = program("c2", "PPPP", CHECKS, "xy", answers={"f(1)": "1"})
    given = facts(CHECKS, [program("c1", "PPFP", CHECKS, "xy", answers={"f(1)": "1"}), peer])
    assert verdict(given, confirmed=True, candidate="c1").word == "failed"


def test_an_open_dispute_over_a_check_of_two_suites_is_unverified() -> None:
    assert word(facts(CHECKS, [program("c1", "PPFP", CHECKS)])) == "unverified"


def test_an_unconfirmed_check_that_fails_undecided_rules_out_verified_with_the_reason() -> None:
    found = verdict(facts(CHECKS, [program("c1", "PPPF", CHECKS)]), confirmed=True)
    assert found.word == "partly_verified"
    assert any(reason.startswith("a fails") for reason in found.reasons)


def test_a_check_that_an_independent_program_passes_and_this_one_fails_is_an_open_question() -> None:
    peer = program("c2", "PPPP", CHECKS, "zz", answers={"f(1)": "2"})
    given = facts(CHECKS, [program("c1", "PPPF", CHECKS, "xy", answers={"f(1)": "1"}), peer])
    found = verdict(given, confirmed=True, candidate="c1")
    assert found.word == "unverified"
    assert "a is not settled" in found.reasons


def test_a_quarantined_check_does_not_stand_in_the_way() -> None:
    ruled = [*CHECKS[:3], replace(CHECKS[3], ruling="test")]
    assert word(facts(ruled, [program("c1", "PPPF", ruled)])) == "verified"


def test_more_checks_set_aside_than_kept_rule_out_verified_with_the_counts() -> None:
    checks = [anchor(), *(check(name, ruling="test") for name in "xy"), check("a")]
    found = verdict(facts(checks, [program("c1", "PFFP", checks)]), confirmed=True)
    assert found.word == "partly_verified"
    assert "2 model-written checks were set aside as wrong or undecidable" in found.reasons
    assert found.reasons[-1] == "more model-written checks were set aside than the 1 that it passes"


def test_what_was_set_aside_is_said_also_of_a_verified_program() -> None:
    checks = [anchor(), check("a"), check("x", ruling="test")]
    found = verdict(facts(checks, [program("c1", "PPF", checks)]), confirmed=True)
    assert found.word == "verified"
    assert found.reasons[-1] == "1 model-written check was set aside as wrong or undecidable"


def test_unverified_says_why_where_no_example_says_what_is_right() -> None:
    checks = [check("a")]
    alone = verdict(facts(checks, [program("c1", "P", checks)]), confirmed=True)
    assert alone.reasons[0] == "neither an example of the task nor an independent program speaks for it"
    two = [program("c1", "P", checks, "12"), program("c2", "P", checks, "13")]
    split = verdict(facts(checks, two), confirmed=True, candidate="c1")
    assert split.word == "unverified"
    assert (
        split.reasons[0] == "programs differ, for instance on p1: 2 / 3, and no example of the task says which is right"
    )
    assert verdict(facts([anchor()], [program("c1", "P", [anchor()])]), confirmed=True).word == "partly_verified"


def test_where_the_task_is_unclear_and_programs_differ_it_says_so_and_is_unverified() -> None:
    ruled = [*CHECKS[:3], replace(CHECKS[3], ruling="task")]
    other = program("c2", "PPPF", ruled, "xy", answers={"f(1)": "2"})
    found = verdict(facts(ruled, [GOOD, other]), confirmed=True, candidate="c1")
    assert found.word == "unverified"
    assert "nothing settles what f(1) gives: 1 or 2" in found.reasons


def test_what_the_check_states_is_told_beside_what_the_programs_give() -> None:
    ruled = [*CHECKS[:3], replace(CHECKS[3], ruling="task", expected=CallOutput("value", "3"))]
    other = program("c2", "PPPF", ruled, "xy", answers={"f(1)": "2"})
    found = verdict(facts(ruled, [GOOD, other]), confirmed=True, candidate="c1")
    assert "nothing settles what f(1) gives: 1 or 2 or 3" in found.reasons


def test_where_the_task_is_unclear_and_programs_agree_the_assumption_is_reported() -> None:
    ruled = [*CHECKS[:3], replace(CHECKS[3], ruling="task")]
    found = verdict(facts(ruled, [GOOD]), confirmed=True)
    assert found.word == "partly_verified"
    assert any("nothing settles what" in reason for reason in found.reasons)


def test_a_value_that_only_the_arbiter_gives_is_told_as_the_arbiters() -> None:
    ruled = [*CHECKS[:3], replace(CHECKS[3], call="f(1)", ruling="task", read_as="7")]
    found = verdict(facts(ruled, [replace(GOOD, outputs={"f(1)": CallOutput("value", "1")})]), confirmed=True)
    assert found.word == "partly_verified"
    assert "the arbiter reads the task so that f(1) gives 7; the program gives 1" in found.reasons
    assert not any("nothing settles" in reason for reason in found.reasons)


def test_a_sign_of_cheating_lowers_the_verdict_and_is_named() -> None:
    found = verdict(facts(CHECKS, [GOOD]), confirmed=True, signs=("line 2: answers written into the code",))
    assert found.word == "partly_verified"
    assert "line 2: answers written into the code" in found.reasons


def test_counts_are_in_the_reasons() -> None:
    assert "2 of 2 checks of the task itself pass" in verdict(facts(CHECKS, [GOOD]), confirmed=True).reasons
    assert "1 of 1 further checks pass" in verdict(facts(CHECKS, [GOOD]), confirmed=True).reasons


ROLES = [anchor("t0"), check("spec"), check("attack", "adversary"), check("look", "critic")]


def test_checks_of_several_roles_against_programs_that_agree_rule_out_verified() -> None:
    ruled = [ROLES[0], *(replace(one, ruling="test", ruled_by="agreement") for one in ROLES[1:])]
    pair = [program(name, "PFFF", ruled, "xy") for name in ("c1", "c2")]
    found = verdict(facts(ruled, pair), confirmed=True)
    assert found.word == "partly_verified"
    assert any("spec, attack, look" in reason for reason in found.reasons), found.reasons


def test_an_arbiter_alone_neither_fails_nor_verifies_anything() -> None:
    ruled = [anchor("t0"), check("a", ruling="code", ruled_by="arbiter")]
    alone = verdict(facts(ruled, [program("c1", "PF", ruled)]), confirmed=True)
    assert alone.word == "unverified"
    assert any("the arbiter holds a against it" in reason for reason in alone.reasons), alone.reasons
    peer = program("c2", "PP", ruled)
    assert verdict(facts(ruled, [program("c1", "PF", ruled), peer]), confirmed=True, candidate="c1").word == "failed"


BARE = [anchor("t0"), anchor("t1"), check("a")]
TWENTY = "abcdefghijklmnopqrst"


def test_the_tasks_own_examples_alone_are_not_enough_for_verified() -> None:
    found = verdict(facts(BARE[:2], [program("c1", "PP", BARE[:2], TWENTY)]), confirmed=True)
    assert found.word == "partly_verified"
    assert any("only the task's own checks speak for it" in reason for reason in found.reasons), found.reasons
    assert word(facts(BARE, [program("c1", "PPP", BARE, TWENTY)])) == "verified"


def test_a_check_that_was_set_aside_or_did_not_run_speaks_for_nothing() -> None:
    ruled = [*BARE[:2], replace(BARE[2], ruling="test")]
    assert word(facts(ruled, [program("c1", "PPP", ruled)])) == "partly_verified"
    assert word(facts(BARE, [program("c1", "PP.", BARE)])) == "partly_verified"


def test_an_input_that_the_person_answered_speaks_for_the_program() -> None:
    ticked = [anchor("t0"), CheckFacts("tick", "answer", anchor=True)]
    assert word(facts(ticked, [program("c1", "PP", ticked)])) == "verified"


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (TWENTY, TWENTY, "verified"),
        (TWENTY[:19], TWENTY[:19], "partly_verified"),
        (TWENTY + "!!", TWENTY[:-1] + "  !", "partly_verified"),
    ],
    ids=["twenty equal", "nineteen equal of nineteen", "differ"],
)
def test_an_independent_program_stands_for_further_checks(mine: str, theirs: str, expected: str) -> None:
    pair = [program(name, "PP", BARE[:2], outputs) for name, outputs in (("c1", mine), ("c2", theirs))]
    assert verdict(facts(BARE[:2], pair), confirmed=True, candidate="c1").word == expected


def test_agreement_on_a_few_inputs_of_many_is_too_little() -> None:
    answers = {f"p{i}": FOUR if i < 19 else NO_END for i in range(40)}
    pair = [program(name, "PP", BARE[:2], answers=answers) for name in ("c1", "c2")]
    assert verdict(facts(BARE[:2], pair), confirmed=True, candidate="c1").word == "partly_verified"


def test_grounds_tell_what_the_verdict_rests_on() -> None:
    found = verdict(facts(CHECKS, [GOOD]), confirmed=True).grounds
    assert found is not None
    assert (found.clear, found.examples, found.checks, found.kind) == (True, 2, 2, "examples pass, further checks pass")
    unsure = verdict(facts(CHECKS, [GOOD]), confirmed=False).grounds
    assert unsure is not None
    assert not unsure.clear
    failed = verdict(facts(CHECKS, [program("c1", "FPPP", CHECKS)]), confirmed=True).grounds
    assert failed is not None
    assert failed.kind == "a trusted check fails"
    bare = [check("a")]
    pair = [program(name, "P", bare, outputs) for name, outputs in (("c1", "xy"), ("c2", "xz"))]
    differ = verdict(facts(bare, pair), confirmed=True).grounds
    assert differ is not None
    assert differ.kind == "no example, further checks pass, another program differs"


def test_two_scripts_that_put_out_different_things_are_no_count_of_inputs() -> None:
    one, other = (program(name, "", [], answers={"<output>": name}) for name in ("c1", "c2"))
    found = verdict(replace(facts([], [one, other]), probes=("<output>",)), confirmed=True)
    assert "compared with 1 independent program: what they put out is not equal" in found.reasons


FIVE_TIMES = CallOutput("value", "25")


def test_where_several_programs_give_another_value_than_an_example_it_says_so() -> None:
    wrong = anchor("t0", call="vowels('Education')", expected=CallOutput("value", "4"))
    checks = [wrong, anchor("t1")]
    said = "2 programs, none a repair of another, give 5 for vowels('Education'), where 4 is stated"
    programs = [program(name, "FP", checks, answers={"vowels('Education')": "5"}) for name in ("c1", "c2")]
    found = verdict(facts(checks, programs), confirmed=True)
    assert found.word == "failed"
    assert said in found.reasons
    repair = replace(programs[1], root="c1")
    assert said not in verdict(facts(checks, [programs[0], repair]), confirmed=True).reasons
    differing = replace(programs[1], outputs={"vowels('Education')": FIVE_TIMES})
    for beside in ([differing], []):
        reasons = verdict(facts(checks, [programs[0], *beside]), confirmed=True, candidate="c1").reasons
        assert not any(" programs, none a repair of another" in reason for reason in reasons)
    raising = [replace(one, outputs={"vowels('Education')": CallOutput("exception", "KeyError")}) for one in programs]
    assert not any("none a repair" in told for told in verdict(facts(checks, raising), confirmed=True).reasons)


def test_such_an_example_is_told_also_behind_one_that_states_no_value() -> None:
    wrong = anchor("t1", call="f(1)", expected=FOUR)
    checks = [anchor("t0"), wrong]
    pair = [program(name, "FF", checks, answers={"f(1)": "5"}) for name in ("c1", "c2")]
    told = verdict(facts(checks, pair), confirmed=True).reasons
    assert "2 programs, none a repair of another, give 5 for f(1), where 4 is stated" in told


def test_only_an_example_of_the_task_may_be_what_is_wrong_where_programs_give_another_value() -> None:
    checks = [anchor("t0"), check("a", call="f(1)", expected=FOUR, ruling="code", ruled_by="person")]
    pair = [program(name, "PF", checks, answers={"f(1)": "5"}) for name in ("c1", "c2")]
    found = verdict(facts(checks, pair), confirmed=True)
    assert found.reasons[0] == "a fails and the code is at fault"
    assert not any("none a repair" in reason for reason in found.reasons)


def test_what_the_arbiter_alone_holds_stays_open_also_where_two_suites_state_the_check() -> None:
    ruled = [anchor("t0"), check("a", votes=2, ruling="code", ruled_by="arbiter")]
    alone = verdict(facts(ruled, [program("c1", "PF", ruled)]), confirmed=True)
    assert (alone.word, alone.reasons[0]) == (
        "unverified", "the arbiter holds a against it, which nothing that was executed confirms",
    )  # fmt: skip


def test_a_check_that_agreeing_programs_show_to_be_wrong_is_no_open_question() -> None:
    checks = [anchor("t0"), check("a", call="f(1)", expected=FOUR), check("b")]
    pair = [program(name, "PFP", checks, answers={"f(1)": "5"}) for name in ("c1", "c2")]
    found = verdict(facts(checks, pair), confirmed=True)
    assert found.word == "verified"
    assert not any(reason.startswith("a ") for reason in found.reasons), found.reasons


def test_a_repair_for_which_only_the_arbiter_speaks_against_two_authors_is_not_verified() -> None:
    checks = [anchor(), check("b"), check("a", ruling="code", ruled_by="arbiter")]
    first, other = program("c1", "PPF", checks, "xy"), program("c2", "PPF", checks, "xy")
    repaired = program("c3", "PPP", checks, "xz", root="c1", kind="repair")
    told = "a was held to be right by the arbiter alone: 2 authors who had not seen it gave something else"
    found = verdict(facts(checks, [first, other, repaired]), confirmed=True)
    assert (found.word, found.reasons[-1]) == ("partly_verified", told)
    seen = program("c4", "PPP", checks, "xz", kind="independent")
    assert told not in verdict(facts(checks, [first, other, repaired, seen]), confirmed=True).reasons
    unrepaired = verdict(facts(checks, [first, other]), confirmed=True)
    assert unrepaired.word == "partly_verified"
    assert "the arbiter holds a against it, which nothing that was executed confirms" in unrepaired.reasons


def test_a_test_that_states_an_example_once_more_is_no_further_evidence() -> None:
    checks = [anchor(call="f(1)", expected=FOUR), check("copy", call="f(1)", expected=FOUR), check("b", call="f(2)")]
    pool = [program("c1", "PPP", checks, answers={"f(1)": "4"})]
    assert "1 of 1 further checks pass" in verdict(facts(checks, pool), confirmed=True).reasons
    alone = verdict(facts(checks[:2], [program("c1", "PP", checks[:2])]), confirmed=True)
    assert alone.word == "partly_verified"
    nobody = "no independent program was found that answers 20 inputs (or all that there can be) with the same value"
    assert alone.reasons[-1] == f"only the task's own checks speak for it: no further check passes, and {nobody}"
