"""The calibrated chance that a verdict carries, and when it carries none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.examples.types import Brief, TaskKind
from agent.nodes.conclude import _chance
from agent.state import AgentState, Task
from agent.trust import Grounds, Verdict, chance

GROUNDS = Grounds(True, False, examples=2, checks=4, agrees=False, differs=False, disputed=False)
VERIFIED = Verdict("verified", ("all pass",), None, GROUNDS)


def state(kind: TaskKind = "function", code: str | None = None) -> AgentState:
    return AgentState(task=Task("Write f", code=code), brief=Brief(kind, hard=False, entry_point="f", signature=None))


def test_a_function_written_from_a_text_has_the_chance_of_its_kind_of_evidence() -> None:
    found = _chance(state(), VERIFIED, repeated=True)
    assert found is not None
    assert 0.8 < found.low < found.value < found.high
    assert found.source.startswith("examples pass, further checks pass: ")


@pytest.mark.parametrize("kind", ["class", "program", "data", "fix"])
def test_other_kinds_of_tasks_have_none(kind: TaskKind) -> None:
    assert _chance(state(kind), VERIFIED, repeated=True) is None


def test_given_code_an_unrepeated_pass_and_no_evidence_have_none() -> None:
    assert _chance(state(code="def f(): ..."), VERIFIED, repeated=True) is None
    assert _chance(state(), VERIFIED, repeated=False) is None
    assert _chance(state(), replace(VERIFIED, grounds=None), repeated=True) is None


def test_a_failed_program_needs_no_repeated_pass() -> None:
    failed = replace(VERIFIED, word="failed", grounds=replace(GROUNDS, failed=True))
    found = _chance(state(), failed, repeated=False)
    assert found is not None
    assert found.high < 0.5


def test_evidence_that_too_few_stored_runs_had_has_none() -> None:
    assert chance(replace(GROUNDS, differs=True)) is None


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"failed": True}, "a trusted check fails"),
        ({}, "examples pass, further checks pass"),
        ({"examples": 0}, "no example, further checks pass"),
        ({"examples": 1, "few": True}, "one example passes, further checks pass"),
        ({"examples": 0, "few": True, "checks": 0}, "no example"),
        ({"checks": 0, "agrees": True}, "examples pass, another program agrees"),
        ({"agrees": True, "differs": True}, "examples pass, further checks pass, another program differs"),
        ({"checks": 0, "disputed": True}, "examples pass, with a dispute"),
    ],
)
def test_the_kind_of_evidence_in_words(more: dict[str, Any], kind: str) -> None:
    assert replace(GROUNDS, **more).kind == kind


@pytest.mark.parametrize(("least", "agrees", "enough"), [(4, False, True), (5, False, False), (5, True, True)])
def test_so_many_checks_or_a_program_that_agrees_are_enough(least: int, *, agrees: bool, enough: bool) -> None:
    assert replace(GROUNDS, agrees=agrees).reaches(least) is enough
