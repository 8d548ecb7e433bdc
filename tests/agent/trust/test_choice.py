"""Ties and orders that the task leaves open: two readings of it, of which neither shows the other to be wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.trust import CandidateFacts, Facts, verdict
from agent.trust.blame import UNATTACKED
from agent.trust.choice import is_choice, only_chooses
from agent.trust.reading import FactsView
from sandbox import CallOutput

from .build import DONE, anchor, check, facts, program

TIE, CLEAR = "top(['b', 'a'], 1)", "top(['b', 'a', 'a'], 1)"
CHECKS = [anchor("t0"), check("clear", call=CLEAR), check("tie", call=TIE, expected=CallOutput("value", "['a']"))]


def both(first: str, second: str) -> tuple[CandidateFacts, CandidateFacts]:
    """The second passes all checks; the first only those of the task, and the one without a tie."""
    return (
        program("c1", "PPF", CHECKS, answers={CLEAR: "['a']", TIE: first}),
        program("c2", "PPP", CHECKS, answers={CLEAR: "['a']", TIE: second}),
    )


@pytest.mark.parametrize(
    ("call", "one", "other"),
    [
        ("mode([1, 2, 2, 1])", "1", "2"),
        ("top('the cat the dog', 2)", "['the', 'cat']", "['the', 'dog']"),
        ("top('One two. One two three', 1)", "[('one', 2)]", "[('two', 2)]"),
        ("letter('abba')", "'a'", "'b'"),
        ("by_age([('x', 3), ('y', 3), ('z', 1)])", "[('z', 1), ('x', 3), ('y', 3)]", "[('z', 1), ('y', 3), ('x', 3)]"),
        ("oldest([{'name': 'a', 'age': 3}, {'name': 'b', 'age': 3}])", "'a'", "'b'"),
        ("by_frequency('tree')", "'eert'", "'eetr'"),
        ("groups(['eat', 'tea', 'bat'])", "[['eat', 'tea'], ['bat']]", "[['bat'], ['eat', 'tea']]"),
        ("longest_palindrome('babad')", "'bab'", "'aba'"),
        ("longest_run('abcd')", "'ab'", "'cd'"),
        ("top('Be be At at', 1)", "['Be']", "['At']"),
        ("top(['a', 'b', 'c', 'd', 'e', 'f'], 3)", "['a', 'c', 'e']", "['b', 'd', 'f']"),
        ("letter('AAbb')", "'A'", "'b'"),
        (f"sorted_letters({'a' * 1997 + 'b'!r})", repr("a" * 1997 + "b"), repr("b" + "a" * 1997)),
    ],
)
def test_the_same_items_in_another_order_or_equals_that_change_places_are_a_choice(
    call: str, one: str, other: str
) -> None:
    first, second = CallOutput("value", one), CallOutput("value", other)
    assert is_choice(call, first, second)
    assert is_choice(call, second, first)


@pytest.mark.parametrize(
    ("call", "one", "other"),
    [
        ("mode([1, 2, 2])", "1", "2"),
        ("oldest([{'name': 'a', 'age': 3}, {'name': 'b', 'age': 4}])", "'a'", "'b'"),
        ("top('the cat the dog', 1)", "['the']", "['cat']"),
        ("count(3)", "4", "5"),
        ("unique([3, 1, 2])", "[1, 2, 3]", "[1, 2]"),
        ("cut('abc')", "'ab'", "'abc'"),
        ("total([1, 2])", "3", "4"),
        ("mode([1, 1])", "1", "1"),
        ("mode(xs)", "1", "2"),
        ("mode([1, 2])", "1", "[1]"),
        ("longest_palindrome('babad')", "'bab'", "'zzz'"),
        ("first([(1, 2), (3, 4)])", "[(1, 2)]", "[(2, 1)]"),
        ("first(['abc'])", "['ab']", "['ba']"),
        ("top(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 4)", "['a', 'c', 'e', 'g']", "['b', 'd', 'f', 'h']"),
        ("long([1])", repr([*range(900)]), repr([*range(900)][::-1])),
        ("mode([1, 2])", "<object>", "1"),
        ("top('x y z', 2)", "['x', 'y']", "['z', 'z']"),
        ("top('x y z', 2)", "['z', 'z']", "['x', 'y']"),
    ],
)
def test_what_equals_do_not_explain_is_a_difference(call: str, one: str, other: str) -> None:
    assert not is_choice(call, CallOutput("value", one), CallOutput("value", other))


def test_what_raises_is_no_choice() -> None:
    assert not is_choice(TIE, CallOutput("value", "['a']"), CallOutput("exception", "ValueError"))


def test_a_guess_of_one_tester_and_one_program_does_not_refute_another_that_passes_every_example() -> None:
    given = facts(CHECKS, both("['b']", "['a']"), ties_open=True)
    said = verdict(given, confirmed=True, candidate="c2")
    assert said.word == "partly_verified"
    assert any(TIE in reason and "['a'] / ['b']" in reason for reason in said.reasons)
    assert verdict(replace(given, ties_open=False), confirmed=True, candidate="c2").word == "verified"


def test_a_wrong_answer_that_is_no_choice_refutes_as_before() -> None:
    assert (
        verdict(facts(CHECKS, both("['b', 'a']", "['a']"), ties_open=True), confirmed=True, candidate="c2").word
        == "verified"
    )


def test_a_program_that_differs_mostly_in_other_ways_does_something_else() -> None:
    first, second = both("['b']", "['a']")
    others = {f"top(['b', 'a'], {number})": "['b', 'a']" for number in range(2, 6)}
    first = replace(first, outputs={**first.outputs, **{call: CallOutput("value", "[]") for call in others}})
    second = replace(second, outputs={**second.outputs, **{call: CallOutput("value", v) for call, v in others.items()}})
    given = replace(facts(CHECKS, (first, second)), probes=tuple(others), ties_open=True)
    assert verdict(given, confirmed=True, candidate="c2").word == "verified"


def test_a_choice_on_half_of_what_is_answered_otherwise_is_something_else_too() -> None:
    first, second = (replace(one, outputs=dict(one.outputs)) for one in both("['b']", "['a']"))
    apart = {"top([], 1)": CallOutput("value", "[]"), **first.outputs}
    other = {"top([], 1)": CallOutput("value", "[0]"), **second.outputs}
    pair = replace(first, outputs=apart), replace(second, outputs=other)
    reading = FactsView(replace(facts(CHECKS, pair), probes=("top([], 1)",), ties_open=True))
    assert not only_chooses(reading, pair[1], pair[0], [CHECKS[2]])
    alike = replace(first, outputs={**first.outputs, "top([], 1)": other["top([], 1)"]})
    assert only_chooses(reading, pair[1], alike, [CHECKS[2]])


@pytest.mark.parametrize("more", [{"anchor": True}, {"ruling": "code"}])
def test_a_check_that_the_task_or_somebody_has_decided_is_open_to_no_choice(more: dict[str, Any]) -> None:
    first, second = both("['b']", "['a']")
    reading = FactsView(facts(CHECKS, (first, second), ties_open=True))
    assert only_chooses(reading, second, first, [CHECKS[2]])
    assert not only_chooses(reading, second, first, [replace(CHECKS[2], **more)])


def test_a_repair_that_follows_such_a_guess_is_no_more_certain_than_what_it_was_made_from() -> None:
    first, second = both("['b']", "['a']")
    repaired = facts(CHECKS, (first, replace(second, root="c1", kind="repair")), ties_open=True)
    said = verdict(repaired, confirmed=True, candidate="c2")
    assert said.word == "partly_verified"
    which = f"{TIE}: ['a'] / ['b']"
    assert said.reasons[-1] == (
        f"the task does not say which of these is meant, {which}: the returned program decides it"
    )


def test_a_check_that_programs_outvoted_by_another_choice_leaves_the_doubt_in_the_verdict() -> None:
    aside = replace(CHECKS[2], ruling="test", ruled_by="agreement")
    programs = [replace(one, outcomes={**one.outcomes, "tie": "F"}) for one in both("['b']", "['b']")]
    given: Facts = facts([*CHECKS[:2], aside], programs, ties_open=True)
    said = verdict(given, confirmed=True, candidate="c1")
    assert said.word == "partly_verified"
    assert any("['b'] / ['a']" in reason for reason in said.reasons)
    assert verdict(replace(given, ties_open=False), confirmed=True, candidate="c1").word == "verified"


def test_where_nothing_came_of_the_adversary_only_another_program_can_verify() -> None:
    checks = CHECKS[:2]
    one = program("c1", "PP", checks, [f"'{n}'" for n in range(20)])
    assert UNATTACKED not in verdict(facts(checks, [one]), confirmed=True).reasons
    said = verdict(facts(checks, [one], replace(DONE, unattacked=True)), confirmed=True)
    assert said.word == "partly_verified"
    assert UNATTACKED in said.reasons
    both_agree = [one, replace(one, id="c2", root="c2")]
    agreed = verdict(facts(checks, both_agree, replace(DONE, unattacked=True)), confirmed=True)
    assert agreed.word == "verified"
    assert UNATTACKED in agreed.reasons, "and it is told all the same"
    silent = replace(facts(checks, both_agree, replace(DONE, unattacked=True)), passed_over=True)
    assert verdict(silent, confirmed=True).word == "partly_verified", "a sentence that nothing tries may say otherwise"
    tried = replace(silent, spent=DONE)
    assert verdict(tried, confirmed=True).word == "verified"
