"""Who is at fault when a check fails, in the order of the design; each rate is measured on stored programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.trust import blame
from sandbox import CallOutput

from .build import anchor, check, facts, program

CALL: dict[str, Any] = {"call": "f(1)"}
CHECKS = [anchor(), check("a", **CALL)]


def answering(name: str, letters: str, answer: str, **more: Any):
    return program(name, letters, CHECKS, answers={"f(1)": answer}, **more)


def test_a_program_that_cannot_run_is_at_fault_for_everything() -> None:
    given = facts(CHECKS, [program("c1", "..", CHECKS, broken="SyntaxError: line 1")])
    assert blame(given, "c1", "a").fault == "code"


def test_a_failed_promise_of_the_task_is_the_codes_fault_whatever_others_do() -> None:
    given = facts(CHECKS, [answering("c1", "FP", "1"), answering("c2", "FP", "1"), answering("c3", "FP", "1")])
    assert (blame(given, "c1", "t0").fault, blame(given, "c1", "t0").by) == ("code", "anchor")


def test_one_program_against_one_unconfirmed_test_is_undecided() -> None:
    given = facts(CHECKS, [answering("c1", "PF", "1")])
    assert (blame(given, "c1", "a").fault, blame(given, "c1", "a").by) == ("unknown", "nobody")


def test_an_independent_program_that_passes_the_check_puts_the_blame_on_the_code() -> None:
    given = facts(CHECKS, [answering("c1", "PF", "1"), answering("c2", "PP", "2")])
    assert (blame(given, "c1", "a").fault, blame(given, "c1", "a").by) == ("code", "peer")


def test_two_independent_programs_with_the_same_other_answer_put_it_on_the_test() -> None:
    given = facts(CHECKS, [answering("c1", "PF", "1"), answering("c2", "PF", "1")])
    assert (blame(given, "c1", "a").fault, blame(given, "c1", "a").by) == ("test", "agreement")


@pytest.mark.parametrize("ended", ["PF", "PE"])
def test_programs_that_agree_with_the_stated_value_say_nothing_against_it(ended: str) -> None:
    checks = [anchor(), check("a", **CALL, expected=CallOutput("value", "1"))]
    both = [program(name, ended, checks, answers={"f(1)": "1"}) for name in ("c1", "c2")]
    assert (blame(facts(checks, both), "c1", "a").fault, blame(facts(checks, both), "c1", "a").by) == (
        "unknown",
        "nobody",
    )


def test_two_programs_that_answer_differently_settle_nothing() -> None:
    given = facts(CHECKS, [answering("c1", "PF", "1"), answering("c2", "PF", "3")])
    assert blame(given, "c1", "a").fault == "unknown"


def test_a_repair_of_the_same_family_is_no_second_witness() -> None:
    given = facts(CHECKS, [answering("c1", "PF", "1"), answering("c2", "PF", "1", root="c1", kind="repair")])
    assert blame(given, "c1", "a").fault == "unknown"


def test_a_program_that_fails_the_anchors_is_no_witness() -> None:
    given = facts(CHECKS, [answering("c1", "PF", "1"), answering("c2", "FP", "2"), answering("c3", "FF", "1")])
    assert blame(given, "c1", "a").fault == "unknown"


def test_one_for_the_test_and_two_for_the_code_is_left_to_the_arbiter() -> None:
    given = facts(CHECKS, [answering("c1", "PF", "1"), answering("c2", "PF", "1"), answering("c3", "PP", "2")])
    assert blame(given, "c1", "a").fault == "unknown"


@pytest.mark.parametrize("silent", [CallOutput("timeout", ""), CallOutput("opaque", "")])
def test_timeouts_and_opaque_values_agree_with_nothing(silent: str) -> None:
    given = facts(CHECKS, [answering("c1", "PF", silent), answering("c2", "PF", silent)])
    assert blame(given, "c1", "a").fault == "unknown"


def test_without_any_anchor_agreement_never_drops_a_test() -> None:
    bare = [check("a", **CALL)]
    pair = [program(name, "F", bare, answers={"f(1)": "1"}) for name in ("c1", "c2")]
    assert blame(facts(bare, pair), "c1", "a").fault == "unknown"


@pytest.mark.parametrize("ruling", ["code", "test", "task"])
def test_a_ruling_stands_against_testimony(ruling: str) -> None:
    ruled = [CHECKS[0], replace(CHECKS[1], ruling=ruling)]  # type: ignore[arg-type]
    given = facts(ruled, [answering("c1", "PF", "1"), answering("c2", "PP", "2")])
    assert (blame(given, "c1", "a").fault, blame(given, "c1", "a").by) == (ruling, "ruling")


def test_no_ruling_excuses_a_failed_promise_of_the_task_but_the_persons_own() -> None:
    withdrawn = [replace(CHECKS[0], ruling="test"), CHECKS[1]]
    assert blame(facts(withdrawn, [answering("c1", "FP", "1")]), "c1", "t0").fault == "test"


def test_a_passed_check_blames_nobody() -> None:
    given = facts(CHECKS, [answering("c1", "PP", "1")])
    assert blame(given, "c1", "a").by == "passes"


def test_an_unknown_id_is_an_error_of_the_caller() -> None:
    with pytest.raises(KeyError):
        blame(facts(CHECKS, []), "c9", "a")


def test_a_value_that_is_stated_of_a_call_that_chance_decides_blames_no_program() -> None:
    checks = [anchor(call="dice(2)", expected=CallOutput("value", "[3, 5]"), drawn=True), check("a", drawn=True)]
    given = facts(checks, [program("c1", "FF", checks)])
    assert [(blame(given, "c1", c.id).fault, blame(given, "c1", c.id).by) for c in checks] == [("test", "chance")] * 2
