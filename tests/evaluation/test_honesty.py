"""A model that is wrong must not be believed, and a wrong test must not make a right program wrong: the real graph on
recordings made for the purpose."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.harness import Choice
from evaluation.recorded.recordings import open_recordings
from evaluation.suites import Problem
from evaluation.suites.problem import graded_by_check
from tests.evaluation.conftest import Play
from tests.llm.recorded import ALSO_RIGHT, ASSERTS, FALSE, FAMILY, HIDDEN, PROMPT, RIGHT, SUITES, write

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

PLANTED = dict.fromkeys(SUITES, (*ASSERTS, FALSE))
PROBLEM = Problem("HumanEval/4", PROMPT, graded_by_check(HIDDEN, "count_vowels"))
TO_PLEASE = [
    f"def count_vowels(text):\n    return {{'banana': 4, '': 0, 'xyz': 0, 'aeiou': 5}}.get(text, {other})"
    for other in (7, -1, 0, 99)
]
"""They satisfy every test of the suite, the planted one too, at the cost of the task's own example."""
QUICK = {"mutation_seconds": 0}
NO_EXAMPLE = PROMPT.replace("    >>> count_vowels('hello')\n    2\n", "")


def choice(folder: Path, first: str | None = None, accuracy: float = 1.0) -> Choice:
    """The first seed whose order begins with the program `first`."""
    recording = open_recordings(str(folder)).tasks[0]
    seeds = (seed for seed in range(1000) if first is None or recording.order(FAMILY, seed)[0].code == first)
    options = {"replay": {"data": str(folder), "accuracy": accuracy}}
    return Choice("replay", FAMILY, seeded=True, seed=next(seeds), config=QUICK, options=options)


@pytest.mark.parametrize("accuracy", [1.0, 0.0])
async def test_a_planted_wrong_test_is_not_satisfied_at_the_cost_of_an_example(
    play: Play, tmp_path: Path, accuracy: float
) -> None:
    data = write(tmp_path / "data", [RIGHT, *TO_PLEASE], PLANTED, wrong=TO_PLEASE)
    trial = await play(PROBLEM, choice(data, RIGHT, accuracy))
    assert trial.error == ""
    assert trial.first_correct
    assert trial.final_correct, trial.reason


@pytest.mark.parametrize("accuracy", [1.0, 0.0])
async def test_a_planted_wrong_test_is_set_aside_once_independent_programs_agree(
    play: Play, tmp_path: Path, accuracy: float
) -> None:
    data = write(tmp_path / "data", [RIGHT, ALSO_RIGHT], PLANTED)
    trial = await play(PROBLEM, choice(data, accuracy=accuracy))
    assert (trial.verdict, trial.final_correct, trial.quarantined) == ("verified", True, 1), trial.reason


@pytest.mark.parametrize("prompt", [PROMPT, NO_EXAMPLE], ids=["with an example", "without"])
async def test_an_always_wrong_model_is_never_accepted(play: Play, tmp_path: Path, prompt: str) -> None:
    wrong = [f"def count_vowels(text):\n    return len(text) + {extra}" for extra in (1, 2, 3, 4, 5)]
    data = write(tmp_path / "data", wrong, prompt=prompt, wrong=wrong)
    for seed in range(2):
        trial = await play(
            Problem("x", prompt, PROBLEM.hidden),
            Choice("replay", f"{FAMILY}@{seed}", config=QUICK, options={"replay": {"data": str(data)}}),
        )
        assert trial.error == ""
        assert trial.verdict in ("failed", "unverified"), trial.reason
        assert not trial.any_correct


async def test_an_always_crashing_model_ends_honestly(play: Play, tmp_path: Path) -> None:
    crashing = [f"def count_vowels(text):\n    raise {name}()" for name in ("KeyError", "OSError", "TypeError")]
    crashing += ["import no_such_module", "def count_vowels(text):\n    return count_vowels(text)"]
    data = write(tmp_path / "data", crashing, wrong=crashing)
    trial = await play(PROBLEM, choice(data))
    # Of one that imports what nobody has installed nothing was run, so that nothing failed.
    assert trial.verdict in ("failed", "unverified"), trial.reason
    assert (trial.error, trial.any_correct) == ("", False)
    assert trial.attempts <= len(crashing)


async def test_a_model_without_any_program_ends_honestly(play: Play, tmp_path: Path) -> None:
    data = write(tmp_path / "data", ["def broken(:"])
    trial = await play(PROBLEM, choice(data))
    assert (trial.verdict, trial.error, trial.attempts) == ("failed", "", 0)
    assert "no program was written" in trial.reason
