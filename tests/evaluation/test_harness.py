"""Trials are graded by hidden tests that the agent never sees, whatever the agent says about itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.arms import config_of
from evaluation.grading import is_right
from evaluation.harness import Choice
from evaluation.suites import SUITES, Problem
from sandbox.types import Sandbox
from tests.evaluation.conftest import Play

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCENARIOS = {problem.id: problem for problem in SUITES["scenarios"].load(None)}
MOCK = Choice("mock", config={"mutation_seconds": 0})


@pytest.mark.slow
async def test_a_program_that_passes_the_agents_checks_but_not_the_hidden_ones_is_wrong(play: Play) -> None:
    stricter = replace(SCENARIOS["slugify"], hidden="def test_hidden():\n    assert slugify('a') == 'never'")
    trial = await play(stricter, MOCK)
    assert trial.verdict == "verified"
    assert (trial.first_correct, trial.final_correct, trial.any_correct) == (False, False, False)
    assert (await play(SCENARIOS["slugify"], MOCK)).final_correct is True


@pytest.mark.slow
async def test_a_healed_program_is_told_from_its_wrong_first_attempt(play: Play) -> None:
    trial = await play(SCENARIOS["roman_numerals"], MOCK)
    assert (trial.first_correct, trial.final_correct) == (False, True)
    assert trial.attempts > 1
    assert trial.calls > 3
    assert trial.reason


@pytest.mark.slow
async def test_the_baseline_returns_the_first_program(play: Play) -> None:
    trial = await play(SCENARIOS["roman_numerals"], replace(MOCK, config=config_of("one_shot", None)))
    assert trial.attempts == 1
    assert trial.final_correct is trial.first_correct is False


async def test_hidden_tests_are_found_nowhere_in_what_the_run_stored(play: Play, state_dir: Path) -> None:
    hidden = "def test_hidden():\n    assert slugify('HIDDEN-CANARY') == 'hidden-canary'"
    trial = await play(replace(SCENARIOS["slugify"], hidden=hidden), MOCK)
    assert trial.final_correct
    assert "HIDDEN-CANARY" not in stored_bytes(state_dir)
    assert "slugify" in stored_bytes(state_dir), "what the run stored is read at all"


async def test_a_task_without_a_scenario_is_an_error_and_not_a_wrong_answer(play: Play) -> None:
    trial = await play(Problem("x", "Reverse a string.", "def test_hidden():\n    assert True"), MOCK)
    assert "scripted demo model" in trial.error
    assert trial.verdict == ""


def stored_bytes(folder: Path) -> str:
    return "".join(path.read_bytes().decode("latin-1") for path in folder.rglob("*") if path.is_file())


HIDDEN = "def check(candidate):\n    assert candidate(2) == 4\n\n\ndef test_hidden():\n    check(square)"


@pytest.mark.parametrize(
    ("code", "right"),
    [
        ("def square(x):\n    return x * x", True),
        ("def square(x):\n    return x", False),
        ("import os\nos._exit(0)", False),
        ("def square(x):\n    raise SystemExit(0)", False),
        ("def check(candidate):\n    pass\ndef square(x):\n    return 0", False),
        ("class Any:\n    def __eq__(self, other):\n        return True\ndef square(x):\n    return Any()", False),
        ("def square(x):\n    return 0\ndef test_hidden():\n    assert True", False),
        ("print('1 passed')\ndef square(x):\n    return 0", False),
        ("square = 4", False),
        ("def square(x:", False),
        ("", False),
    ],
)
async def test_grading_is_not_talked_into_a_pass(warm: Sandbox, code: str, right: bool) -> None:
    assert await is_right(warm, Problem("square", "Square a number.", HIDDEN), code) is right


async def test_problems_survive_the_way_to_a_worker() -> None:
    problem = replace(SCENARIOS["lru_cache"], code="x = 1", files={"data.bin": bytes(range(256))})
    assert Problem.from_json(problem.as_json()) == problem
