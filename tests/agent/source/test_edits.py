"""SEARCH/REPLACE edits fit exactly, fit but for white space, or are refused."""

from __future__ import annotations

import pytest

from agent.source.edits import CannotApply, apply_edits

PROGRAM = "def f(x):\n    if x > 1:\n        return x\n    return 0\n\n\ndef g(x):\n    return x\n"


def edit(search: str, replace: str) -> str:
    return f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


def test_an_exact_edit_changes_only_its_place() -> None:
    assert apply_edits(PROGRAM, edit("    if x > 1:", "    if x >= 1:")) == PROGRAM.replace("> 1", ">= 1")


def test_an_edit_that_lost_its_indentation_gets_it_back() -> None:
    changed = apply_edits(PROGRAM, edit("if x > 1:\n    return x", "if x > 2:\n    return -x"))
    assert "    if x > 2:\n        return -x\n" in changed


def test_several_edits_are_applied_in_order() -> None:
    changed = apply_edits(PROGRAM, edit("    return 0", "    return 1") + edit("    return 1", "    return 2"))
    assert "return 2" in changed


@pytest.mark.parametrize(
    "edits",
    [
        edit("    nothing like this", "    x"),
        edit("return x", "return 1"),
        edit("", "x = 1"),
        edit("    if x > 1:", "    if x >:"),
        "no edit at all",
    ],
)
def test_an_edit_that_does_not_fit_is_refused(edits: str) -> None:
    with pytest.raises(CannotApply):
        apply_edits(PROGRAM, edits)
