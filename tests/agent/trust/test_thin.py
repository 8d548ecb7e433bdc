"""When a run pays for more evidence, and what valid inputs change in the comparison of programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.trust import CandidateFacts, CheckFacts, Spent, decide, verdict
from agent.trust.agreement import agreement, clusters
from agent.trust.reading import Reading
from agent.trust.thin import thin
from sandbox.types import CallOutput
from tests.agent.trust.build import DONE, anchor, check, facts, program

EXPLORING = replace(DONE, use_inputs=True)
T0 = [anchor("t0"), check("s1")]
VALID = tuple(f"f({i})" for i in range(20))


def answering(name: str, different: int = 0, letters: str = "PP", **more: object) -> CandidateFacts:
    """A program that gives i for f(i), and something else for the first `different` inputs."""
    answers = {call: f"{name}!" if i < different else str(i) for i, call in enumerate(VALID)}
    return program(name, letters, T0, answers=answers, **more)


def reason(checks: list[CheckFacts], programs: list[CandidateFacts], spent: Spent = EXPLORING) -> str:
    reading = Reading(facts(checks, programs, spent, valid=VALID))
    return thin(reading, reading.candidates["c1"])


def test_examples_that_one_program_passes_are_enough() -> None:
    assert reason(T0, [answering("c1")]) == ""
    assert reason(T0, [answering("c1"), answering("c2")]) == "", "two that agree leave nothing open"


@pytest.mark.parametrize(
    ("checks", "programs", "spent", "why"),
    [
        ([check("s0"), check("s1")], [answering("c1")], EXPLORING, "no example"),
        (T0, [answering("c1"), answering("c2", 1)], EXPLORING, "differ"),
        (T0, [answering("c1")], replace(EXPLORING, hard=True), "hard"),
    ],
)
def test_thin_evidence_has_a_reason_and_is_worth_one_generator(
    checks: list[CheckFacts], programs: list[CandidateFacts], spent: Spent, why: str
) -> None:
    assert why in reason(checks, programs, spent)
    first = decide(facts(checks, programs, spent, valid=VALID))
    assert first.action == "write_inputs"
    assert why in first.reason
    later = decide(facts(checks, programs, replace(spent, inputs_done=True), valid=VALID))
    assert later.action != "write_inputs"


def test_one_odd_valid_input_weighs_four_times_a_mutated_one() -> None:
    one, other = answering("c1"), answering("c2", 10)
    valid = Reading(facts(T0, [one, other], valid=VALID))
    known = Reading(facts([*T0, check("s2", call="g()")], [_with_g(one), _with_g(other)], valid=VALID))
    probed = Reading(replace(known.facts, valid=(), probes=VALID))
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
    assert "f(-1)" not in Reading(known).known_calls
