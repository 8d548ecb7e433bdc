"""Of each check the sandbox tells what plain pytest tells, for ordinary programs, right and wrong, in each mode."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from sandbox import Execution, Limits, LocalSandbox, Program
from tests.sandbox.differential import plain
from tests.sandbox.differential.corpus import Case, cases

LIMITS = Limits(timeout=5)
MODES = ("inprocess", "split", "auto")


LIBRARY_OBJECTS = ("plot_figures", "sets_and_dicts")
"""Suites whose programs hold functions only and return objects that compare by a library's special methods."""
SPLIT_ONLY = ("doctest", "pickle", "__annotations__", "reload", "hide Python's own")
"""Words of the reasons for which even a program of functions only cannot be confirmed: the tests look at it in a way
that holds within one process only, or take its names for Python's own."""


@cache
def exceptions() -> dict[str, dict[str, list[str]]]:
    """`differences`: why -> `modes: case`, to be mended. `apart`: why -> cases that differ in split only, for two
    processes cannot do what their tests do. `unconfirmed`: why -> right programs whose pass cannot be confirmed."""
    return yaml.safe_load((Path(__file__).parent / "exceptions.yaml").read_text("utf-8"))


def reason_for(case: Case, mode: str, kind: str) -> str:
    """Why an exception is made of this case; empty where none is."""
    for why, listed in (exceptions()[kind] or {}).items():
        for entry in listed:
            modes, _, name = entry.partition(": ") if kind == "differences" else (mode, "", entry)
            if mode in modes.split() and name in (case.id, case.suite):
                return why
    return ""


def difference(case: Case, mode: str) -> str:
    """Why a case is known to differ in this mode; empty where it must not."""
    return reason_for(case, mode, "differences") or (reason_for(case, mode, "apart") if mode == "split" else "")


def pairs(quick: bool) -> list[object]:
    """Every case in every mode; a right program's run in auto is one in each of the others, and both must pass."""
    made: list[object] = []
    for case in cases():
        for mode in MODES:
            if quick != (not case.slow and (mode == "auto" or (mode == "split" and not case.is_right))):
                continue
            why = difference(case, mode)
            marks = [pytest.mark.xfail(reason=why, strict=True)] if why else []
            made.append(pytest.param(case, mode, id=f"{mode}-{case.id}", marks=marks))
    return made


async def agrees(sandbox: LocalSandbox, case: Case, mode: str) -> None:
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
    assert seen.passed == (set(checks.values()) == {"pass"}), (seen.status, seen.error)
    if mode == "auto" and case.is_right and seen.passed:
        _is_confirmed(case, seen)


def _is_confirmed(case: Case, seen: Execution) -> None:
    why = reason_for(case, "auto", "unconfirmed")
    excused = case.suite in LIBRARY_OBJECTS or any(word in why for word in SPLIT_ONLY)
    assert excused or not (why and case.only_functions), why
    assert (seen.confirmed, seen.unconfirmed_reason) == (not why, why)


@pytest.mark.differential
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("case", "mode"), pairs(quick=True))
async def test_every_check_ends_as_in_plain_pytest(sandbox: LocalSandbox, case: Case, mode: str) -> None:
    await agrees(sandbox, case, mode)


@pytest.mark.differential
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("case", "mode"), pairs(quick=False))
async def test_the_slow_ones_and_each_mode_alone_too(sandbox: LocalSandbox, case: Case, mode: str) -> None:
    await agrees(sandbox, case, mode)


@pytest.mark.differential
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_kept_outcomes_are_what_plain_pytest_says(case: Case) -> None:
    assert plain.run(case) == plain.outcome(case)


def test_right_programs_pass_and_wrong_ones_do_not() -> None:
    for case in cases():
        fine = set(plain.outcome(case).values()) <= {"pass", "skip"}
        assert fine == case.is_right, case.id


def test_every_exception_is_of_a_case_that_is_there() -> None:
    known = {name for case in cases() for name in (case.id, case.suite)}
    listed = [name for kind in ("unconfirmed", "apart") for why in (exceptions()[kind] or {}).values() for name in why]
    listed += [name.partition(": ")[2] for why in (exceptions()["differences"] or {}).values() for name in why]
    assert set(listed) <= known
