"""The alarm for repairs that fit only what they were shown."""

from __future__ import annotations

import pytest

from agent.trust import overfit, verdict

from .build import anchor, check, facts, program

CHECKS = [anchor(), check("a"), check("b"), check("h", held_out=True), check("i", held_out=True)]


@pytest.mark.parametrize(("letters", "alarm"), [("PPPFF", True), ("PPPFP", True), ("PPPPP", False), ("PFFFF", False)])
def test_a_repair_that_passes_what_it_saw_and_fails_what_was_held_out_raises_it(letters: str, alarm: bool) -> None:
    given = facts(CHECKS, [program("c1", "FFFFF", CHECKS), program("c2", letters, CHECKS, root="c1", kind="repair")])
    assert bool(overfit(given, "c2")) is alarm


def test_a_first_attempt_saw_nothing_and_raises_none() -> None:
    assert overfit(facts(CHECKS, [program("c1", "PPPFF", CHECKS)]), "c1") == ""


def test_without_held_out_checks_there_is_nothing_to_compare() -> None:
    assert overfit(facts(CHECKS[:3], [program("c1", "PPP", CHECKS[:3], kind="repair")]), "c1") == ""


def test_the_alarm_is_a_reason_of_the_verdict() -> None:
    given = facts(CHECKS, [program("c1", "PPPFF", CHECKS, kind="repair")])
    found = verdict(given, confirmed=True)
    assert found.word == "partly_verified"
    assert "overfit alarm: it passes 2 of 2 checks that repairs may see, and 0 of 2 held out" in found.reasons
