"""The stop rule: what the run does next."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.state import AttemptKind
from agent.trust import CheckFacts, Decision, Facts, Spent, decide, verdict
from agent.trust.facts import NOT_HERE

from .build import DONE, anchor, check, facts, program

CHECKS = [anchor(), check("a", call="f(1)")]
OPEN = Spent()


def next_step(given: Facts) -> tuple[str, str | None]:
    decision = decide(given)
    return decision.action, decision.attempt or decision.check


def c(name: str, letters: str, answer: str = "1", **more: Any):
    return program(name, letters, CHECKS, answers={"f(1)": answer}, **more)


def test_a_program_that_was_not_executed_is_executed_first() -> None:
    assert decide(facts(CHECKS, [c("c1", "..", executed=False)])).action == "run_tests"


def test_without_a_program_the_run_ends() -> None:
    assert decide(facts(CHECKS, [])) == Decision("conclude", "no program was written")


def test_a_broken_promise_is_diagnosed_on_the_best_program() -> None:
    decision = decide(facts(CHECKS, [c("c1", "FF"), c("c2", "FP")]))
    assert (decision.action, decision.candidate, decision.check, decision.fault) == ("diagnose", "c2", "t0", "code")


def test_a_disputed_check_gets_a_second_program_before_any_repair_or_arbiter() -> None:
    assert next_step(facts(CHECKS, [c("c1", "PF")])) == ("second_attempt", "independent")


def test_the_arbiter_is_asked_only_once_independent_programs_are_spent_and_split() -> None:
    split = [c("c1", "PF", "1"), c("c2", "PF", "3")]
    assert next_step(facts(CHECKS, split)) == ("second_attempt", "independent")
    spent = replace(DONE, independents=2)
    assert next_step(facts(CHECKS, split, spent)) == ("arbitrate", "a")


def test_what_two_programs_agree_against_is_quarantined_with_the_fault() -> None:
    decision = decide(facts(CHECKS, [c("c1", "PF"), c("c2", "PF")]))
    assert (decision.action, decision.check, decision.fault) == ("quarantine", "a", "test")


def test_without_examples_two_agreeing_programs_are_not_put_before_an_arbiter_who_could_turn_them() -> None:
    bare = [check("a", call="f(1)"), check("b")]
    pool = [program(name, "FP", bare, "xy", answers={"f(1)": "1"}) for name in ("c1", "c2")]
    assert decide(facts(bare, pool)).action == "conclude"


@pytest.mark.parametrize("checks", [[anchor(), check("a", call="f(1)", is_quoted=True)], [check("a", is_quoted=True)]])
def test_a_check_that_quotes_the_task_is_put_to_the_arbiter_before_programs_that_agree_set_it_aside(
    checks: list[CheckFacts],
) -> None:
    letters = "PF"[-len(checks) :]
    pool = [program(name, letters, checks, "xy", answers={"f(1)": "1"}) for name in ("c1", "c2")]
    decision = decide(facts(checks, pool))
    assert (decision.action, decision.check, decision.call) == ("arbitrate", "a", checks[-1].call)
    asked = facts(checks, pool, replace(DONE, arbitrated=frozenset({"a"})))
    assert decide(asked).action == ("quarantine" if len(checks) > 1 else "conclude")
    assert decide(facts(checks, pool, replace(DONE, use_arbiter=False))).action != "arbitrate"


def test_where_the_debugger_contradicts_the_arbiters_word_alone_no_program_is_given_up_for_it() -> None:
    checks = [anchor(), check("a", call="f(1)", ruling="code", ruled_by="arbiter")]
    pool = [program(name, "PF", checks, "xy", answers={"f(1)": "1"}) for name in ("c1", "c2")]
    assert decide(facts(checks, pool)).action == "diagnose"
    refused = Spent(diagnosed=frozenset({"c1"}), refused=frozenset({"c1"}))
    assert decide(facts(checks, pool, refused)).action == "write_adversarial_tests"


def test_two_against_one_and_the_test_goes_to_the_arbiter() -> None:
    checks = [*CHECKS, *(check(n) for n in "xyz")]
    pool = [program(n, "PFPPP", checks, "pq", answers={"f(1)": "1"}) for n in ("c1", "c2")]
    pool.append(program("c3", "PPFFF", checks, "rs", answers={"f(1)": "2"}))
    decision = decide(facts(checks, pool, replace(DONE, independents=2)))
    assert (decision.action, decision.check, decision.call) == ("arbitrate", "a", "f(1)")


def test_after_the_quarantine_the_right_program_is_kept() -> None:
    ruled = [CHECKS[0], replace(CHECKS[1], ruling="test")]
    assert decide(facts(ruled, [c("c1", "PF"), c("c2", "PF")])).action == "conclude"


def test_a_program_that_passes_what_the_first_failed_wins() -> None:
    decision = decide(facts(CHECKS, [c("c1", "PF"), c("c2", "PP", "2")]))
    assert (decision.action, decision.candidate) == ("conclude", "c2")


def test_a_property_of_the_adversary_that_an_independent_program_passes_blames_the_code() -> None:
    checks = [anchor(), check("a"), check("b"), check("q", "adversary", is_property=True, against="c1")]
    pool = [program("c1", "PPPF", checks, "xx"), program("c2", "PFFP", checks, "xx")]
    decision = decide(facts(checks, pool))
    assert (decision.action, decision.candidate, decision.check) == ("diagnose", "c1", "q")


def test_an_arbiter_that_finds_the_task_unclear_sends_the_question_to_the_person_once() -> None:
    unclear = [CHECKS[0], replace(CHECKS[1], ruling="task")]
    pool = [c("c1", "PF", "1"), c("c2", "PF", "3")]
    decision = decide(facts(unclear, pool))
    assert (decision.action, decision.check, decision.call) == ("ask_person", "a", "f(1)")
    assert decide(facts(unclear, pool, replace(DONE, asked=True))).action == "conclude"


def test_the_persons_tick_answers_an_unclear_check() -> None:
    answered = [CHECKS[0], replace(CHECKS[1], ruling="task"), anchor("tick", call="f(1)")]
    pool = [program("c1", "PFP", answered, answers={"f(1)": "1"})]
    assert decide(facts(answered, pool)).action == "conclude"


def test_without_examples_a_second_program_must_agree_then_the_arbiter_and_the_person_are_asked() -> None:
    bare = [check("a")]
    one, other = program("c1", "P", bare, "xy"), program("c2", "P", bare, "xz")
    assert next_step(facts(bare, [one])) == ("second_attempt", "independent")
    for told, action in ((frozenset[str](), "arbitrate"), (frozenset({"p1"}), "ask_person")):
        decision = decide(facts(bare, [one, other], replace(DONE, independents=2, arbitrated=told)))
        assert (decision.action, decision.call) == (action, "p1")
    assert decide(facts(bare, [one, replace(other, outputs=one.outputs)])).action == "conclude"


def test_a_passing_program_is_attacked_then_reviewed_then_delivered() -> None:
    steps = [decide(facts(CHECKS, [c("c1", "PP")], spent)).action for spent in (OPEN, Spent(adversary_done=True), DONE)]
    assert steps == ["write_adversarial_tests", "critic", "conclude"]


def test_flags_leave_boxes_out() -> None:
    bare = Spent(use_adversary=False, use_critic=False, use_arbiter=False, max_independents=0, asked=True)
    assert decide(facts(CHECKS, [c("c1", "PP")], bare)).action == "conclude"
    assert decide(facts(CHECKS, [c("c1", "PF")], bare)).action == "conclude"


def test_the_same_failure_twice_ends_repairing_and_a_new_program_is_written() -> None:
    family = [c("c1", "FP", signature="s"), c("c2", "FP", root="c1", kind="repair", signature="s")]
    decision = decide(facts(CHECKS, family, replace(DONE, repairs={"c1": 1})))
    assert (decision.action, decision.attempt) == ("second_attempt", "rewrite")
    assert decide(facts(CHECKS, family, replace(DONE, rewrites=2))).action == "conclude"


def test_what_the_sandbox_lacks_is_worth_a_repair_and_no_new_program() -> None:
    lost = c("c1", "..", broken=f"{NOT_HERE}URLError: no network")
    assert decide(facts(CHECKS, [lost])).action == "diagnose"
    spent = replace(DONE, diagnosed=frozenset({"c1"}), refused=frozenset({"c1"}))
    assert decide(facts(CHECKS, [lost], spent)).action == "conclude"
    assert decide(facts(CHECKS, [replace(lost, broken="SyntaxError")], spent)).action == "second_attempt"


def test_a_repair_that_changes_nothing_ends_repairing() -> None:
    family = [c("c1", "FP", fingerprint="x"), c("c2", "FP", root="c1", kind="repair", fingerprint="x")]
    assert decide(facts(CHECKS, family)).attempt == "rewrite"


def test_two_repairs_a_family_and_four_in_all() -> None:
    assert decide(facts(CHECKS, [c("c1", "FP")], replace(DONE, repairs={"c1": 2}))).attempt == "rewrite"
    assert decide(facts(CHECKS, [c("c1", "FP")], replace(DONE, repairs={"c8": 2, "c9": 2}))).attempt == "rewrite"


def test_a_debugger_that_blames_the_test_for_a_broken_promise_is_not_asked_again() -> None:
    spent = replace(DONE, diagnosed=frozenset({"c1"}), refused=frozenset({"c1"}), repairs={"c1": 1})
    assert decide(facts(CHECKS, [c("c1", "FP")], spent)).attempt == "rewrite"


def test_a_spent_budget_ends_the_run_with_the_best_program_and_says_why() -> None:
    decision = decide(facts(CHECKS, [c("c1", "FP"), c("c2", "PF")], replace(OPEN, exhausted="20 calls are used up")))
    assert (decision.action, decision.candidate) == ("conclude", "c2")
    assert "20 calls" in decision.reason


def test_the_judge_itself_is_bounded() -> None:
    assert decide(facts(CHECKS, [c("c1", "FF")], replace(OPEN, judged=40))).action == "conclude"


def test_a_held_out_check_is_shown_to_the_debugger_only_when_it_stands_alone() -> None:
    checks = [check("h", held_out=True), check("v"), *(check(n) for n in "xyz")]
    best, peer = program("c1", "FFPPP", checks, "ab"), program("c2", "PPFFF", checks, "ab")
    assert decide(facts(checks, [best, peer])).check == "v"
    only = program("c1", "FPPPP", checks, "ab")
    assert decide(facts(checks, [only, peer])).check == "h"


def test_checks_of_several_roles_against_programs_that_agree_go_to_the_arbiter_once() -> None:
    ruled = [
        anchor("t0"),
        check("spec", call="f(1)", ruling="test", ruled_by="agreement"),
        check("attack", "adversary", ruling="test", ruled_by="agreement"),
    ]
    pair = [program(name, "PFF", ruled, "xy", answers={"f(1)": "1"}) for name in ("c1", "c2")]
    decision = decide(facts(ruled, pair))
    assert (decision.action, decision.check, decision.call) == ("arbitrate", "spec", "f(1)")
    asked = replace(DONE, arbitrated=frozenset({"spec"}))
    assert decide(facts(ruled, pair, asked)).action == "conclude"
    one_role = [ruled[0], ruled[1], replace(ruled[2], origin="spec")]
    assert decide(facts(one_role, pair)).action == "conclude"


def test_a_first_program_for_which_only_the_examples_speak_gets_an_independent_one() -> None:
    alone = [anchor("t0")]
    asked = decide(facts(alone, [program("c1", "P", alone, "xy")]))
    assert (asked.action, asked.attempt) == ("second_attempt", "independent")
    assert decide(facts(alone, [program("c1", "P", alone, "xy")], replace(DONE, independents=1))).action == "conclude"
    assert decide(facts(alone, [program("c1", "P", alone)], replace(DONE, max_independents=0))).action == "conclude"
    further = [*alone, check("a")]
    assert decide(facts(further, [program("c1", "PP", further)])).action == "conclude"
    pair = [program(name, "P", alone, "xy") for name in ("c1", "c2")]
    assert decide(facts(alone, pair)).action == "conclude"


def test_the_adversary_has_its_turn_before_a_program_is_paid_for() -> None:
    alone = [anchor("t0")]
    fresh = replace(DONE, adversary_done=False)
    assert decide(facts(alone, [program("c1", "P", alone)], fresh)).action == "write_adversarial_tests"


def test_a_check_that_debugger_and_peer_see_differently_goes_to_the_arbiter_before_a_program_is_given_up() -> None:
    checks = [check("a", call="f(1)"), check("b", call="f(2)"), check("c", call="f(3)")]
    pool = [program("c1", "PFF", checks), program("c2", "FPP", checks)]
    spent = replace(DONE, diagnosed=frozenset({"c2"}), refused=frozenset({"c2"}))
    decision = decide(facts(checks, pool, spent))
    assert (decision.action, decision.check, decision.call) == ("arbitrate", "a", "f(1)")
    asked = replace(spent, arbitrated=frozenset({"a"}))
    assert decide(facts(checks, pool, asked)).attempt == "rewrite"
    assert decide(facts(checks, pool, replace(spent, use_arbiter=False))).attempt == "rewrite"


@pytest.mark.parametrize(
    ("call", "refused", "arbitrated", "votes", "asks"),
    [
        ("f(1)", True, 0, 1, True), (None, True, 0, 1, False), ("f(1)", False, 0, 1, False),
        ("f(1)", True, 4, 1, True), ("f(1)", True, 5, 1, False), ("f(1)", True, 0, 2, False),
    ],
)  # fmt: skip
def test_only_one_suites_word_on_one_input_against_the_debugger_is_put_to_the_arbiter(
    call: str | None, refused: bool, arbitrated: int, votes: int, *, asks: bool
) -> None:
    checks = [check("a", call=call, votes=votes), check("b", call="f(2)"), check("c", call="f(3)")]
    pool = [program("c1", "PFF", checks), program("c2", "FPP", checks)]
    spent = replace(
        DONE,
        refused=frozenset({"c2"} if refused else ()),
        repairs={} if refused else {"c2": 4},
        arbitrated=frozenset(map(str, range(arbitrated))),
    )
    assert (decide(facts(checks, pool, spent)).action == "arbitrate") is asks


def test_where_the_adversary_could_have_shown_nothing_one_more_program_is_asked_for() -> None:
    """A test of its own is enough; inputs alone are only where another program that still stands answers them."""
    lazy = replace(DONE, unattacked=True, inputs_tried=True, independents=0)
    assert decide(facts(CHECKS, [c("c1", "PP")], replace(lazy, unattacked=False))).action == "conclude"
    decision = decide(facts(CHECKS, [c("c1", "PP")], lazy))
    assert (decision.action, decision.attempt) == ("second_attempt", "independent")
    assert "inputs only" in decision.reason
    assert decide(facts(CHECKS, [c("c1", "PP"), c("c2", "PP")], lazy)).action == "conclude"
    refuted = decide(facts(CHECKS, [c("c1", "FP"), c("c2", "PP")], replace(lazy, independents=1)))
    assert (refuted.action, refuted.candidate) == ("second_attempt", "c2")
    assert decide(facts(CHECKS, [c("c1", "PP")], replace(lazy, independents=2))).action == "conclude"
    repaired = facts(CHECKS, [c("c1", "FP", kind="given"), c("c2", "PP", root="c1", kind="repair")], lazy)
    assert decide(repaired).action == "conclude"
    assert not any("adversary" in reason for reason in verdict(repaired, confirmed=True).reasons), (
        "what given code answers is there to compare with"
    )


def test_an_input_of_the_adversary_that_no_check_decides_is_worth_another_program_once() -> None:
    checks = [anchor(call="f(1)"), check("a", call="f(2)")]
    one, fresh = program("c1", "PP", checks), replace(DONE, independents=0)
    decision = decide(facts(checks, [one], fresh, tried=("f(1)", "f(3)")))
    assert (decision.action, decision.attempt) == ("second_attempt", "independent")
    assert "no check says what f(3) gives" in decision.reason
    assert decide(facts(checks, [one], fresh, tried=("f(1)", "f(2)"))).action == "conclude"
    same = [program(name, "PP", checks, root="c1", kind=kind, fingerprint="x") for name, kind in SAME_TEXT]
    asked = replace(fresh, independents=1)
    assert decide(facts(checks, same, asked, tried=("f(3)",))).attempt == "independent", "it is asked for another way"
    twice = replace(fresh, independents=2)
    assert decide(facts(checks, same, twice, tried=("f(3)",))).action == "conclude", "it came out the same twice"
    refuted = [program("c1", "FP", checks, fingerprint="y"), replace(same[1], root="c2")]
    assert decide(facts(checks, refuted, asked, tried=("f(3)",))).attempt == "independent", "it is the one that came"


SAME_TEXT: tuple[tuple[str, AttemptKind], ...] = (("c1", "first"), ("c2", "independent"))


def test_an_input_of_the_adversary_that_the_arbiter_has_decided_was_an_attack() -> None:
    checks = [anchor(call="f(1)"), check("ruled", "arbiter", call="f(3)")]
    pool = [program("c1", "PF", checks), program("c2", "PP", checks)]
    lazy = replace(DONE, unattacked=True, inputs_tried=True)
    assert verdict(facts(checks, pool, lazy, tried=("f(3)",)), confirmed=True, candidate="c2").word == "verified"
    assert verdict(facts(checks, pool, lazy), confirmed=True, candidate="c2").word == "partly_verified"


def test_of_a_class_another_program_is_asked_for() -> None:
    checks = [anchor(call="f(1)"), check("a", call="f(2)")]
    one, fresh = program("c1", "PP", checks), replace(DONE, independents=0)
    decision = decide(facts(checks, [one], fresh, keeps_state=True))
    assert (decision.action, decision.attempt) == ("second_attempt", "independent")
    assert decide(facts(checks, [one], fresh)).action == "conclude"


def test_where_programs_differ_on_such_an_input_the_arbiter_is_asked_without_a_validator() -> None:
    checks = [anchor(call="f(1)"), check("a", call="f(2)")]
    pool = [program(name, "PP", checks, answers={"f(3)": value}) for name, value in (("c1", "3"), ("c2", "4"))]
    decision = decide(facts(checks, pool, DONE, tried=("f(3)",)))
    assert (decision.action, decision.call) == ("arbitrate", "f(3)")
