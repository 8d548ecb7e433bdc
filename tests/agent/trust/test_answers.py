"""A ticked answer speaks for every input that parts the readings of the task in the same way, and for no other."""

from __future__ import annotations

from agent.trust import blame, verdict
from agent.trust.answers import implied
from agent.trust.reading import FactsView
from sandbox import CallOutput

from .build import anchor, check, facts, program

ASKED, ALIKE, OTHER = "f([1, 2, 3, 4])", "f([2, 5])", "f([])"


def value(text: str) -> CallOutput:
    return CallOutput("value", text)


EXAMPLE = anchor("t0", call="f([3, 1, 2])", expected=value("2"))
TICKED = check("answer:1.t", "answer", anchor=True, call=ASKED, expected=value("(2, 3)"))
SAME_SUITE = check("spec:1.asked", call=ASKED, expected=value("2.5"), ruling="task")
UNCLEAR = check("spec:1.alike", call=ALIKE, expected=value("3.5"), ruling="task")
ELSEWHERE = check("spec:1.other", call=OTHER, expected=value("None"), ruling="task")


def pair(alike: str = "(2, 5)", other: str = "0"):
    """The program that reads the task as the person does, and one that reads it in another way."""
    checks = [EXAMPLE, TICKED, UNCLEAR, ELSEWHERE]
    mine = {EXAMPLE.call: "2", ASKED: "(2, 3)", ALIKE: "(2, 5)", OTHER: "0"}
    theirs = {EXAMPLE.call: "2", ASKED: "2", ALIKE: alike, OTHER: other}
    return checks, [program("c1", "PPFF", checks, answers=mine), program("c2", "PFFF", checks, answers=theirs)]


def open_inputs(alike: str = "2", other: str = "0") -> list[str]:
    checks, programs = pair(alike, other)
    found = verdict(facts(checks, programs), confirmed=True, candidate="c1")
    return [
        call
        for call in (ALIKE, OTHER)
        if any(call in reason and "nothing settles" in reason for reason in found.reasons)
    ]


def test_an_answer_settles_the_inputs_on_which_the_readings_part_in_the_same_way() -> None:
    assert ALIKE not in open_inputs()


def test_an_answer_says_nothing_of_inputs_on_which_the_readings_agree_or_cannot_be_told_apart() -> None:
    assert OTHER in open_inputs()
    assert ALIKE in open_inputs(alike="(2, 5)")


def test_without_an_answer_everything_stays_open() -> None:
    checks, programs = pair("2")
    found = verdict(facts([c for c in checks if c is not TICKED], programs), confirmed=True, candidate="c1")
    assert any(ALIKE in reason for reason in found.reasons)


def test_a_check_that_reads_the_task_in_the_other_way_is_set_aside_for_the_same_reason() -> None:
    fresh = check("spec:1.alike", call=ALIKE, expected=value("3.5"))
    checks = [EXAMPLE, TICKED, SAME_SUITE, fresh]
    mine = {EXAMPLE.call: "2", ASKED: "(2, 3)", ALIKE: "(2, 5)"}
    given = facts(checks, [program("c1", "PPFF", checks, answers=mine)])
    found = blame(given, "c1", fresh.id)
    assert (found.fault, found.by) == ("test", "answer")
    assert blame(facts(checks[2:], given.candidates), "c1", fresh.id).by != "answer"


def test_an_answer_is_carried_over_to_other_inputs_only() -> None:
    """What its own input gives is the anchor's business: nothing is concluded from an answer about itself."""
    checks, programs = pair()
    reading = FactsView(facts([*checks, SAME_SUITE], programs))
    assert (implied(reading, ASKED), implied(reading, None)) == (None, None)
    assert implied(reading, ALIKE) is None, "both give the same there"
    checks, programs = pair(alike="2")
    assert implied(FactsView(facts(checks, programs)), ALIKE) == value("(2, 5)")


def test_a_suite_that_reads_the_task_otherwise_and_agrees_there_parts_nothing() -> None:
    mine = {EXAMPLE.call: "2", ASKED: "(2, 3)", ALIKE: "(2, 5)"}
    for stated, told in (("3.5", value("(2, 5)")), ("(2, 5)", None)):
        checks = [EXAMPLE, TICKED, SAME_SUITE, check("spec:1.alike", call=ALIKE, expected=value(stated))]
        reading = FactsView(facts(checks, [program("c1", "PPFF", checks, answers=mine)]))
        assert implied(reading, ALIKE) == told
