"""The published suites, from small files in their true forms: the known answer passes, stub and cheats do not."""

from __future__ import annotations

import base64
import json
import pickle
import sys
import types
import zlib
from pathlib import Path
from typing import Any

import pytest

from evaluation.__main__ import main
from evaluation.cheats import cheats, stub
from evaluation.grading import ProgramToGrade, grades, is_right
from evaluation.suites import SUITES, BadSuite
from sandbox.types import Sandbox
from tests.evaluation.made import save

pytestmark = pytest.mark.slow

Row = dict[str, Any]
HUMANEVAL: Row = {
    "task_id": "HumanEval/0", "prompt": 'def double(x):\n    """Twice x."""\n', "entry_point": "double",
    "canonical_solution": "    return 2 * x\n", "test": "def check(candidate):\n    assert candidate(3) == 6\n",
}  # fmt: skip
BY_INPUTS: Row = {**HUMANEVAL, "base_input": [[1], [2]], "plus_input": [[-1.5], [[1, 2]]], "atol": 0}
MBPP: Row = {
    "task_id": 7, "text": "Write a function to double a number.", "code": "def double(x):\r\n\treturn x + x\r\n",
    "test_setup_code": "", "test_list": ["assert double(2) == 4", "assert double(0) == 0"],
    "challenge_test_list": ["assert double(-1) == -2"],
    "sanitized": {**HUMANEVAL, "test": "def check(candidate):\n    assert double(3) == 6\n"},
}  # fmt: skip
MBPP_PLUS: Row = {
    "task_id": 7, "prompt": "Write a function to double a number.", "code": "def double(x):\n    return x + x\n",
    "test_imports": ["import math"], "test_list": ["assert double(2) == 4"],
    "test": "def assertion(out, exp, atol):\n    assert out == exp, out\n\n\ninputs = [[2], [5]]\nresults = [4, 10]\n"
    "for i, (inp, exp) in enumerate(zip(inputs, results)):\n    assertion(double(*inp), exp, 0)\n",
}  # fmt: skip
BIGCODE: Row = {
    "task_id": "BigCodeBench/0", "instruct_prompt": "Write task_func(x) that doubles x.",
    "complete_prompt": 'import math\ndef task_func(x):\n    """Twice x."""\n', "canonical_solution": "    return 2 * x",
    "test": "import unittest\nclass TestCases(unittest.TestCase):\n    def test_case_1(self):\n"
    "        self.assertEqual(task_func(3), 6)\n",
}  # fmt: skip


def packed(cases: list[dict[str, str]]) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(cases)))).decode()


STDIN: Row = {
    "question_id": "1873_A", "question_content": "Print twice the number.", "starter_code": "", "metadata": "{}",
    "public_test_cases": json.dumps([{"input": "3\n", "output": "6\n", "testtype": "stdin"}]),
    "private_test_cases": packed([{"input": "-1\n", "output": "-2", "testtype": "stdin"}]),
    "canonical_solution": "print(2 * int(input()))\n",
}  # fmt: skip
METHOD: Row = {
    **STDIN, "question_id": "2785", "starter_code": "class Solution:\n    def double(self, x: int) -> int:\n        ",
    "metadata": json.dumps({"func_name": "double"}),
    "public_test_cases": json.dumps([{"input": "3", "output": "6", "testtype": "functional"}]),
    "private_test_cases": packed([{"input": "[1]", "output": "[1, 1]", "testtype": "functional"}]),
    "canonical_solution": "class Solution:\n    def double(self, x):\n        return 2 * x\n",
}  # fmt: skip
FORMS = {
    "humaneval": ("humaneval", HUMANEVAL), "humaneval_plus by inputs": ("humaneval_plus", BY_INPUTS),
    "humaneval_plus by check": ("humaneval_plus", HUMANEVAL), "mbpp": ("mbpp", MBPP), "mbpp_full": ("mbpp_full", MBPP),
    "mbpp_two": ("mbpp_two", MBPP),
    "mbpp_plus by script": ("mbpp_plus", MBPP_PLUS), "mbpp_plus by inputs": ("mbpp_plus", {**BY_INPUTS, "code": ""}),
    "bigcodebench": ("bigcodebench", BIGCODE), "livecodebench stdin": ("livecodebench", STDIN),
    "livecodebench method": ("livecodebench", METHOD),
}  # fmt: skip


