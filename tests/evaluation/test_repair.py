"""Every bug is real: the repaired program passes its hidden tests, the unchanged one and cheats do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.cheats import cheats, stub
from evaluation.grading import ProgramToGrade, grades
from evaluation.suites import SUITES, BadSuite, Problem
from sandbox.types import Sandbox

PROBLEMS = SUITES["repair"].load(None)
BUGS = {problem.id.partition("/")[0]: problem for problem in PROBLEMS}


def test_sixty_bugs_are_told_in_six_ways() -> None:
    assert len(BUGS) >= 60
    assert len(PROBLEMS) == 6 * len(BUGS)
    assert len({problem.task for problem in PROBLEMS}) == len(PROBLEMS)


def test_a_report_says_what_happens() -> None:
    told = {problem.id: problem.task for problem in PROBLEMS}
    assert "median([1, 2, 3, 10]) gives 6.5, but it should give 2.5" in told["median/plain"]
    assert "initials('ada  lovelace') raises IndexError" in told["initials/symptom"]
    assert "expected: 2.5" in told["median/log"]
    assert "6.5" not in told["median/vague"]


async def unlike(sandbox: Sandbox, problems: list[Problem]) -> list[str]:
    """Problems whose mended program fails, or whose unchanged one, stub or cheat passes."""
    claims = [(ProgramToGrade(p, p.id, p.right[0]), True) for p in problems]
    claims += [(ProgramToGrade(p, f"{p.id} unchanged", p.code or ""), False) for p in problems]
    claims += [(cheat, False) for p in problems for cheat in (stub(p), *cheats(p))]
    found = [grade async for grade in grades(sandbox, [answer for answer, _ in claims], 2)]
    return [g.answer.label for g, (_, right) in zip(found, claims, strict=True) if g.error or g.right is not right]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    "bugs",
    [
        pytest.param([*BUGS.values()][::4], marks=pytest.mark.slow, id="a quarter"),
        pytest.param([*BUGS.values()], marks=pytest.mark.corpus, id="all"),
    ],
)
async def test_repaired_programs_pass_and_unchanged_ones_do_not(bugs: list[Problem], warm: Sandbox) -> None:
    assert await unlike(warm, bugs) == []


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("bug", [pytest.param(BUGS["initials"]), pytest.param(BUGS["cents"])], ids=lambda p: p.id)
async def test_a_program_for_the_reported_call_alone_fails(bug: Problem, warm: Sandbox) -> None:
    name = bug.id.partition("/")[0]
    cheat = f"def {name}(x):\n    return {{'ada  lovelace': 'AL', 19.99: 1999}}[x]\n"
    found = [grade async for grade in grades(warm, [ProgramToGrade(bug, "cheat", cheat)], 1)]
    assert not found[0].right


def test_a_repair_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bugs.yaml"
    bug = {"name": "f", "wants": "w", "code": "x", "call": "f()", "does": "1", "right": "2", "checks": []}
    path.write_text(json.dumps({"reports": {"a": "{call}"}, "bugs": [{**bug, "repair": ["y", "z"]}]}))
    with pytest.raises(BadSuite, match="f: the text to repair stands 0 times"):
        SUITES["repair"].load(path)
    path.write_text(json.dumps({"reports": {}, "bugs": [bug]}))
    with pytest.raises(BadSuite, match="'repair'"):
        SUITES["repair"].load(path)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of two programs, in the form of the real one."""
    wrong = "def gcd(a, b):\n    if b == 0:\n        return a\n    return gcd(a % b, b)\n"
    words = '\n"""\nInput:\n    a: A nonnegative int\n"""\n'
    pairs = {
        "gcd": (wrong + words, wrong.replace("a % b, b", "b, a % b"), [[[17, 0], 17], [[13, 13], 13], [[37, 600], 1]]),
        "upto": (
            "def upto(n):\n    yield from range(n)\n", "def upto(n):\n    yield from range(n + 1)\n", [[2, [0, 1, 2]]]
        ),
    }  # fmt: skip
    for name, (broken, mended, cases) in pairs.items():
        for folder, text in (("python_programs", broken), ("correct_python_programs", mended)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"{name}.py").write_text(text)
        (tmp_path / "json_testcases").mkdir(exist_ok=True)
        (tmp_path / "json_testcases" / f"{name}.json").write_text("\n".join(map(json.dumps, cases)))
    return tmp_path


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_a_checkout_of_quixbugs(checkout: Path, warm: Sandbox) -> None:
    problems = SUITES["quixbugs"].load(checkout)
    assert [problem.id for problem in problems] == ["gcd", "upto"]
    assert "Input:" in problems[0].task
    assert "Input:" not in (problems[0].code or "")
    assert await unlike(warm, problems) == []


def test_a_checkout_that_lacks_a_program_is_named(checkout: Path) -> None:
    (checkout / "correct_python_programs" / "gcd.py").unlink()
    with pytest.raises(BadSuite, match=r"gcd\.py cannot be read"):
        SUITES["quixbugs"].load(checkout)
    with pytest.raises(BadSuite, match="holds no json_testcases"):
        SUITES["quixbugs"].load(checkout / "python_programs")
