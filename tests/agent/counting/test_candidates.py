"""What is counted of each program: whether it runs, how it fails, and whom it equals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.checks.execution import PROBES, SCRIPT, Run
from agent.counting.counted import (
    facts_of,
)
from agent.examples.types import Brief
from agent.state import (
    CheckOutcome,
    Mutation,
    Task,
)
from agent.state.findings import Finding, Inspection
from sandbox.types import Execution
from tests.agent.counting.states import ANSWER, INPUT, LAW, SPEC, counted
from tests.agent.nodes.scripted import ENDED, FAILED, PASSED, TEXT, candidate, gives, ran, state


def ended(status: Any, error: str = "", **more: Any) -> Execution:
    return replace(ENDED, status=status, error=error, **more)


@pytest.mark.parametrize(
    ("runs", "broken"),
    [
        ([], ""), ([Run("c1", PROBES, ended("error", "E"))], ""),
        ([Run("c1", "task", ended("error", "SyntaxError: x"))], "SyntaxError: x"),
        ([Run("c1", "task", ended("timeout"))], "timeout"), ([Run("c1", "task", ended("fail"))], ""),
        ([Run("c1", "task", ended("error", "E"), True)], ""),
        ([Run("c1", "task", ended("pass")), Run("c1", "task", ended("error", "E"))], ""),
        ([Run("c1", "task", ended("error", "E")), Run("c1", "task", ended("error", "F"))], "F"),
        ([Run("c1", SCRIPT, ended("fail"))], "fail"), ([Run("c1", SCRIPT, ended("ok"))], ""),
        ([Run("c1", SCRIPT, ended("ok"), lacks="a plot is missing")], "a plot is missing"),
        ([Run("c1", SCRIPT, ended("error", "EOFError: no input"))], "EOFError: no input"),
    ],
)  # fmt: skip
def test_a_program_is_broken_where_no_suite_came_to_an_end(runs: list[Run], broken: str) -> None:
    assert counted(state(LAW, runs=runs)).broken == broken


@pytest.mark.parametrize(
    ("suite_id", "error", "broken"),
    [
        (SCRIPT, "EOFError: no input", ""), (SCRIPT, "NameError: x", "NameError: x"),
        (SCRIPT, "ImportError: x", "ImportError: x"), (SCRIPT, "ModuleNotFoundError: x", "ModuleNotFoundError: x"),
        (SCRIPT, "IndentationError: x", "IndentationError: x"), ("task", "EOFError: no input", "EOFError: no input"),
        ("task", "SystemExit: 0",
         "it ends its process when it is imported, which its tests do: SystemExit: 0"),
    ],
)  # fmt: skip
def test_a_program_that_takes_input_may_end_with_an_error_where_it_gets_none(
    suite_id: str, error: str, broken: str
) -> None:
    of = state(LAW, brief=INPUT, runs=[Run("c1", suite_id, ended("error", error))])
    assert counted(of).broken == broken


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("blocked", "URLError: no name was resolved - there is no network here"),
        ("error", "TclError: no display name and no $DISPLAY environment variable"),
        ("error", "error: setupterm: could not find terminal"),
    ],
)
def test_what_the_sandbox_lacks_is_told_and_is_no_fault_of_the_program(status: Any, error: str) -> None:
    found = counted(state(LAW, runs=[Run("c1", SCRIPT, ended(status, f"{error}\nand more"))]))
    assert (found.broken, found.untried) == (f"it needs what is not here: {error}", True)


def test_a_program_is_executed_once_something_but_inputs_ran() -> None:
    assert not counted(state(LAW)).executed
    assert not counted(state(LAW, runs=[gives("c1", f1="2")])).executed
    assert counted(state(LAW, runs=[gives("c1", f1="2"), ran("c1", LAW, PASSED)])).executed
    assert counted(state(LAW, runs=[ran("c2", LAW, PASSED)])).executed is False


def test_the_last_look_at_a_program_is_the_one_that_counts() -> None:
    kept, broken = (Finding("It is quick.", "speed", standing, "") for standing in ("kept", "broken"))
    of = state(
        LAW,
        inspections=[Inspection("c1", (broken,)), Inspection("c1", (kept,)), Inspection("c2", (broken,))],
        mutations=[Mutation("c1", 0, 1, (), (), "a"), Mutation("c1", 0, 1, (), (), "b"), Mutation("c2", 0, 1, (), ())],
    )
    assert (counted(of).clauses, counted(of).unpinned) == ((kept,), "b")
    assert counted(of).signature == "", "nothing fails"
    refuted = replace(of, inspections=of.inspections[:1])
    assert counted(refuted).signature != ""


def test_programs_fail_alike_where_the_same_trusted_checks_tell_the_same() -> None:
    def sign(*runs: Run, **more: Any) -> str:
        return counted(state(LAW, SPEC, runs=list(runs), **more)).signature

    fails = sign(ran("c1", LAW, FAILED))
    assert fails != ""
    assert fails == sign(ran("c1", LAW, FAILED), ran("c1", SPEC, FAILED)), "an unconfirmed check says nothing"
    assert fails != sign(ran("c1", LAW, CheckOutcome("fail", "f(1) gave 8")))
    assert sign(ran("c1", LAW, PASSED)) == ""
    cannot = sign(Run("c1", "task", ended("error", "E")))
    assert cannot not in ("", fails, sign(Run("c1", "task", ended("error", "F"))))


@pytest.mark.parametrize(
    ("mine", "theirs", "text", "told"),
    [
        ("6", "6.0", TEXT, "how numbers are written (6 or 6.0) or rounded in their last digits"),
        ("6", "7", TEXT, None), ("6", "6", TEXT, ""), ("6", "raises ValueError", TEXT, None),
        ("raises KeyError", "raises ValueError", TEXT, "which error is raised where the task names none of them"),
        ("raises KeyError", "raises ValueError", f"{TEXT} It raises ValueError.", None),
        ("raises KeyError", "raises ValueError", f"{TEXT} It raises KeyError.", None),
    ],
)  # fmt: skip
def test_what_the_task_leaves_to_the_author_parts_no_programs(
    mine: str, theirs: str, text: str, told: str | None
) -> None:
    pool = [candidate(), candidate("c2", "def f(n): return n - 2")]
    of = state(LAW, task=Task(text), candidates=pool, runs=[gives("c1", f1=mine), gives("c2", f1=theirs)])
    found = facts_of(of)
    one, other = (each.outputs["f(1)"] for each in found.candidates)
    assert (one == other) is (told is not None)
    assert found.apart_from == (told or "")
    assert one == gives("c1", f1=mine).outputs["f(1)"], "the first one's stands"


def test_numbers_are_compared_to_the_letter_beside_given_code() -> None:
    pool = [candidate(kind="given"), candidate("c2", "def f(n): return n - 2", "independent")]
    brief = replace(ANSWER, kind="fix")
    of = state(LAW, task=Task(TEXT, "def f(n): return n + 2"), brief=brief, candidates=pool)
    found = facts_of(replace(of, runs=[gives("c1", f1="6"), gives("c2", f1="6.0")]))
    assert [str(one.outputs["f(1)"]) for one in found.candidates] == ["6", "6.0"]


@pytest.mark.parametrize(
    ("gives_at_zero", "more", "told"),
    [
        ("raises ZeroDivisionError", {}, "f(0)"), ("1", {}, ""),
        ("raises ZeroDivisionError", {"admitted": {"f(0)": "n must be positive"}}, ""),
        ("raises ZeroDivisionError", {"task": Task(f"{TEXT} It raises ZeroDivisionError.")}, ""),
    ],
)  # fmt: skip
def test_a_program_breaks_off_on_an_allowed_corner_with_an_error_that_the_task_does_not_name(
    gives_at_zero: str, more: dict[str, Any], told: str
) -> None:
    assert counted(state(LAW, **{"runs": [gives("c1", f1="2", f0=gives_at_zero)]} | more)).breaks_off == told


def roots(*pool: Any) -> list[str]:
    return [one.root for one in facts_of(state(LAW, candidates=list(pool))).candidates]


def test_programs_of_one_text_are_one_family_that_of_given_code_first() -> None:
    other = "def f(n): return n - 2"
    assert roots(candidate(), candidate("c2", other), candidate("c3", f"{other}  # a remark")) == ["c1", "c2", "c2"]
    fixed = replace(candidate("c3", other, "repair"), root="c1")
    assert roots(candidate(kind="given"), candidate("c2", other, "independent"), fixed) == ["c1", "c1", "c1"]
    assert roots(candidate(), candidate("c2", other, "independent"), fixed) == ["c1", "c2", "c2"]


@pytest.mark.parametrize(
    ("brief", "field", "told"),
    [
        (None, "ties_open", False), (replace(ANSWER, ties_open=True), "ties_open", True),
        (ANSWER, "keeps_state", False), (replace(ANSWER, kind="class"), "keeps_state", True),
        (None, "keeps_state", False), (None, "extends", False), (ANSWER, "extends", False),
        (replace(ANSWER, kind="extend"), "extends", True),
    ],
)  # fmt: skip
def test_what_the_brief_says_of_the_whole_task_is_told(brief: Brief | None, field: str, *, told: bool) -> None:
    assert getattr(facts_of(state(LAW, brief=brief)), field) is told
