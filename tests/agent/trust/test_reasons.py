"""The sentence with which the judge says why the next step is taken: the person reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.trust import Facts, decide
from agent.trust.facts import CandidateFacts, Spent
from tests.tables import in_one_test

from .build import DONE, anchor, check, facts, program

CHECKS = [anchor("t0", call="p0"), check("a", call="f(1)"), check("b", call="f(2)")]
GOOD = program("c1", "PPP", CHECKS, "x", answers={"f(1)": "1", "f(2)": "2"})
ASKS = "an independent program is asked"


def passing(spent: Spent = DONE, best: CandidateFacts = GOOD, **more: Any) -> Facts:
    return replace(facts(CHECKS, [best], spent), probes=("p0",), **more)


def test_a_program_of_which_only_tests_are_wanted_stays_as_it_is() -> None:
    failing = replace(facts(CHECKS, [program("c1", "FPP", CHECKS, "x")], DONE), stays=True)
    decision = decide(failing)
    assert (decision.action, decision.reason) == ("conclude", "it stays as it is: no other program is wanted")
    assert decide(replace(failing, stays=False)).action == "diagnose"


def alone(**more: Any) -> Facts:
    """A program without an example."""
    given = CHECKS[1:]
    return facts(given, [program("c1", "PP", given)], replace(DONE, **more))


@in_one_test(
    "given, action, reason",
    [
        (facts([], []), "conclude", "no program was written"),
        (passing(best=replace(GOOD, executed=False)), "run_tests", "c1 has not been executed yet"),
        (passing(replace(DONE, exhausted="the budget is spent")), "conclude",
         "nothing further may be tried: the budget is spent"),
        (passing(replace(DONE, judged=40)), "conclude", "nothing further may be tried: the judge was asked 40 times"),
        (passing(), "conclude", "nothing is left to settle"),
        (passing(replace(DONE, adversary_done=False)), "write_adversarial_tests",
         "it passes, but nobody has attacked it yet"),
        (passing(replace(DONE, critic_done=False)), "critic", "it passes; a last look for a failing input"),
        (passing(replace(DONE, hard=True)), "second_attempt",
         "the task is hard, and small inputs can be decided by a slow and obvious program"),
        (passing(best=replace(GOOD, unpinned="line 2: `<` became `<=`")), "second_attempt",
         f"no check notices this change: line 2: `<` became `<=`: {ASKS}"),
        (passing(best=replace(GOOD, unpinned="a change", breaks_off="f([])")), "second_attempt",
         f"it breaks off on f([]): {ASKS}"),
        (passing(ties_open=True), "second_attempt", f"the task does not say which of equal things is meant: {ASKS}"),
        (passing(ties_open=True, keeps_state=True), "second_attempt",
         f"tests show few of the orders in which its objects can be used: {ASKS}"),
        (passing(tried=("f(9)",)), "second_attempt",
         "no check says what f(9) gives, and there is no other program to compare with: another one is asked"),
        (passing(replace(DONE, tests_alone=True)), "second_attempt",
         "the adversary gave tests alone, and no input by which programs could be compared: another one is asked"),
        (passing(replace(DONE, unattacked=True)), "second_attempt",
         "no adversary has tried it with anything that could be run: another one is asked"),
        (passing(replace(DONE, unattacked=True, inputs_tried=True)), "second_attempt",
         "an adversary gave inputs only, and there is no other program to compare the answers with: another one is"
         " asked"),
        (alone(), "second_attempt", "no example was read from the task: an independent program must agree first"),
        (alone(use_inputs=True), "write_inputs",
         "no example was read from the task: programs are compared on inputs that it allows"),
        (alone(independents=2), "ask_person", "nothing that could be asked or executed settles what is right here"),
        (alone(independents=2, asked=True), "conclude", "nothing is left to settle"),
    ],
)  # fmt: skip
def test_the_judge_says_why(given: Facts, action: str, reason: str) -> None:
    decision = decide(given)
    assert (decision.action, decision.reason) == (action, reason)
    assert decision.attempt == ("independent" if action == "second_attempt" else None)
    assert decision.candidate == ("c1" if given.candidates else None)


@pytest.mark.parametrize(
    ("given", "again"),
    [
        (alone(), True), (passing(ties_open=True), True), (passing(keeps_state=True), True),
        (passing(best=replace(GOOD, unpinned="a change")), True),
        (passing(best=replace(GOOD, breaks_off="f([])")), True), (passing(tried=("f(9)",)), True),
        (passing(replace(DONE, tests_alone=True)), True), (passing(replace(DONE, unattacked=True)), True),
        (passing(replace(DONE, hard=True)), False), (facts(CHECKS[:1], [program("c1", "P", CHECKS[:1])], DONE), False),
    ],
)  # fmt: skip
def test_no_more_programs_are_asked_for_than_may_be_written(given: Facts, *, again: bool) -> None:
    def asks(written: int, most: int) -> bool:
        spent = replace(given.spent, independents=written, max_independents=most)
        return decide(replace(given, spent=spent)).attempt == "independent"

    assert [asks(0, 2), asks(1, 2), asks(2, 2), asks(0, 1), asks(1, 1), asks(0, 0)] == (
        [True, again, False, True, False, False]
    )


def test_a_single_example_is_said_to_be_little() -> None:
    given = [replace(CHECKS[0], claims=1), *CHECKS[1:]]
    decision = decide(facts(given, [program("c1", "PPP", given)], DONE))
    assert (decision.action, decision.reason) == ("second_attempt", f"the task gives only one example: {ASKS}")


def test_examples_alone_are_said_to_be_little() -> None:
    decision = decide(facts(CHECKS[:1], [program("c1", "P", CHECKS[:1])], DONE))
    assert (decision.action, decision.reason) == (
        "second_attempt",
        f"only the task's own examples speak for it: {ASKS}",
    )


@pytest.mark.parametrize(
    ("ruled", "others", "independents", "asks"),
    [
        (None, 0, 0, True), (None, 0, 1, False), (None, 1, 0, False), ("code", 0, 0, False), ("test", 0, 0, False),
    ],
)  # fmt: skip
def test_a_doubt_about_examples_alone_is_worth_one_program_and_none_where_there_was_another_doubt(
    ruled: Any, others: int, independents: int, *, asks: bool
) -> None:
    given = [*CHECKS[:1], replace(CHECKS[1], ruling=ruled)]
    pool = [program(f"c{n}", "P.", given, root="c1", fingerprint=f"{n}") for n in range(1, 2 + others)]
    decision = decide(facts(given, pool, replace(DONE, independents=independents)))
    assert decision.attempt == ("independent" if asks else None)


def test_a_failed_promise_is_said_to_be_the_codes_fault_until_repairs_are_used_up() -> None:
    fails = program("c1", "FPP", CHECKS)
    decision = decide(facts(CHECKS, [fails], DONE))
    assert (decision.action, decision.reason, decision.check, decision.fault, decision.attempt) == (
        *("diagnose", "the task itself promises this", "t0", "code", "repair"),
    )
    spent = replace(DONE, refused=frozenset({"c1"}))
    refused = "the debugger does not blame the code although it must change"
    decision = decide(facts(CHECKS, [fails], spent))
    assert (decision.action, decision.reason, decision.attempt) == ("second_attempt", refused, "rewrite")
    decision = decide(facts(CHECKS, [fails], replace(spent, rewrites=2)))
    assert (decision.action, decision.reason) == ("conclude", f"stuck: {refused}")
