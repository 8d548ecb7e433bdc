"""What becomes of a run whose task is found to be of another kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.config import AgentConfig
from agent.events import CheckRuled, Noted, SuiteWritten, TaskClassified
from agent.examples.types import Brief
from agent.nodes import look_again
from agent.session.roles import PlanReply
from agent.session.roles import TestsReply as SuiteReply
from agent.state import AgentState, Task
from agent.state.done import Done

from .scripted import Script, candidate, check, state, step, suite

CODE = "def primes(n):\n    return [2, 3]\n"
OLD = suite(check("test_a", suite="spec:1"))
DOUBT = "the program puts out nothing by itself, it only defines primes"
WRITTEN = SuiteReply("def test_it():\n    assert primes(1) == [2]\n")
OTHER = SuiteReply("def test_more():\n    assert primes(2) == [2, 3]\n")


def doubtful(text: str = "twenty primes", **more: Any) -> AgentState:
    brief = Brief("program", False, None, None)
    return state(OLD, **{"task": Task(text), "brief": brief, "candidates": [candidate(code=CODE)]} | more)


async def looked(reply: PlanReply | None, given: AgentState | None = None) -> tuple[Any, Script]:
    script = Script({"planner": reply, "spec_tester": [WRITTEN, OTHER]})
    return await step(look_again, given or doubtful(), script), script


@pytest.mark.parametrize(
    "reply",
    [None, PlanReply("p"), PlanReply("p", kind="program"), PlanReply("p", kind="fix"), PlanReply("p", kind="x")],
)
async def test_where_the_planner_names_no_other_kind_everything_stays(reply: PlanReply | None) -> None:
    update, script = await looked(reply)
    assert update == {"done": [Done("looked again")]}
    assert script.told == []


async def test_the_planner_is_told_what_makes_the_kind_doubtful() -> None:
    _, script = await looked(None)
    ((role, name, seen),) = script.asked
    assert (role, name, seen["template"], seen["task"]) == ("planner", "kind", "plan", "twenty primes")
    assert seen["brief"].endswith(f"\nwhat makes it doubtful: {DOUBT}")
    assert seen["brief"].startswith("kind: program (code is unsure: say which it is of ")
    assert (seen["code"], seen["plan"], seen["wish"]) == ("", "", "")


async def test_tests_of_the_old_kind_are_taken_away_and_new_ones_are_written_for_the_new_kind() -> None:
    update, script = await looked(PlanReply("p", kind="function"))
    assert update["brief"].kind == "function"
    assert update["brief"].entry_point == "primes", "the task names nothing, so the program's own name counts"
    gone, *new = update["suites"]
    assert (gone.id, gone.checks) == ("spec:1", ())
    assert [one.id for one in new] == ["spec:2", "spec:3"]
    reason = "it was written for a program, and the task asks for a function"
    assert [(one.check, one.fault, one.by, one.reason) for one in update["rulings"]] == [
        ("spec:1.test_a", "test", "trust", reason)
    ]
    assert [(event.check, event.reason) for event in script.of(CheckRuled)] == [("spec:1.test_a", reason)]
    assert script.of(Noted) == [Noted(f"{DOUBT}: the task was taken for a program, and is now taken for a function")]
    (told,) = script.of(TaskClassified)
    assert (told.task_kind, told.hard, told.examples) == ("function", False, ())
    assert told.signature == update["brief"].signature
    assert update["done"] == [Done("looked again")]
    assert update["problems"] == []
    assert {seen["kind"] for role, _, seen in script.asked if role == "spec_tester"} == {"function"}


async def test_what_is_judged_by_its_output_gets_no_tests() -> None:
    update, script = await looked(PlanReply("p", kind="script"))
    assert [(one.id, one.checks) for one in update["suites"]] == [("spec:1", ())]
    assert [role for role, _, _ in script.asked] == ["planner"]


async def test_examples_of_the_new_kind_become_checks_unless_examples_are_switched_off() -> None:
    text = "twenty primes: primes(2) == [2, 3]"
    given = doubtful(text)
    update, script = await looked(PlanReply("p", kind="function"), given)
    assert [one.id for one in update["suites"]] == ["spec:1", "task", "spec:2"], "an example spares the second suite"
    assert "task" in [event.suite for event in script.of(SuiteWritten)]
    assert script.of(TaskClassified)[0].examples == ("assert primes(2) == [2, 3]",)
    given = replace(given, config=AgentConfig(examples=False))
    update, _ = await looked(PlanReply("p", kind="function"), given)
    assert "task" not in [one.id for one in update["suites"]]


async def test_a_new_suite_that_cannot_be_used_is_told() -> None:
    script = Script({"planner": PlanReply("p", kind="function"), "spec_tester": [SuiteReply("x = 1")] * 4})
    update = await step(look_again, doubtful(), script)
    assert [told.partition(":")[0] for told in update["problems"]] == ["the spec tester's suite was dropped"] * 2
    assert update["done"] == [Done("looked again"), Done("failed", "spec:2"), Done("failed", "spec:3")]
