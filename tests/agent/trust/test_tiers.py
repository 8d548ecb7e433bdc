"""How far a check is trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from agent.counting.counted import facts_of
from agent.state import AgentState, Check, Origin, Suite, Task
from agent.trust import tiers

from .build import anchor, check, facts, program


def test_what_the_person_or_the_task_states_is_t0_even_before_any_program_exists() -> None:
    assert tiers(facts([anchor()], []))["t0"] == "T0"


def test_a_check_of_one_suite_stays_t2_however_many_programs_pass_it() -> None:
    checks = [anchor(), check("a")]
    assert tiers(facts(checks, [program(f"c{i}", "PP", checks) for i in range(3)]))["a"] == "T2"


def test_a_check_that_two_suites_state_is_confirmed_by_a_program_that_passes_the_anchors() -> None:
    checks = [anchor(), check("a", votes=2)]
    assert tiers(facts(checks, [program("c1", "PP", checks)]))["a"] == "T1"
    assert tiers(facts(checks, [program("c1", "FP", checks)]))["a"] == "T2"


def test_a_property_counts_only_once_it_has_killed_a_mutant() -> None:
    def with_kills(kills: int) -> str:
        checks = [anchor(), check("a", "adversary", is_property=True, kills=kills)]
        return tiers(facts(checks, [program("c1", "PP", checks)]))["a"]

    assert (with_kills(0), with_kills(1)) == ("T2", "T1")


def test_the_program_that_its_author_saw_cannot_confirm_a_check_nor_can_its_repairs() -> None:
    checks = [anchor(), check("a", "adversary", is_property=True, kills=1, against="c1")]
    family = [program("c1", "PP", checks), program("c2", "PP", checks, root="c1", kind="repair")]
    assert tiers(facts(checks, family))["a"] == "T2"
    assert tiers(facts(checks, [*family, program("c3", "PP", checks)]))["a"] == "T1"


def test_a_check_that_was_found_wrong_is_no_longer_trusted() -> None:
    checks = [anchor(), check("a", votes=3)]
    ruled = [checks[0], replace(checks[1], ruling="test")]
    assert tiers(facts(ruled, [program("c1", "PP", checks)]))["a"] == "T2"


@pytest.mark.parametrize("origin", get_args(Origin))
def test_only_what_a_person_stands_behind_is_an_anchor(origin: Origin) -> None:
    one = Check(f"{origin}.a", "a", origin, "def a():\n    assert f(1) == 2", "f(1)", "2")
    state = AgentState(task=Task("Write f(n)."), suites=[Suite(origin, origin, "", (one,))])
    (told,) = facts_of(state).checks
    assert told.anchor == (origin in ("person", "task", "answer", "symptom"))
