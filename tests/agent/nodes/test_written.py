"""Who is asked for tests and programs, in which words and steps, and what becomes of the replies."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from agent.by_output.agreement import RECOMPUTES
from agent.checks.execution import SCRIPT
from agent.config import AgentConfig
from agent.events import CandidateWritten, SuiteWritten
from agent.nodes import second_attempt, write_code, write_spec_tests
from agent.nodes.intake import brief_of
from agent.nodes.write import CHECKS_WANTED, last_blind
from agent.session.roles import CodeReply
from agent.session.roles import TestsReply as SuiteReply
from agent.state import AgentState, Candidate, Decision, Fork, Run, Task
from agent.state.done import Done

from .scripted import ENDED, FAILED, PASSED, TEXT, Script, candidate, check, ran, state, step, suite

box = import_module("agent.nodes.write")
NEW = SuiteReply("def test_new():\n    assert f(1) == 2\n")
OTHER = SuiteReply("def test_other():\n    assert f(2) == 3\n")
RIGHT = CodeReply("def f(n): return n + 1\n", "adds one")
PROPERTY = """\
from hypothesis import given, strategies as st
@given(st.integers())
def test_property_all(n):
    assert f(n) > n
"""
EXAMPLE = suite(check("e", "task"))


def asked(text: str = TEXT, *groups: Any, **more: Any) -> AgentState:
    task = more.pop("task", Task(text))
    return state(*groups, **{"task": task, "brief": brief_of(task), "candidates": []} | more)


async def suites_for(of: AgentState, *replies: SuiteReply | None) -> tuple[Any, Script]:
    script = Script({"spec_tester": list(replies)})
    return await step(write_spec_tests, of, script), script


async def test_a_task_without_an_example_gets_two_suites_of_two_samples() -> None:
    update, script = await suites_for(asked(), NEW, OTHER)
    assert [one.id for one in update["suites"]] == ["spec:1", "spec:2"]
    assert {one.origin for one in update["suites"]} == {"spec"}
    assert [name for _, name, _ in script.asked] == ["spec:1", "second_spec:1"]
    assert [seen["options"].temperature for _, _, seen in script.asked] == [None, 0.8]
    seen = script.asked[0][2]
    assert (seen["template"], seen["task"], seen["count"], seen["kind"], seen["refused"]) == (
        *("write", TEXT, CHECKS_WANTED, "function", ""),
    )
    assert [event.suite for event in script.of(SuiteWritten)] == ["spec:1", "spec:2"]


@pytest.mark.parametrize(
    "given",
    [asked(TEXT, EXAMPLE), asked(config=AgentConfig(second_suite=False))],
    ids=["an example", "switched off"],
)
async def test_one_suite_is_enough_where_an_example_stands_or_a_second_is_not_wanted(given: AgentState) -> None:
    update, script = await suites_for(given, NEW, NEW)
    assert ([one.id for one in update["suites"]], len(script.asked)) == (["spec:1"], 1)


FORK = Fork("r", "c1", "def f(n): return n", suites=())


@pytest.mark.parametrize(
    "given",
    [
        asked(config=AgentConfig(spec_tests=False)),
        asked("Print the first ten primes."),
        asked(TEXT, suite(check(suite="spec:1")), task=Task(TEXT, fork=FORK)),
        asked(task=Task("Make the tests pass.", tests="def test_a():\n    assert f(1) == 2\n")),
    ],
    ids=["switched off", "a script", "a fork with tests", "tests are all there is"],
)
async def test_nobody_is_asked_for_tests_that_could_only_be_guessed_or_are_there(given: AgentState) -> None:
    update, script = await suites_for(given, NEW, NEW)
    assert (update, script.asked) == ({}, [])


async def test_a_fork_without_tests_and_a_text_that_says_more_get_tests() -> None:
    for given in (
        asked(task=Task(TEXT, fork=FORK)),
        asked(task=Task("Make the tests pass.", code='def f(n):\n    """Adds one."""\n', tests="assert f(1) == 2")),
        asked(task=Task(f"{TEXT} Make the tests pass. " * 3, tests="assert f(1) == 2")),
    ):
        assert (await suites_for(given, NEW, NEW))[0]["suites"]


async def test_a_suite_that_cannot_be_used_is_asked_for_once_more_with_the_reason_and_then_dropped() -> None:
    given = asked(TEXT, EXAMPLE)
    update, script = await suites_for(given, SuiteReply("x = 1"), NEW)
    assert [one.id for one in update["suites"]] == ["spec:1"]
    assert [name for _, name, _ in script.asked] == ["spec:1", "spec:2"]
    reason = script.asked[1][2]["refused"]
    assert reason
    update, script = await suites_for(given, SuiteReply("x = 1"), SuiteReply("x = 1"))
    assert update["problems"] == [f"the spec tester's suite was dropped: {reason}"]
    assert update["done"] == [Done("failed", "spec:1")]
    assert (update["suites"], len(script.asked)) == ([], 2)


async def test_an_author_who_finds_nothing_to_test_says_so_and_is_not_asked_again() -> None:
    update, script = await suites_for(asked(TEXT, EXAMPLE), SuiteReply("", note="it is all about looks."))
    assert update["problems"] == ["the spec tester wrote no tests, and gave as the reason: “it is all about looks”"]
    assert (update["suites"], update["done"], len(script.asked)) == ([], [Done("failed", "spec:1")], 1)


async def test_a_reply_with_neither_tests_nor_a_reason_is_asked_for_once_more() -> None:
    update, script = await suites_for(asked(TEXT, EXAMPLE), SuiteReply(""), NEW)
    assert ([one.id for one in update["suites"]], len(script.asked)) == (["spec:1"], 2)


@pytest.mark.parametrize(("wanted", "names"), [(True, ["test_new", "test_property_all"]), (False, ["test_new"])])
async def test_properties_are_tests_only_where_they_are_wanted(wanted: bool, names: list[str]) -> None:
    reply = SuiteReply(f"{PROPERTY}{NEW.code}")
    update, _ = await suites_for(asked(TEXT, EXAMPLE, config=AgentConfig(properties=wanted)), reply)
    assert {check.name for check in update["suites"][0].checks} == set(names)


def test_a_second_suite_that_repeats_the_first_leaves_what_else_its_author_found() -> None:
    first, other = suite(check("a", suite="spec:1")), suite(check("b", suite="spec:2"))
    again, found = suite(check("a", suite="spec:2")), suite(check("c", "arbiter"))
    beside: Any = Script()
    kept = box._unrepeated({"suites": [first]}, {"suites": [again, found], "problems": ["p"]}, beside)
    assert (kept["suites"], beside.told) == ([found], [])
    assert kept["problems"] == ["p", "a second author of tests wrote the same ones, which count once"]
    for one, two in (([first], [other, found]), ([], [found])):
        assert box._unrepeated({"suites": one}, {"suites": two}, beside) == {"suites": two}


@pytest.mark.parametrize(("text", "looks"), [("Use numpy to add one: f(n).", True), (TEXT, False)])
async def test_an_author_may_look_up_the_libraries_that_the_task_names(text: str, looks: bool) -> None:
    script: Any = Script()
    script.session.sandbox.packages.return_value = ["numpy", "pandas"]
    options = await box._may_look_up(asked(text), script)
    assert bool(options.tools) is looks


async def test_without_a_reply_there_is_no_suite() -> None:
    update, script = await suites_for(asked(TEXT, EXAMPLE), None)
    assert (update, len(script.asked)) == ({"suites": [], "rulings": [], "problems": [], "done": []}, 1)


def test_suites_are_numbered_after_all_that_were_asked_for() -> None:
    assert last_blind(asked()) == 0
    assert last_blind(asked(TEXT, suite(check(suite="spec:2")), EXAMPLE)) == 2
    assert last_blind(asked(done=[Done("failed", "spec:3"), Done("renewed", "spec:4"), Done("failed", "first")])) == 4


async def first(of: AgentState, reply: CodeReply | None = RIGHT) -> tuple[Any, Script]:
    script = Script({"generator": reply})
    return await step(write_code, of, script), script


async def test_the_first_program_is_written_from_the_plan() -> None:
    update, script = await first(asked(plan="Add one.", lessons=["old"]))
    (one,) = update["candidates"]
    assert (one.id, one.code, one.kind, one.parent, one.root, one.note) == (
        *("c1", RIGHT.code, "first", None, "c1", "adds one"),
    )
    ((_, name, seen),) = script.asked
    assert (name, seen["template"], seen["plan"], seen["code"], seen["task"]) == (
        "first",
        "first",
        "Add one.",
        "",
        TEXT,
    )
    assert (seen["options"].search, seen["options"].needed) == (True, True)
    assert seen["options"].data == {"kind": "first", "written": 0}
    assert seen["kind"] == "function"
    assert [event.candidate for event in script.of(CandidateWritten)] == ["c1"]
    assert (update["lessons"], "brief" in update) == (["old"], False)


async def test_no_first_program_is_written_twice_or_in_place_of_given_code() -> None:
    given = candidate(kind="given")
    fix = asked(task=Task("Fix f: it returns two.", code=given.code), candidates=[given])
    for one in (asked(candidates=[candidate()]), fix):
        update, script = await first(one)
        assert (update, script.asked) == ({}, [])
    assert (await first(asked(), None))[0] == {}


async def test_given_code_that_is_to_do_more_is_extended_at_once() -> None:
    given = candidate(kind="given", code="def f(n):\n    return n + 1\n")
    task = Task("Add a parameter step=1 to f that is added in place of one.", code=given.code)
    of = asked(task=task, candidates=[given])
    assert of.brief is not None
    of = replace(of, brief=replace(of.brief, kind="extend"))
    update, script = await first(of, CodeReply("def f(n, step=1):\n    return n + step\n"))
    (one,) = update["candidates"]
    assert (one.kind, one.parent, one.root, one.strategy) == ("repair", "c1", "c1", "extend")
    assert script.asked[0][2]["code"] == given.code


def again(kind: Any, *more: Candidate, **fields: Any) -> AgentState:
    decision = Decision("second_attempt", "why", "c1", attempt=kind)
    config = fields.pop("config", AgentConfig(reference=False))
    group = suite(check())
    runs = [ran("c1", group, FAILED)]
    return asked(TEXT, group, candidates=[candidate(), *more], runs=runs, decisions=[decision], config=config, **fields)


async def second(of: AgentState, reply: CodeReply | None = RIGHT) -> tuple[Any, Script]:
    script = Script({"generator": reply})
    return await step(second_attempt, of, script), script


async def test_an_independent_program_is_written_from_the_task_alone() -> None:
    update, script = await second(again("independent", plan="Add two."))
    (one,) = update["candidates"]
    assert (one.id, one.kind, one.parent, one.root) == ("c2", "independent", None, "c2")
    ((_, name, seen),) = script.asked
    assert (name, seen["template"], seen["task"], seen["again"]) == ("independent:1", "independent", TEXT, False)
    assert "plan" not in seen
    assert (seen["options"].temperature, seen["options"].escalate, seen["options"].search) == (0.8, 0, False)
    assert seen["options"].data == {"kind": "independent", "written": 1}
    assert [event.candidate for event in script.of(CandidateWritten)] == ["c2"]
    assert (await second(again("independent"), None))[0] == {}


async def test_attempts_are_numbered_after_those_that_gave_nothing() -> None:
    other = candidate("c2", "def f(n): return n + 1", "independent")
    _, script = await second(
        again("independent", other, done=[Done("failed", "independent:2"), Done("failed", "spec:1")])
    )
    assert script.asked[0][1] == "independent:3"


async def test_a_rewrite_is_told_what_failed_and_asks_a_stronger_model() -> None:
    fine = candidate("c2", "def f(n): return n + 1", "independent")
    of = again("rewrite", fine)
    of = replace(of, runs=[*of.runs, ran("c2", of.suites[0], PASSED)])
    update, script = await second(of)
    (one,) = update["candidates"]
    assert (one.kind, one.root) == ("rewrite", "c3")
    ((_, name, seen),) = script.asked
    assert (name, seen["template"], seen["options"].escalate, seen["options"].search) == (
        "rewrite:1",
        "rewrite",
        1,
        True,
    )
    assert any(candidate().code in told for told in seen["tried"])
    assert not any(fine.code in told for told in seen["tried"]), "nothing speaks against it"


async def test_a_rewrite_may_be_written_without_sight_of_what_failed() -> None:
    of = again("rewrite", config=AgentConfig(blind_rewrites=True, reference=False), plan="Add one.")
    update, script = await second(of)
    ((_, name, seen),) = script.asked
    assert (name, seen["template"], seen["plan"], seen["code"]) == ("rewrite:1", "first", "Add one.", "")
    assert "tried" not in seen
    assert update["candidates"][0].kind == "rewrite"


@pytest.mark.parametrize(
    ("more", "fields", "asks"),
    [
        ((), {}, True),
        ((candidate("c2", kind="independent"),), {}, False),
        ((candidate("c2", kind="reference"),), {}, False),
        ((candidate("c2", kind="repair"),), {}, True),
        ((), {"done": [Done("failed", "independent:1")]}, False),
        ((), {"config": AgentConfig(reference=False)}, False),
    ],
)
async def test_the_first_witness_of_a_task_that_can_be_tried_out_is_a_slow_reference(
    monkeypatch: pytest.MonkeyPatch, more: Any, fields: Any, asks: bool
) -> None:
    async def write_reference(_state: Any, _context: Any, form: str, number: int) -> Any:
        return {"problems": [f"{form} {number}"]}

    monkeypatch.setattr(box, "brute_force_of", lambda _state: "program")
    monkeypatch.setattr(box, "write_reference", write_reference)
    of = again("independent", *more, **{"config": AgentConfig()} | fields)
    update, _ = await second(of)
    assert update.get("problems") == (["program 1"] if asks else None)


async def test_figures_of_made_up_data_are_computed_once_more_from_the_files_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def files_told(_context: Any, made: Any = None) -> list[str]:
        return [f"files: {sorted(made or ())}"]

    monkeypatch.setattr(box, "_made_for_itself", lambda _state: {"sales.csv": b"1,2"})
    monkeypatch.setattr(box, "files_told", files_told)
    monkeypatch.setattr(box, "choices_of", lambda code, printed: [code, printed])
    best = candidate(code="print('total:', 8 / 4)\n")
    of = replace(again("independent", plan="Add."), candidates=[best])
    of = replace(of, runs=[*of.runs, Run("c1", SCRIPT, replace(ENDED, stdout="total: 2.0"))])
    update, script = await second(of)
    ((role, name, seen),) = script.asked
    assert (role, name, seen["template"]) == ("generator", "independent:1", "recompute")
    told = {key: seen[key] for key in ("task", "files", "form", "answers")}
    assert told == {"task": TEXT, "files": ["files: ['sales.csv']"], "form": "total: ...", "answers": []}
    assert seen["choices"] == [best.code, "total: 2.0"]
    assert not {"plan", "code", "signature", "tests"} & seen.keys()
    (one,) = update["candidates"]
    assert (one.kind, one.strategy, one.code) == ("reference", RECOMPUTES, RIGHT.code)
    assert [event.candidate for event in script.of(CandidateWritten)] == ["c2"]
    assert (await second(of, None))[0] == {}
