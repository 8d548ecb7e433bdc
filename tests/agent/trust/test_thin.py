"""When a run pays for more evidence, and what valid inputs change in the comparison of programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.trust import CandidateFacts, CheckFacts, Spent, decide, verdict
from agent.trust.agreement import agreement, clusters
from agent.trust.reading import FactsView
from agent.trust.thin import thin
from sandbox.types import CallOutput
from tests.agent.trust.build import DONE, anchor, check, facts, program

EXPLORING = replace(DONE, use_inputs=True)
T0 = [anchor("t0"), check("s1")]
VALID = tuple(f"f({i})" for i in range(20))


def answering(name: str, different: int = 0, letters: str = "PP", **more: Any) -> CandidateFacts:
    """A program that gives i for f(i), and something else for the first `different` inputs."""
    answers = {call: f"{name}!" if i < different else str(i) for i, call in enumerate(VALID)}
    return program(name, letters, T0, answers=answers, **more)


def reason(checks: list[CheckFacts], programs: list[CandidateFacts], spent: Spent = EXPLORING) -> str:
    reading = FactsView(facts(checks, programs, spent, valid=VALID))
    return thin(reading, reading.candidates["c1"])


def test_examples_that_one_program_passes_are_enough() -> None:
    assert reason(T0, [answering("c1")]) == ""
    assert reason(T0, [answering("c1"), answering("c2")]) == "", "two that agree leave nothing open"


def test_a_program_that_no_adversary_could_show_to_be_wrong_is_compared_on_valid_inputs() -> None:
    spent = replace(EXPLORING, unattacked=True)
    assert "no adversary" in reason(T0, [answering("c1"), answering("c2")], spent)
    assert reason(T0, [answering("c1")], spent) == "", "there is nothing to compare it with"


@pytest.mark.parametrize(
    ("checks", "programs", "spent", "why"),
    [
        ([check("s0"), check("s1")], [answering("c1")], EXPLORING, "no example was read from the task"),
        (T0, [answering("c1"), answering("c2", 1)], EXPLORING, "independent programs differ"),
        (T0, [answering("c1")], replace(EXPLORING, hard=True), "the task is hard and its examples are few"),
        (
            [T0[0], check("s1", ruling="test", ruled_by="agreement"), check("a", "adversary")],
            [program("c1", "PFF", [*T0, check("a")])], EXPLORING, "checks of several roles contradict the programs",
        ),
    ],
)  # fmt: skip
def test_thin_evidence_has_a_reason_and_is_worth_one_generator(
    checks: list[CheckFacts], programs: list[CandidateFacts], spent: Spent, why: str
) -> None:
    assert reason(checks, programs, spent) == why
    first = decide(facts(checks, programs, spent, valid=VALID))
    assert first.action == "write_inputs"
    assert why in first.reason
    later = decide(facts(checks, programs, replace(spent, inputs_done=True), valid=VALID))
    assert later.action != "write_inputs"


def test_one_odd_valid_input_weighs_four_times_a_mutated_one() -> None:
    one, other = answering("c1"), answering("c2", 10)
    valid = FactsView(facts(T0, [one, other], valid=VALID))
    known = FactsView(facts([*T0, check("s2", call="g()")], [_with_g(one), _with_g(other)], valid=VALID))
    probed = FactsView(replace(known.facts, valid=(), probes=VALID))
    assert agreement(valid, *valid.facts.candidates) == 0.5
    assert agreement(known, *known.facts.candidates) == pytest.approx(11 / 21)
    assert agreement(probed, *probed.facts.candidates) == pytest.approx((1 + 0.25 * 0.5) / 1.25)


def _with_g(one: CandidateFacts) -> CandidateFacts:
    return replace(one, outputs={**one.outputs, "g()": CallOutput("value", "0")}, outcomes={**one.outcomes, "s2": "P"})


def test_valid_inputs_part_programs_into_groups_and_are_counted_in_the_verdict() -> None:
    known = facts(T0, [answering("c1"), answering("c2", 1)], valid=VALID)
    assert set(clusters(known)) == {("c1",), ("c2",)}
    found = verdict(known, confirmed=True, candidate="c1")
    assert found.compared == {"equal": 19, "different": 1, "no_answer": 0}
    assert found.word == "partly_verified"


def test_a_check_whose_input_the_task_excludes_is_set_aside_and_blames_nobody() -> None:
    excluded = check("s1", call="f(-1)", excluded="n is positive")
    known = facts([T0[0], excluded], [program("c1", "PF", T0)], EXPLORING)
    decision = decide(known)
    assert (decision.action, decision.check, decision.fault) == ("quarantine", "s1", "test")
    assert "n is positive" in decision.reason
    assert "f(-1)" not in FactsView(known).known_calls


ONE = [anchor("t0", claims=1), check("s1")]


def test_a_single_example_asks_for_an_independent_program_and_several_do_not() -> None:
    alone = facts(ONE, [answering("c1")], valid=VALID)
    asked = decide(alone)
    assert (asked.action, asked.attempt) == ("second_attempt", "independent")
    assert "only one example" in asked.reason
    assert decide(facts(T0, [answering("c1")], valid=VALID)).action == "conclude"
    twice = [ONE[0], anchor("t1", claims=1), ONE[1]]
    both = program("c1", "PPP", twice, answers=dict.fromkeys(VALID, "1"))
    assert decide(facts(twice, [both], valid=VALID)).action == "conclude"
    same = [replace(one, call="f(1)") for one in twice[:2]]
    again = facts(
        [*same, ONE[1]], [program("c1", "PPP", [*same, ONE[1]], answers=dict.fromkeys(VALID, "1"))], valid=VALID
    )
    assert decide(again).attempt == "independent", "the same example told twice is one"


def test_a_single_example_without_an_independent_program_is_at_most_partly_verified() -> None:
    known = facts(ONE, [answering("c1")], replace(DONE, max_independents=0), valid=VALID)
    assert decide(known).action == "conclude"
    found = verdict(known, confirmed=True)
    assert found.word == "partly_verified"
    assert found.reasons[-1].startswith("the task gives only one example, and no independent program")


def test_beside_a_single_example_programs_are_compared_on_inputs_that_the_task_allows() -> None:
    pool = [program(name, "PP", ONE, answers=dict.fromkeys(VALID[:19], "1")) for name in ("c1", "c2")]
    known = facts(ONE, pool, EXPLORING, valid=VALID[:19])
    assert decide(known).action == "write_inputs"
    assert verdict(known, confirmed=True).word == "partly_verified", "one input too few"
    alike = replace(known, spent=DONE, candidates=(answering("c1"), answering("c2")), valid=VALID)
    assert (decide(alike).action, verdict(alike, confirmed=True).word) == ("conclude", "verified")
    raising = dict.fromkeys(VALID, CallOutput("exception", "ValueError"))
    silent = replace(alike, candidates=tuple(program(name, "PP", ONE, answers=raising) for name in ("c1", "c2")))
    assert verdict(silent, confirmed=True).word == "partly_verified", "what is no input makes every program raise"


def test_one_example_of_what_given_code_is_to_do_besides_is_a_single_example() -> None:
    old, new = VALID[:5], VALID[5:]
    refused = CallOutput("exception", "TypeError")
    given = program("c1", "FP", ONE, answers=dict.fromkeys(old, "1") | dict.fromkeys(new, refused), kind="given")
    repair = program("c2", "PP", ONE, answers=dict.fromkeys(VALID, "1"), root="c1")
    known = facts(ONE, [given, repair], valid=VALID, extends=True)
    assert decide(known).attempt == "independent"
    assert "only one example of what is new" in verdict(known, confirmed=True, candidate="c2").reasons[-1]
    other = program("c3", "PP", ONE, answers=dict.fromkeys(VALID, "1"))
    few = replace(known, candidates=(given, repair, other))
    assert verdict(few, confirmed=True, candidate="c2").word == "partly_verified", "of what is new too few are compared"
    unlike = replace(given, outputs=dict.fromkeys(VALID, refused))
    many = replace(known, candidates=(unlike, repair, other))
    assert verdict(many, confirmed=True, candidate="c2").word == "verified"
    assert decide(replace(known, extends=False)).action == "conclude", "what a repair must keep says enough"


def test_examples_that_given_code_passes_already_show_nothing_of_what_it_is_to_do_besides() -> None:
    said = [anchor("e1"), anchor("e2"), check("s1")]
    answers = dict.fromkeys(VALID, CallOutput("exception", "TypeError"))
    given = program("c1", "PPF", said, answers=answers, kind="given")
    repair = program("c2", "PPP", said, answers=dict.fromkeys(VALID, "1"), root="c1")
    known = facts(said, [given, repair], valid=VALID, extends=True)
    assert decide(known).attempt == "independent"
    told = "no example shows what is new: the given program passes them all"
    found = verdict(known, confirmed=True, candidate="c2")
    assert (found.word, found.reasons[-1].startswith(f"{told}, and no independent")) == ("partly_verified", True)
    other = program("c3", "PPP", said, answers=dict.fromkeys(VALID, "1"))
    agreed = verdict(replace(known, candidates=(given, repair, other)), confirmed=True, candidate="c2")
    assert (agreed.word, agreed.reasons[-1]) == ("partly_verified", told), "nobody but models said what is new"
    assert verdict(replace(known, extends=False), confirmed=True, candidate="c2").word == "verified"
    shown = replace(given, outcomes={"e1": "F", "e2": "F", "s1": "F"})
    assert verdict(replace(known, candidates=(shown, repair)), confirmed=True, candidate="c2").word == "verified"


@pytest.mark.parametrize(
    ("different", "passing", "aside", "word"),
    [
        (0, 1, 0, "verified"),
        (2, 1, 0, "partly_verified"),
        (0, 0, 0, "partly_verified"),
        (0, 2, 1, "partly_verified"),
        (0, 3, 1, "verified"),
    ],
)
def test_beside_a_single_example_a_program_must_agree_and_most_checks_must_stand(
    different: int, passing: int, aside: int, word: str
) -> None:
    checks = [ONE[0], *(check(f"s{i}") for i in range(passing)), *(check(f"w{i}", ruling="test") for i in range(aside))]
    letters = "P" * (1 + passing) + "F" * aside
    pool = [
        program(name, letters, checks, answers={call: f"{name}!" if i < wrong else "1" for i, call in enumerate(VALID)})
        for name, wrong in (("c1", 0), ("c2", different))
    ]
    assert verdict(facts(checks, pool, valid=VALID), confirmed=True).word == word


@pytest.mark.parametrize(
    ("calls", "word"),
    [
        (["f()"], "verified"),
        (["f(True)", "f(False)"], "verified"),
        (["f(True)"], "partly_verified"),
        (["f('red')", "f('green')"], "partly_verified"),
        (["f(True, on=False)", "f(True, on=True)", "f(False, on=False)", "f(False, on=True)"], "verified"),
        (["Light().next()"], "partly_verified"),
    ],
)
def test_beside_a_single_example_all_inputs_are_enough_where_there_are_few(calls: list[str], word: str) -> None:
    checks = [anchor("t0", claims=1, call=calls[0]), check("s1")]
    pool = [program(name, "PP", checks, answers=dict.fromkeys(calls, "1")) for name in ("c1", "c2")]
    assert verdict(facts(checks, pool, valid=calls), confirmed=True).word == word
    assert verdict(facts(checks, pool[:1], valid=calls), confirmed=True).word == "partly_verified"


@pytest.mark.parametrize(("code", "word"), [(0, "verified"), (1, "partly_verified")])
def test_runs_that_end_in_an_error_are_no_agreement_beside_a_single_example(code: int, word: str) -> None:
    answers = dict.fromkeys(VALID, repr({"stdout": "no", "exit_code": code}))
    pool = [program(name, "PP", ONE, answers=answers) for name in ("c1", "c2")]
    assert verdict(facts(ONE, pool, valid=VALID), confirmed=True).word == word


def test_programs_that_were_never_compared_do_not_agree() -> None:
    pool = [program(name, "PP", ONE) for name in ("c1", "c2")]
    assert verdict(facts(ONE, pool), confirmed=True).word == "partly_verified"
