"""Which tests that cannot run are asked for again, and which are taken away; no test is run."""

from __future__ import annotations

from typing import Any

import pytest

from agent.events import CheckRuled
from agent.nodes import renew_tests
from agent.session.roles import TestsReply as SuiteReply
from agent.state import AgentState, CheckOutcome, Run
from agent.state.done import Done

from .scripted import ENDED, Script, check, state, step, suite

LACKING = "NameError: name 'solve_it' is not defined\n  test_solution.py:2 in test_a: assert solve_it(1) == 2"
WHY = "they cannot run, whatever the program does: NameError: name 'solve_it' is not defined (test_a)"
NEW = SuiteReply("def test_new():\n    assert f(1) == 2\n")


def given(*names: str, origin: Any = "spec", suite_id: str = "spec:1", **more: Any) -> AgentState:
    """A suite in which test_a cannot run; each other named test passes."""
    checks = [check(name, origin, suite=suite_id) for name in ("test_a", *names)]
    group = suite(*checks)
    outcomes = {one.id: CheckOutcome("pass") for one in checks} | {checks[0].id: CheckOutcome("error", LACKING)}
    return state(group, runs=[Run("c1", group.id, ENDED, True, outcomes)], **more)


async def renewed(of: AgentState, reply: SuiteReply | None) -> tuple[Any, Script]:
    script = Script({"spec_tester": reply})
    return await step(renew_tests, of, script), script


async def test_a_blind_suite_is_asked_for_once_more_with_the_reason_and_replaced() -> None:
    update, script = await renewed(given("test_b"), NEW)
    ((role, name, seen),) = script.asked
    assert (role, name, seen["refused"]) == ("spec_tester", "second_spec:1", WHY)
    gone, new = update["suites"]
    assert (gone.id, gone.checks) == ("spec:1", ()), "the new one takes the place of all its tests"
    assert (new.id, [one.name for one in new.checks]) == ("spec:2", ["test_new"])
    assert update["done"] == [Done("renewed", "spec:2")]
    assert update["problems"] == []
    assert [(event.check, event.fault, event.by, event.reason) for event in script.of(CheckRuled)] == [
        ("spec:1.test_a", "test", "trust", WHY),
        ("spec:1.test_b", "test", "trust", WHY),
    ]


async def test_where_that_brings_nothing_only_what_cannot_run_is_taken_away() -> None:
    update, script = await renewed(given("test_b"), None)
    (left,) = update["suites"]
    assert [one.name for one in left.checks] == ["test_b"]
    assert update["problems"] == [f"some tests of spec:1 were taken away: {WHY}"]
    assert [event.check for event in script.of(CheckRuled)] == ["spec:1.test_a"]
    assert update["done"] == [Done("renewed", "spec:2")]


async def test_a_suite_of_which_nothing_is_left_is_said_to_be_dropped() -> None:
    update, _ = await renewed(given(), None)
    assert update["suites"][0].checks == ()
    assert update["problems"] == [f"spec:1 was dropped: {WHY}"]


@pytest.mark.parametrize(
    "of",
    [given(origin="adversary", suite_id="adversary:1"), given(suite_id="spec:2", done=[Done("renewed", "spec:2")])],
    ids=["another author", "asked for again before"],
)
async def test_other_authors_and_what_was_renewed_before_are_not_asked_again(of: AgentState) -> None:
    update, script = await renewed(of, NEW)
    assert script.asked == []
    assert [one.checks for one in update["suites"]] == [()]
    assert update["done"] == []


async def test_the_second_suite_is_asked_for_as_another_sample() -> None:
    _, script = await renewed(given(suite_id="spec:2"), NEW)
    assert script.asked[0][1] == "spec_3:1"
    assert script.asked[0][2]["options"].temperature == 0.8
    _, script = await renewed(given(), NEW)
    assert script.asked[0][2]["options"].temperature is None


async def test_tests_that_run_stay_as_they_are() -> None:
    of = state(suite(check("test_a", suite="spec:1")))
    update, script = await renewed(of, NEW)
    assert (update["suites"], update["problems"], script.told) == ([], [], [])
