"""Every bundled problem is proved: its right programs pass its hidden tests, its wrong ones and every cheat fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.cheats import cheats, entry_names, stub
from evaluation.grading import ProgramToGrade, grades
from evaluation.suites import SUITES, BadSuite, Problem
from llm.scenarios import find_scenario
from sandbox.types import Sandbox
from tests.tables import in_one_test

PROBLEMS = SUITES["bundled"].load(None)
TENTH = pytest.param([p.id for p in PROBLEMS][::10], marks=pytest.mark.slow, id="a tenth")
EVERY = pytest.param([p.id for p in PROBLEMS], marks=pytest.mark.corpus, id="all")


def answers(problem: Problem) -> Iterator[tuple[ProgramToGrade, bool]]:
    for number, code in enumerate(problem.right, 1):
        yield ProgramToGrade(problem, f"right {number}", code), True
    for wrong in problem.wrong:
        yield ProgramToGrade(problem, wrong.slip, wrong.code), False
    for cheat in (stub(problem), *cheats(problem)):
        yield cheat, False


def test_the_suite_is_large_and_of_many_kinds() -> None:
    assert len(PROBLEMS) >= 40
    kinds = {problem.kind for problem in PROBLEMS}
    assert kinds >= {
        "dates", "money", "parsing", "text", "caches", "graphs", "data frames", "plots", "programs", "classes",
        "packages", "performance", "several steps",
    }  # fmt: skip


@in_one_test("problem", PROBLEMS, ids=lambda problem: problem.id)
def test_each_problem_brings_its_proof(problem: Problem) -> None:
    assert len({ast.dump(ast.parse(code)) for code in problem.right}) >= 2
    assert len({ast.dump(ast.parse(wrong.code)) for wrong in problem.wrong}) >= 3
    assert len({wrong.slip for wrong in problem.wrong}) == len(problem.wrong)
    assert find_scenario(problem.task) is None, "the demo model has seen it"
    hidden = ast.parse(problem.hidden)
    assert any(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in hidden.body)
    assert entry_names(problem) or "run_program" in problem.hidden


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("names", [TENTH, EVERY])
async def test_right_programs_pass_and_wrong_ones_and_cheats_fail(names: list[str], warm: Sandbox) -> None:
    claims = [claim for problem in PROBLEMS if problem.id in names for claim in answers(problem)]
    found = [grade async for grade in grades(warm, [answer for answer, _ in claims], 2)]
    told = [(g.answer.problem.id, g.answer.label, g.right, g.error) for g in found]
    assert told == [(a.problem.id, a.label, expected, "") for a, expected in claims]


GOOD = {
    "kind": "kind: text", "task": "task: Say hi.", "hidden": "hidden: 'def test(): assert hi() == 1'",
    "right": 'right: ["def hi(): return 1"]', "wrong": 'wrong: [{slip: s, change: ["1", "2"]}]',
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"task": ""}, "no text for: task"),
        ({"hidden": "hidden: 5"}, "no text for: hidden"),
        ({"more": "hint: none"}, "unknown: hint"),
        ({"wrong": 'wrong: [{slip: s, change: ["9", "2"]}]'}, "stands 0 times"),
        ({"wrong": "wrong: [{slip: s}]"}, "'change'"),
        ({"wrong": "wrong: [{slip: s, code: x, why: y}]"}, "unknown: why"),
        ({"files": "files: [a]"}, "no attribute"),
        ({"task": "task: [unclosed"}, "is not YAML"),
    ],
)
def test_a_file_that_is_not_of_the_form_is_one_line(changed: dict[str, str], said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("\n".join(GOOD.values()))
    assert [(p.id, p.right[0], p.wrong[0].code) for p in SUITES["bundled"].load(tmp_path)] == [
        ("mine", "def hi(): return 1", "def hi(): return 2")
    ]
    path.write_text("\n".join({**GOOD, **changed}.values()))
    with pytest.raises(BadSuite, match=said) as caught:
        SUITES["bundled"].load(path)
    assert "\n" not in str(caught.value)


def test_a_folder_without_problems_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSuite, match=r"holds no \.yaml file"):
        SUITES["bundled"].load(tmp_path)
