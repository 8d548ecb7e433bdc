"""Candidates, suites and script outputs keep their identity, whatever was written in parallel or failed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.by_output.agreement import settled_outputs
from agent.by_output.output import output_of
from agent.checks.execution import LEFT_TO_CHANCE, PROBES
from agent.checks.handover import write_module
from agent.checks.splitting import UnusableTests, parse_suite
from agent.counting.counted import facts_of
from agent.examples import read_brief
from agent.examples.types import Brief, Demand, Example
from agent.graph import after_code, before_writing, decided
from agent.nodes.intake import _fitting  # pyright: ignore[reportPrivateUsage]
from agent.nodes.settle import _ticked  # pyright: ignore[reportPrivateUsage]
from agent.programs import example_suite, make_candidate, with_chosen_name
from agent.session.roles import CodeReply
from agent.state import AgentState, Candidate, Decision, Run, Task
from llm.replies.files import join_files
from sandbox import run
from sandbox.types import Artifact, CallOutput, Execution, Isolation, Program

ISOLATION = Isolation("limits", *["open"] * 6)
FIRST = Candidate(id="c1", code="x = 1", kind="first", parent=None, root="c1")


def state(**parts: object) -> AgentState:
    return replace(AgentState(task=Task("a task"), candidates=[FIRST]), **parts)


def test_the_policy_may_know_how_often_the_judge_chose_a_node() -> None:
    twice = [Decision("quarantine", "so"), Decision("critic", "so"), Decision("quarantine", "still so")]
    chosen = facts_of(state(decisions=twice)).spent.chosen
    assert (chosen.get("quarantine"), chosen.get("critic"), chosen.get("arbitrate")) == (2, 1, None)


def script(stdout: str = "", *artifacts: Artifact) -> CallOutput:
    return output_of(Execution("ok", ISOLATION, stdout=stdout, artifacts=artifacts), (), Demand())


def alike(*outputs: CallOutput) -> bool:
    """Whether the policy sees one and the same output."""
    told = {f"c{number}": output for number, output in enumerate(outputs)}
    return len(set(settled_outputs(told, list(told), Demand()).values())) == 1


def test_a_gap_left_by_a_failed_sibling_gives_no_id_twice() -> None:
    second = make_candidate(state(), CodeReply("x = 2"), "repair", parent=FIRST, offset=1)
    assert second.id == "c3"
    third = make_candidate(state(candidates=[FIRST, second]), CodeReply("x = 3"), "independent")
    assert third.id == "c4"


def test_a_repair_belongs_to_its_family_and_a_new_program_founds_one() -> None:
    assert make_candidate(state(), CodeReply("x = 2"), "repair", parent=FIRST).root == "c1"
    assert make_candidate(state(), CodeReply("x = 2"), "rewrite", parent=FIRST).root == "c2"


def test_what_was_once_seen_to_hang_on_chance_is_compared_by_no_later_run() -> None:
    drawn, equal = CallOutput("opaque", LEFT_TO_CHANCE), CallOutput("value", "1")
    runs = [
        Run("c1", PROBES, Execution("ok", ISOLATION), outputs={"roll(6)": drawn, "size()": equal}),
        Run("c1", PROBES, Execution("ok", ISOLATION), outputs={"roll(3)": equal}),
    ]
    (facts,) = facts_of(state(runs=runs)).candidates
    assert facts.outputs == {"roll(6)": drawn, "size()": equal, "roll(3)": drawn}


def test_silence_agrees_with_nothing() -> None:
    assert script().kind == "opaque"


def test_scripts_agree_on_numbers_not_on_wording() -> None:
    assert alike(script("the total is 12.50"), script("12.5 in all"))
    assert not alike(script("the total is 12.50"), script("the total is 13"))


def test_tables_are_compared_by_content_and_pictures_by_kind() -> None:
    table = [Artifact("a.csv", "text/csv", data) for data in (b"1", b"2")]
    picture = [Artifact("a.png", "image/png", data) for data in (b"1", b"2")]
    assert not alike(script("", table[0]), script("", table[1]))
    assert alike(script("", picture[0]), script("", picture[1]))


def test_a_failed_script_gives_its_error() -> None:
    failed = Execution("error", ISOLATION, error="KeyError: 'x'")
    assert output_of(failed, (), Demand()) == CallOutput("exception", "KeyError")


def test_an_example_that_is_a_test_already_gets_a_name_and_its_sentence() -> None:
    example = Example("def test_sample():\n    assert run_program([]).stdout == '1'", "prints 1")
    suite = example_suite([example])
    assert suite is not None
    wanted = "def test_example_1():\n    'prints 1'\n    assert run_program([]).stdout == '1'"
    assert suite.checks[0].source.replace('"""', "'") == wanted