def loaded(suite: str, row: Row, folder: Path) -> Any:
    save(folder, "rows.jsonl", [row])
    (problem,) = SUITES[suite].load(folder / "rows.jsonl")
    return problem


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("form", FORMS)
async def test_the_known_answer_passes_and_a_stub_a_slip_and_every_cheat_do_not(
    form: str, tmp_path: Path, warm: Sandbox
) -> None:
    suite, row = FORMS[form]
    if row.get("code") == "":
        row = {**row, "canonical_solution": row["prompt"] + row["canonical_solution"]}
    problem = loaded(suite, row, tmp_path)
    right = problem.right[0]
    slip = right.replace("2 *", "3 *").replace("x + x", "x + 2")
    assert slip != right
    given = [ProgramToGrade(problem, "slip", slip), stub(problem), *cheats(problem)]
    found = {g.answer.label: (g.right, g.error) async for g in grades(warm, given, 2)}
    assert found == {each.label: (False, "") for each in given}
    assert await is_right(warm, problem, right)


@pytest.mark.parametrize(("suite", "row"), FORMS.values(), ids=FORMS)
def test_hidden_tests_and_answers_are_not_in_the_task(suite: str, row: Row, tmp_path: Path) -> None:
    problem = loaded(suite, row, tmp_path)
    assert "2 * x" not in problem.task
    assert "-2" not in problem.task
    assert "assert " not in problem.task


@pytest.mark.parametrize(("suite", "row"), FORMS.values(), ids=FORMS)
def test_a_row_without_its_task_is_refused(suite: str, row: Row, tmp_path: Path) -> None:
    short = {name: value for name, value in row.items() if name in ("task_id", "question_id", "test", "sanitized")}
    short["sanitized"] = {"test": ""}
    with pytest.raises(BadSuite, match="a row has no field"):
        loaded(suite, short, tmp_path)


def test_a_pickle_that_is_more_than_a_text_is_refused(tmp_path: Path) -> None:
    class Harm:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "harmed",))

    evil = base64.b64encode(zlib.compress(pickle.dumps(Harm()))).decode()
    with pytest.raises(BadSuite, match="is not allowed"):
        loaded("livecodebench", {**STDIN, "private_test_cases": evil}, tmp_path)
    assert not (tmp_path / "harmed").exists()


def test_rows_come_from_the_hub_where_the_package_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []

    def load_dataset(name: str, configuration: str | None, *, split: str) -> list[Row]:
        asked.append((name, configuration, split))
        return [HUMANEVAL]

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    assert [p.id for p in SUITES["humaneval"].load(Path("hub"))] == ["HumanEval/0"]
    assert asked == [("openai/openai_humaneval", None, "test")]
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(BadSuite, match="pip install datasets"):
        SUITES["humaneval"].load(Path("hub"))


def test_the_list_tells_licence_and_contamination_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suites", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["suites"]
    assert set(told) == set(SUITES)
    assert all(entry["licence"] and entry["contaminated"] for entry in told.values())
    assert main(["suites"]) == 0
    entries = dict(zip(SUITES, capsys.readouterr().out.split("\n\n"), strict=True))
    assert "grade --suite humaneval --data humaneval.jsonl" in entries["humaneval"]
    for name, suite in SUITES.items():
        assert ("evaluation grade" in entries[name]) is suite.answers
        assert suite.data or any(problem.right for problem in suite.load(None)) is suite.answers


def test_grading_is_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(tmp_path, "humaneval.jsonl", [HUMANEVAL])
    command = ["grade", "--suite", "humaneval", "--data", str(tmp_path)]
    assert main(command) == 0
    assert "1 of 1 programs pass, 1 problems, 100.0 % [20.6, 100.0]" in capsys.readouterr().out
    assert main([*command, "--programs", "stub", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pass_at_1"] == 0.0
    row = {"task_id": "HumanEval/0", "completion": "    return x + x"}
    save(tmp_path, "mine.jsonl", [row, {**row, "completion": "    return 6"}, {**row, "completion": "    return x"}])
    assert main([*command, "--programs", str(tmp_path / "mine.jsonl"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["graded"], told["right"], told["pass_at_1"]) == (3, 2, 66.67)
    save(tmp_path, "humaneval.jsonl", [{**HUMANEVAL, "canonical_solution": "    return 5\n"}])
    assert main(command) == 1
    assert "HumanEval/0: right 1" in capsys.readouterr().out
    assert main([*command, "--programs", "nowhere"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_as_many_asserts_are_shown_as_the_suite_says_and_one_stays_hidden(tmp_path: Path) -> None:
    assert "double(0)" not in loaded("mbpp_full", MBPP, tmp_path).task
    assert loaded("mbpp_two", MBPP, tmp_path).task.endswith("For example: double(2) == 4\ndouble(0) == 0")
    save(tmp_path, "rows.jsonl", [{**MBPP, "challenge_test_list": []}])
    assert SUITES["mbpp_two"].load(tmp_path / "rows.jsonl") == []
