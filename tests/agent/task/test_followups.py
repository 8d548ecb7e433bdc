"""Follow-ups: what an earlier run brings along, and what guards its program."""

from __future__ import annotations

import pytest

from agent.cli.commands import task_of
from agent.events import CheckListed, SuiteWritten
from agent.events.codec import decode_task, encode_task
from agent.examples import read_brief
from agent.given.earlier import as_follow_up, guards, told
from agent.runs import AgentRuns
from agent.state import Check, Earlier, Suite, Task, Turn
from agent.task.followups import _reduced, continued, find_run, forked  # pyright: ignore[reportPrivateUsage]
from agent.task.order import Order
from agent.task.request import BadInput
from framework.errors import UnknownRun
from llm.scenarios import get_scenario
from tests.agent.conftest import Play, Played, follow

CODE = "def f(n):\n    return n + 1\n"


def earlier(kind: str = "function", *suites: Suite) -> Earlier:
    return Earlier("r1", kind, (Turn("Write f(n).", "verified", "42"),), suites)  # pyright: ignore[reportArgumentType]


def suite(origin: str, call: str) -> Suite:
    name = f"earlier:{origin}"
    check = Check(f"{name}.test_a", "test_a", origin, f"def test_a():\n    assert {call} == 2", call, "2")  # pyright: ignore
    return Suite(name, origin, "", (check,))  # pyright: ignore[reportArgumentType]


def follow_up(text: str, kind: str = "function", *suites: Suite) -> Task:
    return Task(text, CODE, earlier=earlier(kind, *suites))


def guarded(text: str, *suites: Suite) -> list[str]:
    task = follow_up(text, "function", *suites)
    return [each.origin for each in guards(task, read_brief(text, CODE, ()))]


def test_law_stays_law_and_what_models_wrote_shows_what_the_program_did() -> None:
    found = guarded("make it handle floats", suite("task", "f(1)"), suite("spec", "f(1)"), suite("person", "f(1)"))
    assert found == ["task", "kept", "person"]


def test_what_this_turn_says_of_a_call_replaces_what_was_said_before() -> None:
    assert guarded("It should be f(1) -> 3", suite("task", "f(1)"), suite("task", "f(2)")) == ["task"]


def test_other_names_were_asked_for() -> None:
    assert guarded("rename f to g", suite("task", "f(1)")) == ["kept"]


def test_tests_that_are_asked_for_stand_beside_those_there_are() -> None:
    assert guarded("Now add unit tests", suite("spec", "f(1)")) == ["spec"]


def test_a_script_stays_a_script() -> None:
    task = follow_up("and the median?", "data")
    brief = as_follow_up(read_brief(task.text, task.code, ["a.csv"]), task)
    assert brief.kind == "data"
    assert guards(task, brief) == ()
    explained = follow_up("explain it", "data")
    assert as_follow_up(read_brief(explained.text, CODE, ()), explained).kind == "explain"


def test_the_conversation_is_told_in_short_and_stored_whole() -> None:
    task = follow_up("and now?", "data", suite("spec", "f(1)"))
    assert told(None) == ""
    assert "asked: Write f(n)." in told(task.earlier)
    assert "42" in told(task.earlier)
    assert decode_task(encode_task(task)) == task


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_a_run_goes_on_from_another(play: Play, runs: AgentRuns) -> None:
    slugs, wish = get_scenario("slugify"), get_scenario("slug_separator")
    assert slugs is not None
    assert wish is not None
    first = await play(task_of(slugs), {"mutation_seconds": 0}, provider="mock")
    task = continued(runs.store, first.run_id[:12], Task(wish.task))
    assert task.code == first.outcome["code"]
    second = await play(task, {"mutation_seconds": 0}, provider="mock")
    assert second.outcome["verdict"] == "verified", second.outcome["verdict_reason"]
    checks = second.outcome["evidence"]["checks"]
    assert {check["origin"] for check in checks if check["name"].startswith("earlier:")} == {"task", "kept"}
    third = continued(runs.store, second.run_id, Task("explain it"))
    assert third.earlier is not None
    assert [turn.task.split()[0] for turn in third.earlier.turns] == ["Write", "Now"]
    assert len({suite.id for suite in third.earlier.suites}) == len(third.earlier.suites)
    with pytest.raises(UnknownRun, match="no run"):
        find_run(runs.store, "nosuchrun")
    await forks(runs, first)


async def forks(runs: AgentRuns, first: Played) -> None:
    """Of a finished run: from its attempt with a program of the person's, and under other terms."""
    broken = "def slugify(title):\n    return title.lower()\n"
    order = Order(Task("", code=broken), parent=first.run_id[:12], attempt="1")
    played = await follow(runs, await runs.begin(order))
    assert played.outcome["comes_from"] == {"run": first.run_id, "attempt": "c1", "edited": ["code"]}
    assert played.of("candidate_written")[0].code == broken
    assert [suite.suite for suite in played.of("suite_written")][:2] == ["task", "spec:1"]
    assert not [call for call in played.of("call_made") if call.role == "spec_tester"], "its checks came along"
    other = forked(runs.store, first.run_id, "", Task("Write g(x)", tests="assert g(1)")).task
    assert (other.text, other.tests) == ("Write g(x)", "assert g(1)")
    assert other.fork is not None
    assert other.fork.suites == ()
    with pytest.raises(BadInput, match="has no attempt '7'; there are: c1"):
        forked(runs.store, first.run_id, "7", Task(""))
    with pytest.raises(BadInput, match="does not parse"):
        forked(runs.store, first.run_id, "c1", Task("", code="def"))


@pytest.mark.asyncio(loop_scope="session")
async def test_nothing_follows_on_from_a_run_without_a_program(play: Play, runs: AgentRuns) -> None:
    scenario = get_scenario("ambiguous_task")
    assert scenario is not None
    played = await play(task_of(scenario), {"autonomy": "review_all", "plan": "always"}, provider="mock")
    assert played.outcome["pending"] is not None
    with pytest.raises(BadInput, match="has not ended with a program"):
        continued(runs.store, played.run_id, Task("explain it"))


def test_checks_of_every_earlier_turn_keep_a_name_of_their_own() -> None:
    """Two of one name would be counted as one, and the failure of the first be hidden by the pass of the second."""
    name, source = "test_example_1", "def test_example_1():\n    assert f(1) == 1"
    written = [
        SuiteWritten(
            suite=suite, origin="task", checks=(CheckListed(f"{suite}.{name}", name, source, False),), header=""
        )
        for suite in ("task", "earlier:task")
    ]
    passed = {check.id for suite in written for check in suite.checks}
    kept = [check.id for suite in _reduced(written, passed, carried=False) for check in suite.checks]
    assert len(kept) == len(set(kept)) == 2