def test_a_ticked_error_becomes_a_check_that_parses() -> None:
    suite = _ticked(1, "f(0)", "raises ValueError")
    assert "pytest.raises(ValueError)" in suite.checks[0].source
    compile(suite.header + "\n" + suite.checks[0].source, "suite", "exec")


@pytest.mark.slow
def test_tests_of_several_files_run_where_these_lie(tmp_path: Path) -> None:
    files = {"cart.py": "def f():\n    return 1\n", "tax.py": "def g():\n    return 2\n"}
    suite = parse_suite(
        "from cart import f\n\ndef test_a():\n    assert f() + g() == 3\n", "spec:1", "spec", own="# file: cart.py"
    )
    module = write_module(state(suites=[suite]), {}, join_files(files))
    for name, text in {**files, "test_it.py": module}.items():
        (tmp_path / name).write_text(text)
    pytest_alone = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "-c", os.devnull]
    ran = subprocess.run([*pytest_alone, "test_it.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_tests_of_a_program_bring_what_they_need() -> None:
    example = Example("assert run_program([]).stdout == '1'", "prints 1")
    brief = Brief("program", False, None, None, (example,))
    suite = example_suite(brief.examples)
    assert suite is not None
    module = write_module(state(brief=brief, suites=[suite]), {})
    assert "def run_program" in module
    assert "from solution import" not in module
    assert write_module(state(brief=brief, suites=[suite]), {suite.checks[0].id: "wrong"}) == ""


def test_tests_of_a_program_that_take_its_runs_as_an_argument_run_without_us(tmp_path: Path) -> None:
    source = "def test_a(run_program):\n    assert run_program(['a']).stdout == 'a\\n'\n"
    brief = Brief("program", False, None, None, ())
    module = write_module(state(brief=brief, suites=[parse_suite(source, "person:1", "person")]), {})
    (tmp_path / "solution.py").write_text("import sys\nprint(sys.argv[1])\n")
    (tmp_path / "test_solution.py").write_text(module)
    assert_passes_alone("test_solution.py", tmp_path)


def assert_passes_alone(tests: str, folder: Path | str) -> None:
    """In a pytest without the plugins that happen to lie beside it."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ended = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


STARTED = """
import pathlib, sys
text = pathlib.Path("in/names.txt").read_text() if pathlib.Path("in/names.txt").exists() else "nobody"
pathlib.Path("out.txt").write_text(text.upper())
sys.stderr.write("done")
print(len(list(pathlib.Path().iterdir())), sys.stdin.read(), *sys.argv[1:])
sys.exit(3)
"""
STARTS = """
def test_all_that_it_gives():
    ran = run_program([1, "b"], stdin="given", files={"in/names.txt": "ann", "same.bin": b"\\xff"})
    assert ran == (ran.stdout, ran.stderr, 3, {"out.txt": b"ANN"})
    assert (ran.stdout, ran.stderr, ran.returncode) == ("3 given 1 b\\n", "done", 3)


def test_one_run_leaves_nothing_for_the_next():
    assert run_program().files == {"out.txt": b"NOBODY"}
    assert run_program().stdout.split() == ["1"]
"""


@pytest.mark.slow
def test_handed_over_tests_start_the_program_as_the_sandbox_does(tmp_path: Path) -> None:
    assert [check.status for check in run(Program(STARTED, tests=STARTS)).checks] == ["pass", "pass"]
    brief = Brief("program", hard=False, entry_point=None, signature=None)
    module = write_module(state(brief=brief, suites=[parse_suite(STARTS, "spec:1", "spec")]), {})
    (tmp_path / "solution.py").write_text(STARTED)
    (tmp_path / "test_solution.py").write_text(module)
    assert_passes_alone(str(tmp_path / "test_solution.py"), "/")
    assert {path.name for path in tmp_path.iterdir()} <= {"solution.py", "test_solution.py", "__pycache__"}


def test_the_judge_word_is_the_way() -> None:
    decisions = [Decision("diagnose", "first"), Decision("conclude", "then")]
    assert decided(state(decisions=decisions)) == "conclude"


def test_a_set_aside_check_stands_in_the_delivered_tests_with_its_reason() -> None:
    suite = parse_suite(
        "def test_a():\n    assert f(1) == 2\n\ndef test_b():\n    assert f(2) == 9\n", "spec:1", "spec"
    )
    module = write_module(state(suites=[suite]), {"spec:1.test_b": "set aside: two programs agree on 4"})
    space: dict[str, Any] = {"f": lambda x: 2 * x}
    exec(module.replace("from solution import *", ""), space)
    space["test_a"]()
    marks = space["test_b"].pytestmark
    assert (marks[0].name, marks[0].kwargs["reason"]) == ("skip", "set aside: two programs agree on 4")


def test_a_suite_that_imports_what_nobody_has_is_the_suites_fault() -> None:
    source = "from shop.cart import Cart\n\ndef test_a():\n    assert Cart().total() == 0\n"
    with pytest.raises(UnusableTests, match="shop"):
        parse_suite(source, "spec:1", "spec")
    assert parse_suite(source, "person:1", "person").checks, "a person may have what we do not know of"


def test_a_repair_that_another_author_writes_as_well_is_the_persons_program_still() -> None:
    given = replace(FIRST, kind="given", code="def f(): ...")
    other = replace(FIRST, id="c2", root="c2", kind="independent")
    repair = replace(FIRST, id="c3", parent="c1", kind="repair")
    found = facts_of(state(candidates=[given, other, repair])).candidates
    assert [one.root for one in found] == ["c1", "c1", "c1"]


def test_the_verdict_is_told_where_programs_may_ask_each_in_its_own_way() -> None:
    asking = state(candidates=[replace(FIRST, code="print(int(input('n: ')) + 1)")])
    program = replace(
        read_brief("Write a program that asks for a number and prints the next one.", None, ()), kind="program"
    )
    assert facts_of(replace(asking, brief=program)).apart_from
    assert not facts_of(replace(asking, brief=replace(program, kind="function"))).apart_from
    assert not facts_of(state(brief=program)).apart_from, "it asks for nothing"


def test_how_a_number_is_written_is_no_difference_where_nobody_gave_code() -> None:
    told = [{"f(1)": CallOutput("value", text)} for text in ("6", "6.0", "7")]
    three = [replace(FIRST, id=f"c{n}", root=f"c{n}", code=f"def f(x): return x + {n}") for n in (1, 2, 3)]
    runs = [
        Run(one.id, "probes", Execution("ok", ISOLATION), outputs=outputs)
        for one, outputs in zip(three, told, strict=True)
    ]
    found = facts_of(state(candidates=three, runs=runs))
    assert [one.outputs["f(1)"].text for one in found.candidates] == ["6", "6", "7"]
    assert found.apart_from
    own = facts_of(state(candidates=[replace(three[0], kind="given"), *three[1:]], runs=runs))
    assert [one.outputs["f(1)"].text for one in own.candidates] == ["6", "6.0", "7"]
    assert not own.apart_from


def test_which_error_is_raised_is_no_difference_where_the_task_names_none_of_them() -> None:
    told = [{"f(0)": CallOutput("exception", name)} for name in ("ValueError", "ZeroDivisionError")]
    told.append({"f(0)": CallOutput("value", "0")})
    three = [replace(FIRST, id=f"c{n}", root=f"c{n}", code=f"def f(x): return x + {n}") for n in (1, 2, 3)]
    runs = [Run(one.id, "probes", Execution("ok", ISOLATION), outputs=o) for one, o in zip(three, told, strict=True)]
    found = facts_of(state(candidates=three, runs=runs))
    assert [str(one.outputs["f(0)"]) for one in found.candidates] == ["raises ValueError", "raises ValueError", "0"]
    assert "which error is raised" in found.apart_from
    named = facts_of(replace(state(candidates=three, runs=runs), task=Task("f(0) raises ZeroDivisionError")))
    assert len({one.outputs["f(0)"] for one in named.candidates}) == 3
    own = [replace(three[0], kind="given"), replace(three[1], root="c1", parent="c1", kind="repair"), three[2]]
    kept = facts_of(state(candidates=own, runs=runs)).candidates
    assert [str(one.outputs["f(0)"]) for one in kept] == ["raises ValueError", "raises ZeroDivisionError", "0"]
    other = [own[0], own[1], replace(three[2], id="c3")]
    third = replace(runs[2], outputs={"f(0)": CallOutput("exception", "TypeError")})
    alike = facts_of(state(candidates=other, runs=[*runs[:2], third])).candidates
    assert str(alike[2].outputs["f(0)"]) == "raises ZeroDivisionError", "as the newest repair"


def test_programs_of_equal_text_are_one_program() -> None:
    twin = replace(FIRST, id="c2", root="c2", kind="independent", code=FIRST.code + "  # the same\n")
    assert [one.root for one in facts_of(state(candidates=[FIRST, twin])).candidates] == ["c1", "c1"]


@pytest.mark.parametrize(
    ("kind", "code", "signature"),
    [
        ("function", "def top(n: list[int]) -> int:\n    return max(n)", "def top(n)"),
        ("function", "def half(n):\n    return n\n\ndef top(n):\n    return half(n)", "def top(n)"),
        ("function", "def top(n):\n    return n and top(n[1:])\n\ndef main():\n    top([])", "def top(n)"),
        ("class", "class Node: ...\n\nclass Tree:\n    def __init__(self, n=2):\n        self.at = Node()", "Tree(n)"),
        ("function", "def total(*numbers):\n    return sum(numbers)", "def total(*numbers)"),
        ("function", "def top(n, k=2, *, key, low=0):\n    return n", "def top(n, *, key)"),
        ("class", "@dataclass\nclass Point:\n    x: int\n    y: int = 0", "Point(x)"),
        ("function", "def one(n): ...\n\ndef other(n): ...", None),
        ("function", "def top(n:", None),
    ],
)
def test_where_the_task_names_nothing_all_others_call_it_as_the_first_program_does(
    kind: Any, code: str, signature: str | None
) -> None:
    brief = with_chosen_name(read_brief("The second largest of a list", None, (), kind), code)
    assert (brief.signature, brief.chosen) == (signature, signature is not None)


@pytest.mark.parametrize(
    ("text", "tests", "waiting"),
    [("the second largest of a list", None, True), ("a function top(n)", None, False), ("top", "assert top(1)", False)],
)
def test_tests_wait_for_a_name_only_where_the_person_gave_none(text: str, tests: str | None, waiting: bool) -> None:
    before = state(task=Task(text, tests=tests), brief=read_brief(text, None, (), "function"), candidates=[])
    assert before_writing(before) == (["write_code"] if waiting else ["write_spec_tests", "write_code"])
    named = with_chosen_name(before.brief, "def best(n): ...") if waiting and before.brief else before.brief
    for after in (before, replace(before, brief=named)):
        assert after_code(after) == (["write_spec_tests"] if waiting else [])


def test_the_persons_tests_leave_nothing_to_ask_the_planner_about() -> None:
    text = "slugify for german titles, see my tests"
    brief = read_brief(text, None, ())
    assert not brief.sure
    assert _fitting(brief, Task(text, tests="assert slugify('A') == 'a'")) == replace(brief, sure=True)
