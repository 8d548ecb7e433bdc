"""Of each check the sandbox tells what plain pytest tells, for ordinary programs, right and wrong, in each mode.

There is one exception, which no suite here shows: a function of the program that is named like a test is a check for
plain pytest after a star import, and none here. What the walls refuse, `test_refused.py` shows; why some passes cannot
be confirmed, stands in `unconfirmed.yaml`. CI runs every program in mode auto and each sixth one in the others; `make
corpus` runs the rest.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox import Execution, Limits, LocalSandbox, Mode, Program
from tests.sandbox.differential import plain
from tests.sandbox.differential.corpus import Case, cases

LIMITS = Limits(timeout=5)
MODES = ("inprocess", "split", "auto")


LIBRARY_OBJECTS = (
    "plot_figures",
    "sets_and_dicts",
    "functions_given_to_libraries",
    "open_files_of_the_tests",
    "masked_arrays",
    "numpy_structured",
    "records_of_libraries",
)
"""Suites whose programs hold functions only and return objects that compare by a library's special methods."""
RACES = ("waiting_among_threads",)
"""Suites whose threads race one another into the program: whether two processes can follow is up to the scheduler, and
with it whether a pass is confirmed, or not for this one reason; how each check ends is not."""
OWN_THREAD = "the tests call the program from a thread of their own"
SPLIT_ONLY = (
    "code that is not the suite's own",
    "doctest",
    "getsource",
    "pickle",
    "__annotations__",
    "reload",
    "hide Python's own",
    "a thread of their own",
    "current_thread",
    "copy_context",
    "a comparison by is",
    "a check was skipped",
)
"""Words of the reasons for which even a program of functions only cannot be confirmed: the tests look at it in a way
that holds within one process only, or take its names for Python's own."""


@cache
def unconfirmed() -> dict[str, str]:
    """Right program -> why its pass cannot be confirmed."""
    listed: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "unconfirmed.yaml").read_text("utf-8"))
    return {f"{suite}: right": why for why, suites in listed.items() for suite in suites}


def shared(*modes: str) -> list[Any]:
    """Every case in each of these modes, marked for CI or for the whole corpus."""
    return [
        pytest.param(case, mode, id=f"{case.id}-{mode}", marks=getattr(pytest.mark, _when(number, mode)))
        for number, case in enumerate(cases())
        for mode in modes
    ]


def _when(number: int, mode: str) -> str:
    return "differential" if mode == "auto" or number % 6 == 0 else "corpus"


async def agrees(sandbox: LocalSandbox, case: Case, mode: Mode) -> None:
    expected = plain.outcome(case)
    program = Program(
        solution=case.solution, package=case.package, tests=case.tests, files=case.files, mode=mode, limits=LIMITS
    )
    seen = await sandbox.run(program)
    checks = {check.name: "skip" if check.status.startswith("skip") else check.status for check in seen.checks}
    if plain.COLLECTION in expected:
        assert (seen.passed, "pass" in checks.values()) == (False, False), seen
        return
    assert list(checks.items()) == list(expected.items()), (seen.error, {c.name: c.message for c in seen.checks})
    assert seen.passed == ("pass" in checks.values() and set(checks.values()) <= {"pass", "skip"}), seen
    if mode == "auto" and case.is_right and seen.passed:
        _is_confirmed(case, seen)


def _is_confirmed(case: Case, seen: Execution) -> None:
    if case.suite in RACES:
        assert seen.confirmed or seen.unconfirmed_reason == OWN_THREAD
        return
    why = unconfirmed().get(case.id, "")
    excused = case.suite in LIBRARY_OBJECTS or any(word in why for word in SPLIT_ONLY)
    assert excused or not (why and case.only_functions), why
    assert (seen.confirmed, seen.unconfirmed_reason) == (not why, why)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("case", "mode"), shared(*MODES))
async def test_every_check_ends_as_in_plain_pytest(sandbox: LocalSandbox, case: Case, mode: Mode) -> None:
    await agrees(sandbox, case, mode)


@pytest.mark.parametrize(("case", "mode"), shared("plain"))
def test_the_kept_outcomes_are_what_plain_pytest_says(case: Case, mode: Mode) -> None:
    assert plain.run(case) == plain.outcome(case)


def test_right_programs_pass_and_wrong_ones_do_not() -> None:
    for case in cases():
        fine = set(plain.outcome(case).values()) <= {"pass", "skip"}
        assert fine == case.is_right, case.id


def test_every_reason_is_of_a_case_that_is_there() -> None:
    assert set(unconfirmed()) <= {case.id for case in cases()}
