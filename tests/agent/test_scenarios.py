"""Every scenario of the demo model, through the real graph and sandbox; what it returns is executed once more here."""

from __future__ import annotations

import pytest

from agent.cli.commands import task_of
from agent.source.files import placed
from llm.scenarios import Scenario, list_scenarios
from sandbox.types import Program, Sandbox
from tests.agent.conftest import Play

SCENARIOS = list_scenarios()
QUICK = {
    *("slugify", "first_primes", "tests_for_code", "explain_code"),
    *("salary_by_department", "wrong_test", "lru_cache"),
}
"""One of each kind that takes little; the others are slow tests."""
CASES = [pytest.param(one, id=one.name, marks=() if one.name in QUICK else pytest.mark.slow) for one in SCENARIOS]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("scenario", CASES)
async def test_a_scenario_ends_as_it_says(scenario: Scenario, play: Play, sandbox: Sandbox) -> None:
    played = await play(task_of(scenario), provider="mock")
    outcome = played.outcome
    assert outcome["verdict"] == scenario.expect["verdict"], outcome["verdict_reason"]
    assert outcome["scripted"] == "scripted demo model"
    if (chance := outcome["evidence"]["chance"]) is not None:
        assert chance["low"] < chance["value"] < chance["high"]
        assert "runs on" in chance["source"]
    first = played.of("checks_ran")[0]
    set_aside = {entry["name"] for entry in outcome["evidence"]["quarantined"]}
    failing = [key for key, word in first.outcomes.items() if word != "pass" and key not in set_aside]
    failing = failing or (not first.outcomes and (first.status != "ok" or bool(first.error)))
    assert bool(failing) == scenario.expect["first_fails"]
    if outcome["tests"]:
        again = await sandbox.run(placed(Program(solution=outcome["code"], tests=outcome["tests"])))
        found = {check.status for check in again.checks}
        assert found <= {"pass", "skipped"} or scenario.expect["verdict"] == "failed", again.error
        left_out = [check for check in again.checks if check.status == "skipped"]
        assert len(left_out) == len(set_aside), "what was set aside stands there, skipped with its reason"
        assert all("set aside" in check.message for check in left_out)


def test_there_are_at_least_twelve_and_each_is_listed_once() -> None:
    assert len(SCENARIOS) >= 12
    assert (
        len({scenario.name for scenario in SCENARIOS})
        == len({scenario.task for scenario in SCENARIOS})
        == len(SCENARIOS)
    )
