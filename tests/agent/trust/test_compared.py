"""What a verdict says of programs that were compared: equal, different, and no answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.state import AttemptKind
from agent.trust import Verdict, verdict
from agent.trust.facts import WORDING
from sandbox import CallOutput

from .build import DONE, ERROR, FIVE, FOUR, NO_END, anchor, check, facts, program

CHECKS = [anchor("t0"), anchor("t1"), check("v", votes=2), check("a", call="f(1)")]
GOOD = program("c1", "PPPP", CHECKS, "xy", answers={"f(1)": "1"})


def compared(mine: list[CallOutput], theirs: list[CallOutput], letters: str = "PPPP") -> Verdict:
    one = program("c1", "PPPP", CHECKS, answers={f"p{i}": output for i, output in enumerate(mine)})
    other = program("c2", letters, CHECKS, answers={f"p{i}": output for i, output in enumerate(theirs)})
    return verdict(facts(CHECKS, [one, other]), confirmed=True, candidate="c1")


def test_the_three_counts_stand_in_the_sentence_and_in_the_evidence() -> None:
    found = compared([FOUR, FOUR, FOUR, FOUR, NO_END], [FOUR, FOUR, FIVE, ERROR, FOUR])
    assert "compared with 1 independent program: 2 of 4 inputs equal, 2 differ, 2 without an answer" in found.reasons
    assert found.compared == {"equal": 2, "different": 2, "no_answer": 2}, "f(1) was answered by nobody"
    assert any("p2: 4 / 5" in reason for reason in found.reasons), found.reasons
    assert found.word == "partly_verified", "a difference is an open question"


def test_the_difference_that_is_shown_is_one_on_an_input_that_somebody_holds_to_be_allowed() -> None:
    answers = {"f()": "1", "f(2023, 12)": "31"}, {"f()": "2", "f(2023, 12)": "30"}
    pool = [program(name, "PPPP", CHECKS, answers=told) for name, told in zip(("c1", "c2"), answers, strict=True)]
    told = replace(facts(CHECKS, pool), probes=("f()", "f(2023, 12)"), tried=("f(2023, 12)",))
    assert any("f(2023, 12): 31 / 30" in reason for reason in verdict(told, confirmed=True, candidate="c1").reasons)
    told = replace(told, tried=())
    assert any("f(): 1 / 2" in reason for reason in verdict(told, confirmed=True, candidate="c1").reasons)


def test_what_the_arbiter_finds_open_parts_no_programs_and_is_told() -> None:
    alone = [check("v")]
    told = {f"p{i}": str(i) for i in range(13)}
    pool = [program(name, "P", alone, answers={**told, "p13": value}) for name, value in (("c1", "1"), ("c2", "2"))]
    assert verdict(facts(alone, pool), confirmed=True, candidate="c1").word == "unverified"
    found = verdict(facts(alone, pool, replace(DONE, left_open=frozenset({"p13"}))), confirmed=True, candidate="c1")
    assert found.word == "partly_verified"
    assert any("p13: 1 / 2" in reason for reason in found.reasons)


def test_what_is_open_does_not_explain_another_difference_where_no_example_and_no_limit_speaks() -> None:
    told = {f"p{i}": str(i) for i in range(41)}
    answers = {**told, **dict.fromkeys(("p0", "p1", "p2"), "-1")}, told
    for known, word in (([check("v")], "unverified"), ([anchor(), check("v")], "partly_verified")):
        passed = "P" * len(known)
        pool = [program(name, passed, known, answers=given) for name, given in zip(("c1", "c2"), answers, strict=True)]
        one_open = facts(known, pool, replace(DONE, left_open=frozenset({"p0"})))
        assert verdict(one_open, confirmed=True, candidate="c1").word == word


def test_what_equal_inputs_may_differ_in_stands_in_the_sentence() -> None:
    one, other = (program(name, "PPPP", CHECKS, answers={"p0": FOUR}) for name in ("c1", "c2"))
    told = replace(facts(CHECKS, [one, other]), apart_from="how they ask")
    found = verdict(told, confirmed=True, candidate="c1")
    assert (
        "compared with 1 independent program: 1 of 1 inputs equal apart from how they ask, 1 without an answer"
        in found.reasons
    )


def test_silence_is_no_testimony_for_either_side() -> None:
    found = compared([FOUR, FOUR, NO_END], [FOUR, FOUR, FIVE])
    assert found.word == "verified", found.reasons
    assert "compared with 1 independent program: 2 of 2 inputs equal, 2 without an answer" in found.reasons


def test_programs_whose_answers_are_left_to_chance_are_compared_by_the_checks_that_both_pass() -> None:
    both, chance = [check("a"), check("b")], CallOutput("opaque", "left to chance")
    pair = [program("c1", "PP", both, answers={"p0": chance}), program("c2", "PP", both, answers={"p0": chance})]
    found = verdict(facts(both, pair), confirmed=True)
    assert found.word == "partly_verified", found.reasons
    apart = [pair[0], program("c2", "PF", both, answers={"p0": chance})]
    assert verdict(facts(both, apart), confirmed=True, candidate="c1").word == "unverified"


def test_programs_that_word_their_output_freely_are_told_to_be_compared_by_their_checks() -> None:
    both, worded = [check("a"), check("b")], {"p0": CallOutput("opaque", WORDING)}
    pair = [program("c1", "PP", both, answers=worded), program("c2", "PP", both, answers=worded)]
    found = verdict(facts(both, pair, apart_from=WORDING), confirmed=True)
    assert found.word == "partly_verified", found.reasons
    told = f"compared with 1 independent program by the checks that both pass: {WORDING} is left to the author"
    assert told in found.reasons
    alone = [check("a")]
    few = [program(name, "P", alone, answers=worded) for name in ("c1", "c2")]
    assert verdict(facts(alone, few, apart_from=WORDING), confirmed=True).word == "unverified", "one check says little"


def test_programs_that_only_run_out_of_time_confirm_nothing() -> None:
    bare = [check("a")]
    pair = [program(name, "P", bare, answers={"p0": NO_END, "p1": NO_END}) for name in ("c1", "c2")]
    found = verdict(facts(bare, pair), confirmed=True)
    assert found.word == "unverified", found.reasons
    assert "1 independent program answered no input that could be compared" in found.reasons


def test_objects_that_no_known_input_uses_are_not_said_to_answer_none() -> None:
    bare = [check("a")]
    found = verdict(facts(bare, [program(name, "P", bare) for name in ("c1", "c2")]), confirmed=True)
    assert "no input is known by which it could be compared with 1 independent program" in found.reasons


def test_a_program_that_agrees_on_all_but_the_input_that_refutes_it_is_counted_as_it_answered() -> None:
    checks = [check("a"), check("ruled", "arbiter", call="q")]
    many = {f"p{i}": "x" for i in range(40)}
    one = program("c1", "PP", checks, answers={**many, "q": "1"})
    other = program("c2", "PF", checks, answers={**many, "q": "2"})
    found = verdict(facts(checks, [one, other], valid=tuple(many)), confirmed=True, candidate="c1")
    assert "compared with 1 independent program: 40 of 41 inputs equal, 1 differs" in found.reasons
    told = "it failed checks that this one passes, for instance q: 1 / 2"
    assert told in found.reasons, "the program that it was compared with, and no further one"
    assert found.compared == {"equal": 40, "different": 1, "no_answer": 0}


def test_a_program_that_a_check_has_refuted_raises_no_question() -> None:
    found = compared([FOUR, FOUR], [FOUR, FIVE], letters="PPFP")
    assert found.word == "verified", found.reasons
    told = [
        reason for reason in found.reasons if reason.startswith("1 independent program failed checks that this one")
    ]
    assert told


def test_a_program_that_another_author_wrote_once_more_is_told_and_confirms_nothing() -> None:
    first = program("c1", "PPPP", CHECKS, fingerprint="x")
    again = program("c2", "PPPP", CHECKS, root="c1", kind="independent", fingerprint="x")
    found = verdict(facts(CHECKS, [first, again]), confirmed=True, candidate="c1")
    said = "another author wrote this very program without having seen it, which is no second opinion"
    assert said in found.reasons
    assert found.compared is None
    repaired = replace(again, kind="repair")
    assert said not in verdict(facts(CHECKS, [first, repaired]), confirmed=True, candidate="c1").reasons


@pytest.mark.parametrize(
    ("forms", "told"),
    [
        ("xx", "it does the same step by step as this one, under other names"),
        ("xyx", "1 of them does the same step by step as this one, under other names"),
        ("xxx", "all of them do the same step by step as this one, under other names"),
        ("xy", ""),
    ],
)
def test_a_program_that_another_author_wrote_under_other_names_is_called_so(forms: str, told: str) -> None:
    pool = [program(f"c{n}", "PPPP", CHECKS, "1234", form=form) for n, form in enumerate(forms)]
    reasons = verdict(facts(CHECKS, pool), confirmed=True, candidate="c0").reasons
    assert [reason for reason in reasons if "step by step" in reason] == ([told] if told else [])


@pytest.mark.parametrize(
    ("kind", "author"),
    [("first", True), ("independent", True), ("reference", True), ("repair", False), ("rewrite", False)],
)
def test_only_who_had_not_seen_the_program_is_another_author_of_it(kind: AttemptKind, author: bool) -> None:
    checks = [anchor(call="p0")]
    mine = program("c1", "P", checks, "5", kind="independent", fingerprint="same")
    other = program("c2", "P", checks, "5", kind=kind, fingerprint="same")
    found = verdict(facts(checks, [mine, other]), confirmed=True, candidate="c1")
    told = "another author wrote this very program without having seen it, which is no second opinion"
    assert (told in found.reasons) == author
