"""Candidates, suites and script outputs keep their identity, whatever was written in parallel or failed."""

from __future__ import annotations

from dataclasses import replace

from agent.execution import script_output
from agent.fingerprints import hashed
from agent.graph import decided
from agent.handover import write_module
from agent.nodes.settle import _ticked  # pyright: ignore[reportPrivateUsage]
from agent.programs import example_suite, make_candidate
from agent.roles import CodeReply
from agent.state import AgentState, Brief, Candidate, Decision, Example, Task
from sandbox.types import Artifact, CallOutput, Execution, Isolation

ISOLATION = Isolation("limits", "open", "open", "open", "open", "open")
FIRST = Candidate(id="c1", code="x = 1", kind="first", parent=None, root="c1")


def state(**parts: object) -> AgentState:
    return replace(AgentState(task=Task("a task"), candidates=[FIRST]), **parts)


def script(stdout: str = "", *artifacts: Artifact) -> CallOutput:
    return script_output(hashed(Execution("ok", ISOLATION, stdout=stdout, artifacts=artifacts)))


def test_a_gap_left_by_a_failed_sibling_gives_no_id_twice() -> None:
    second = make_candidate(state(), CodeReply("x = 2"), "repair", parent=FIRST, offset=1)
    assert second.id == "c3"
    third = make_candidate(state(candidates=[FIRST, second]), CodeReply("x = 3"), "independent")
    assert third.id == "c4"


def test_a_repair_belongs_to_its_family_and_a_new_program_founds_one() -> None:
    assert make_candidate(state(), CodeReply("x = 2"), "repair", parent=FIRST).root == "c1"
    assert make_candidate(state(), CodeReply("x = 2"), "rewrite", parent=FIRST).root == "c2"


def test_silence_agrees_with_nothing() -> None:
    assert script().kind == "opaque"


def test_scripts_agree_on_numbers_not_on_wording() -> None:
    assert script("the total is 12.50") == script("12.5 in all")
    assert script("the total is 12.50") != script("the total is 13")


def test_tables_are_compared_by_content_and_pictures_by_kind() -> None:
    table = [Artifact("a.csv", "text/csv", data) for data in (b"1", b"2")]
    picture = [Artifact("a.png", "image/png", data) for data in (b"1", b"2")]
    assert script("", table[0]) != script("", table[1])
    assert script("", picture[0]) == script("", picture[1])


def test_a_failed_script_gives_its_error() -> None:
    assert script_output(Execution("error", ISOLATION, error="KeyError: 'x'")) == CallOutput("exception", "KeyError")


def test_an_example_that_is_a_test_already_is_only_renamed() -> None:
    example = Example("def test_sample():\n    assert run_program([]).stdout == '1'", "prints 1")
    suite = example_suite(Brief("program", False, None, None, (example,)))
    assert suite is not None
    assert suite.checks[0].source == "def test_example_1():\n    assert run_program([]).stdout == '1'"


def test_a_ticked_error_becomes_a_check_that_parses() -> None:
    suite = _ticked(1, "f(0)", "raises ValueError")
    assert "pytest.raises(ValueError)" in suite.checks[0].source
    compile(suite.header + "\n" + suite.checks[0].source, "suite", "exec")


def test_tests_of_a_program_bring_what_they_need() -> None:
    example = Example("assert run_program([]).stdout == '1'", "prints 1")
    brief = Brief("program", False, None, None, (example,))
    suite = example_suite(brief)
    assert suite is not None
    module = write_module(state(brief=brief, suites=[suite]), ())
    assert "def run_program" in module
    assert "from solution import" not in module
    assert write_module(state(brief=brief, suites=[suite]), {suite.checks[0].id}) == ""


def test_the_judge_word_is_the_way() -> None:
    decisions = [Decision("diagnose", "first"), Decision("conclude", "then")]
    assert decided(state(decisions=decisions)) == "conclude"
