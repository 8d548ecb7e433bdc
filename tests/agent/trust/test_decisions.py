"""Whole decisions and blames, every word of them: a person reads the reasons, and nodes act on each field."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.state import Origin
from agent.state.findings import Finding
from agent.trust import Blame, CheckFacts, Decision, Facts, Spent, blame, decide

from .build import DONE, anchor, check, facts, program

CALLED = check("a", call="f(1)")
CHECKS = [anchor(), CALLED]
DIFFERENTLY = "programs answer this input differently"
OPEN = "the task leaves open what is right here"


def told(letters: str, checks: list[CheckFacts] | None = None, name: str = "c1", **more: Any):
    return program(name, letters, checks or CHECKS, **more)


def apart(spent: Spent, **more: Any) -> Facts:
    """Two programs that pass everything and differ on two of three inputs that the task allows."""
    alone = [anchor(), check("a")]
    pair = [
        told("PP", alone, name, answers={"f(1)": "1", "f(2)": answer, "f(3)": answer})
        for name, answer in (("c1", "2"), ("c2", "3"))
    ]
    return facts(alone, pair, spent, valid=("f(1)", "f(2)", "f(3)"), **more)


def test_of_inputs_on_which_programs_differ_the_shortest_is_put_to_the_arbiter() -> None:
    alone, long = [anchor(), check("a")], "f([1, 2, 3])"
    pair = [
        told("PP", alone, name, answers={long: answer, "f([1])": answer}) for name, answer in (("c1", "2"), ("c2", "3"))
    ]
    decision = decide(facts(alone, pair, DONE, valid=(long, "f([1])")))
    assert decision.call == "f([1])", "a model judges it more surely, and so does a person"


def test_the_first_input_on_which_programs_differ_is_put_to_the_arbiter() -> None:
    assert decide(apart(DONE)) == Decision("arbitrate", DIFFERENTLY, "c1", None, None, None, "f(2)")


def test_a_difference_that_the_arbiter_left_open_is_put_to_the_person_and_no_other_one_to_the_arbiter() -> None:
    left = replace(DONE, arbitrated=frozenset({"f(2)"}), left_open=frozenset({"f(2)"}))
    assert decide(apart(left)) == Decision("ask_person", OPEN, "c1", None, "task", None, "f(2)")


@pytest.mark.parametrize(
    "spent",
    [
        replace(DONE, use_arbiter=False),
        replace(DONE, arbitrated=frozenset({"f(2)"})),
        replace(DONE, arbitrated=frozenset({"f(3)"})),
        replace(DONE, arbitrated=frozenset({"f(2)"}), left_open=frozenset({"f(2)"}), asked=True),
        replace(DONE, arbitrated=frozenset({f"x{i}" for i in range(DONE.max_arbitrated)})),
    ],
    ids=["no arbiter", "asked about the first", "asked about the second", "the person was asked", "spent"],
)
def test_a_difference_is_not_asked_about_again_or_without_an_arbiter(spent: Spent) -> None:
    assert decide(apart(spent)).action == "conclude"


def test_inputs_of_tests_are_compared_only_where_a_validator_tells_which_are_allowed() -> None:
    checks = [anchor(), CALLED]
    pair = [
        told("PP", checks, "c1", answers={"f(1)": "1"}),
        told("PP", checks, "c2", answers={"f(1)": "2"}),
    ]
    assert decide(facts(checks, pair)).action == "conclude"
    assert decide(facts(checks, pair, valid=("f(9)",))).call == "f(1)"


def test_without_a_validator_the_arbiter_is_asked_about_inputs_that_were_made_up() -> None:
    pair = [
        program(name, "PP", CHECKS, outputs, answers={"f(1)": "1"}) for name, outputs in (("c1", "12"), ("c2", "13"))
    ]
    decision = decide(facts(CHECKS, pair))
    assert (decision.action, decision.call) == ("arbitrate", "p1")
    assert decide(facts(CHECKS, pair, valid=("f(9)",))).action == "conclude"


def test_an_adversary_that_gives_tests_alone_is_worth_another_program_and_one_more_where_it_came_out_the_same() -> None:
    alone = replace(DONE, tests_alone=True)
    decision = decide(facts(CHECKS, [told("PP")], alone))
    assert (decision.action, decision.attempt) == ("second_attempt", "independent")
    repeated = [told("PP", fingerprint="x"), told("PP", name="c2", kind="independent", fingerprint="x", root="c1")]
    assert decide(facts(CHECKS, repeated, replace(alone, independents=1))).attempt == "independent"
    assert decide(facts(CHECKS, repeated, replace(alone, independents=2))).action == "conclude"


MIXED = [CALLED, anchor("h", held_out=True), anchor()]
BROKEN = tuple(Finding(words, "types", "broken", "it does not") for words in ("one", "two"))
UNBLAMED = "the debugger does not blame the code although it must change"
UNCHANGED = "a change of the given program is asked for, and it is still as it was given"
CASES: dict[str, tuple[Facts, Decision]] = {
    "not executed": (
        facts(CHECKS, [told("..", executed=False)]),
        Decision("run_tests", "c1 has not been executed yet", "c1"),
    ),
    "cannot run": (
        facts(CHECKS, [told("..", broken="SyntaxError: line 1")]),
        Decision("diagnose", "it could not run: SyntaxError: line 1", "c1", None, "code", "repair"),
    ),
    "lost a name": (
        facts(CHECKS, [told("PP", lost="`f` is gone")]),
        Decision("diagnose", "`f` is gone", "c1", None, "code", "repair"),
    ),
    "a promise of the task": (
        facts(CHECKS, [told("FP")]),
        Decision("diagnose", "the task itself promises this", "c1", "t0", "code", "repair"),
    ),
    "anchors before other checks, shown before held out": (
        facts(MIXED, [told("FFF", MIXED)]),
        Decision("diagnose", "the task itself promises this", "c1", "t0", "code", "repair"),
    ),
    "the first of two broken demands": (
        facts(CHECKS, [told("PP", clauses=BROKEN)]),
        Decision("diagnose", "the task says 'one', but: it does not", "c1", None, "code", "repair"),
    ),
    "a rewrite": (
        facts(CHECKS, [told("FP")], replace(DONE, repairs={"c1": 2})),
        Decision("second_attempt", "2 repairs of this family did not heal it", "c1", "t0", "code", "rewrite"),
    ),
    "stuck": (
        facts(CHECKS, [told("FP")], replace(DONE, repairs={"c1": 2}, rewrites=2)),
        Decision("conclude", "stuck: 2 repairs of this family did not heal it", "c1", "t0", "code"),
    ),
    "a debugger that repaired nothing": (
        facts(CHECKS, [told("FP")], replace(DONE, diagnosed=frozenset({"c1"}))),
        Decision("second_attempt", UNBLAMED, "c1", "t0", "code", "rewrite"),
    ),
    "one that repaired once may look again": (
        facts(CHECKS, [told("FP")], replace(DONE, diagnosed=frozenset({"c1"}), repairs={"c1": 1})),
        Decision("diagnose", "the task itself promises this", "c1", "t0", "code", "repair"),
    ),
    "given code as it was given": (
        facts(CHECKS, [told("PP", kind="given")]),
        Decision("diagnose", UNCHANGED, "c1", None, "code", "repair"),
    ),
    "a wrong test": (
        facts(CHECKS, [told("PF", None, name, answers={"f(1)": "1"}) for name in ("c1", "c2")]),
        Decision("quarantine", "c2, written independently, gives the same other answer", "c1", "a", "test"),
    ),
    "a last look": (
        facts(CHECKS, [told("PP")], Spent(adversary_done=True)),
        Decision("critic", "it passes; a last look for a failing input", "c1"),
    ),
    "an attack": (
        facts(CHECKS, [told("PP")], Spent()),
        Decision("write_adversarial_tests", "it passes, but nobody has attacked it yet", "c1"),
    ),
    "nothing left": (facts(CHECKS, [told("PP")]), Decision("conclude", "nothing is left to settle", "c1")),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_each_decision_says_what_is_done_why_and_to_whom(name: str) -> None:
    given, decision = CASES[name]
    assert decide(given) == decision


BLAMES: dict[str, tuple[list[CheckFacts], str, dict[str, Any], Blame]] = {
    "nothing drawn": (
        CHECKS, "..", {"broken": "missing output: nothing was drawn"},
        Blame("code", "broken", "it ran to its end, but nothing was drawn"),
    ),
    "broken": (CHECKS, "..", {"broken": "ImportError"}, Blame("code", "broken", "it could not run: ImportError")),
    "passed": (CHECKS, "PP", {}, Blame("unknown", "passes", "it passes this check or never met it")),
    "ruled": (
        [anchor(), replace(CALLED, ruling="test")], "PF", {},
        Blame("test", "ruling", "settled before: the test is at fault"),
    ),
    "ruled unknown": (
        [anchor(), replace(CALLED, ruling="unknown")], "PF", {},
        Blame("unknown", "nobody", "independent programs have not settled it"),
    ),
    "promised": ([anchor(), anchor("a")], "PF", {}, Blame("code", "anchor", "the task itself promises this")),
    "not allowed": (
        [anchor(), replace(CALLED, excluded="n is positive")], "PF", {},
        Blame("test", "limits", "the task does not allow this input: “n is positive”"),
    ),
    "breaks off": (
        CHECKS, "PE", {"crashed": frozenset({"a"})}, Blame("code", "crash", "it breaks off on this input"),
    ),
    "nobody": (CHECKS, "PF", {}, Blame("unknown", "nobody", "independent programs have not settled it")),
}  # fmt: skip


@pytest.mark.parametrize("name", BLAMES)
def test_each_blame_says_who_by_what_and_why(name: str) -> None:
    checks, letters, more, expected = BLAMES[name]
    assert blame(facts(checks, [told(letters, checks, **more)]), "c1", "a") == expected


def test_a_peers_word_against_the_debuggers_is_put_to_the_arbiter() -> None:
    """The better program fails a check that only one suite states and only a worse one passes; its debugger has held
    the check to be wrong."""
    checks = [anchor(), CALLED, *(check(name) for name in "xyz")]
    best = told("PFPPP", checks, answers={"f(1)": "1"})
    peer = told("PPFFF", checks, "c2", answers={"f(1)": "2"})
    refused = replace(DONE, refused=frozenset({"c1"}), independents=2)
    why = "another program passes this check, and the debugger does not blame the code"
    assert decide(facts(checks, [best, peer], refused)) == Decision("arbitrate", why, "c1", "a", None, None, "f(1)")
    for spent in (
        replace(refused, use_arbiter=False),
        replace(refused, arbitrated=frozenset({"a"})),
        replace(refused, arbitrated=frozenset({f"x{i}" for i in range(DONE.max_arbitrated)})),
    ):
        assert decide(facts(checks, [best, peer], spent)).attempt == "rewrite"
    asked = replace(refused, refused=frozenset())
    assert decide(facts(checks, [best, peer], asked)).action == "diagnose"


def test_a_peer_that_passes_is_named() -> None:
    given = facts(CHECKS, [told("PF", answers={"f(1)": "1"}), told("PP", None, "c2", answers={"f(1)": "2"})])
    assert blame(given, "c1", "a") == Blame("code", "peer", "c2, written independently, passes it")


def test_agreement_over_what_given_code_did_before_needs_only_a_symptom_to_rest_on() -> None:
    """What a symptom forbids is enough to know who may speak about kept behaviour; of other checks it says nothing."""
    symptom = CheckFacts("s", "symptom", anchor=True)
    cases: tuple[tuple[Origin, str], ...] = (("kept", "agreement"), ("spec", "nobody"))
    for origin, by in cases:
        checks = [symptom, check("a", origin, call="f(1)")]
        pair = [told("PF", checks, name, answers={"f(1)": "1"}) for name in ("c1", "c2")]
        assert blame(facts(checks, pair), "c1", "a").by == by


def test_answers_are_compared_only_where_both_programs_have_one() -> None:
    one = told("PF", answers={"f(1)": "1"})
    silent = told("PF", None, "c2")
    assert blame(facts(CHECKS, [one, silent]), "c1", "a").by == "agreement"
    assert blame(facts(CHECKS, [one, replace(silent, outcomes={"t0": "P", "a": "E"})]), "c1", "a").by == "nobody"
