"""Another reading of the task refutes nothing, and leaves open what no example decides."""

from __future__ import annotations

from dataclasses import replace

from agent.state import Fault, Origin
from agent.trust import Facts, decide, rank, verdict
from agent.trust.facts import CheckFacts, Spent
from sandbox import CallOutput

from .build import anchor, check, facts, program

OTHER = check(
    "reading:1.test", "adversary", call="f(50)", expected=CallOutput("value", "0"), ruling="task", is_reading=True
)
TRIED = Spent(adversary_done=True)
TOLD = "no example says what f(50) gives: this program gives 3, another reading of the task 0"


def test_what_another_reading_gives_is_told_and_rules_out_verified() -> None:
    checks = [anchor(call="f(1)"), check("spec"), OTHER]
    found = verdict(facts(checks, [program("c1", "PPF", checks, answers={"f(50)": "3"})]), confirmed=True)
    assert found.word == "partly_verified"
    assert TOLD in found.reasons
    assert not any("set aside" in reason for reason in found.reasons)


def test_it_makes_no_program_fail_and_none_better() -> None:
    checks = [anchor(call="f(1)"), check("spec"), OTHER]
    programs = [program("c1", "PPF", checks, answers={"f(50)": "3"}), program("c2", "PFP", checks)]
    assert rank(facts(checks, programs)) == ("c1", "c2")


def test_an_example_or_an_answer_for_the_same_input_settles_it() -> None:
    settling = anchor("t1", call="f(50)", expected=CallOutput("value", "3"))
    checks = [anchor(call="f(1)"), check("spec"), OTHER, settling]
    found = verdict(facts(checks, [program("c1", "PPFP", checks, answers={"f(50)": "3"})]), confirmed=True)
    assert found.word == "verified"
    assert TOLD not in found.reasons


def read_as(ruling: Fault = "task", spent: Spent = TRIED) -> Facts:
    checks = [anchor(call="f(1)"), check("spec"), replace(OTHER, ruling=ruling, ruled_by="arbiter")]
    return facts(checks, [program("c1", "PPF", checks, answers={"f(50)": "3"})], spent)


def test_the_arbiter_is_asked_whether_it_is_open_and_then_the_person_which_is_meant() -> None:
    decision = decide(read_as())
    assert (decision.action, decision.check, decision.call) == ("arbitrate", OTHER.id, "f(50)")
    for spent in (replace(TRIED, use_arbiter=False), replace(TRIED, arbitrated=frozenset({OTHER.id}))):
        decision = decide(read_as(spent=spent))
        assert (decision.action, decision.check, decision.call) == ("ask_person", OTHER.id, "f(50)")


def test_a_reading_that_the_arbiter_finds_against_the_words_lowers_nothing_and_is_no_test_set_aside() -> None:
    found = verdict(read_as("test"), confirmed=True)
    assert found.word == "verified"
    assert not any("set aside" in reason for reason in found.reasons)


def test_a_program_that_reads_it_so_is_told_of_as_an_assumption() -> None:
    checks = [anchor(call="f(1)"), check("spec"), OTHER]
    found = verdict(facts(checks, [program("c1", "PPP", checks, answers={"f(50)": "0"})]), confirmed=True)
    assert found.word == "partly_verified"
    assert "nothing settles what f(50) gives; the program gives 0" in found.reasons


def test_what_is_open_behind_another_reading_is_told_too() -> None:
    """Nothing is lost because something else was told first, and what is told twice stands there once."""
    unclear = check("spec:1.b", call="f(7)", ruling="task")
    twin = check("spec:2.b", call="f(7)", ruling="task")
    checks = [anchor(call="f(1)"), OTHER, replace(OTHER, id="reading:2.t", call="f(51)"), unclear, twin]
    answers = {"f(50)": "3", "f(51)": "4", "f(7)": "5"}
    found = verdict(facts(checks, [program("c1", "PFFFF", checks, answers=answers)]), confirmed=True)
    told = [reason for reason in found.reasons if "no example says" in reason or "nothing settles" in reason]
    assert told == [
        TOLD,
        "no example says what f(51) gives: this program gives 4, another reading of the task 0",
        "nothing settles what f(7) gives; the program gives 5",
    ]


def test_only_the_person_settles_an_input_on_which_the_task_contradicts_itself() -> None:
    side = replace(OTHER, is_reading=False, contradicts="one sentence says 0, another 3")
    settling = anchor("t1", call="f(50)", expected=CallOutput("value", "3"))

    def reasons(by: CheckFacts) -> tuple[str, ...]:
        checks = [anchor(call="f(1)"), check("spec"), side, by]
        return verdict(facts(checks, [program("c1", "PPFP", checks, answers={"f(50)": "3"})]), confirmed=True).reasons

    assert side.contradicts in reasons(settling), "an example may be one of the two sides"
    assert side.contradicts not in reasons(replace(settling, origin="answer"))


def test_programs_that_differ_split_an_unclear_input_but_not_what_given_code_did_there() -> None:
    def told(origin: Origin) -> tuple[str, ...]:
        unclear = check("a", origin, call="f(7)", expected=CallOutput("value", "0"), ruling="task")
        checks = [anchor(call="f(1)"), check("spec"), unclear]
        mine = program("c1", "PPF", checks, answers={"f(7)": "5"})
        other = program("c2", "PPF", checks, answers={"f(7)": "6"})
        return verdict(facts(checks, [mine, other]), confirmed=True, candidate="c1").reasons

    assert "nothing settles what f(7) gives: 0 or 5 or 6" in told("spec")
    assert "nothing settles what f(7) gives; the program gives 5" in told("kept")
