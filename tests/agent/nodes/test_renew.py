"""Whole runs whose tests cannot run, whatever the program does."""

from __future__ import annotations

import json

import pytest

from agent.runs import AgentRuns
from tests.agent.conftest import Played
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_witnesses import NEVER_BREAKING, SUM_INPUTS, plays, run, then

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

TASK = "Write best_sum(numbers): the largest sum of a contiguous part. best_sum([1, -2, 3]) == 3, best_sum([-1]) == -1."
RIGHT = "def test_one():\n    assert best_sum([4]) == 4\n"
ATTACK = """
def test_property_itself():
    assert all(best_sum([n]) == n for n in range(-3, 4))

def test_both():
    assert best_sum([1, -1]) == 1
"""
TRIED = json.dumps({"inputs": ["best_sum([1, -1])"]})


def roles(server: ModelServer) -> list[str]:
    return [role for role, _ in server.prompts]


async def ran(server: ModelServer, live_runs: AgentRuns, *suites: str, attack: str = ATTACK) -> Played:
    plays(server, generator=NEVER_BREAKING, input_writer=SUM_INPUTS)
    then(server, "adversarial tester", f"{TRIED}\n{fenced(attack)}")
    then(server, "spec tester", *map(fenced, suites))
    return await run(live_runs, TASK, reference=False)


UNUSABLE = {
    "from solution import best_sum, my_helper": "cannot import name 'my_helper' from 'solution'",
    "from collections import Foo": "cannot import name 'Foo' from 'collections'",
    "DATA = open('nothing.csv').read()": "No such file or directory: 'nothing.csv'",
    "EXPECTED = approx(4.0)": "name 'approx' is not defined",
}


@pytest.mark.parametrize(("header", "told"), UNUSABLE.items())
async def test_a_suite_that_does_not_load_is_asked_for_once_more(
    model_server: ModelServer, live_runs: AgentRuns, header: str, told: str
) -> None:
    played = await ran(model_server, live_runs, f"{header}\n\n{RIGHT}", RIGHT)
    assert roles(model_server).count("generator") == 1, "no second program is paid for"
    assert roles(model_server).count("spec tester") == 2
    assert told in [words for role, words in model_server.prompts if role == "spec tester"][1]
    assert played.outcome["verdict"] == "verified", played.outcome["verdict_reason"]
    assert played.outcome["evidence"]["quarantined"] == []
    assert "spec:2.test_one" in [check["name"] for check in played.outcome["evidence"]["checks"]]


async def test_a_suite_that_does_not_load_twice_is_dropped(model_server: ModelServer, live_runs: AgentRuns) -> None:
    broken = f"from solution import my_helper\n\n{RIGHT}"
    played = await ran(model_server, live_runs, broken)
    assert roles(model_server).count("spec tester") == 2
    assert roles(model_server).count("generator") == 1
    origins = {check["origin"] for check in played.outcome["evidence"]["checks"]}
    assert (origins, played.outcome["evidence"]["quarantined"]) == ({"task", "adversary"}, [])
    assert "my_helper" not in played.outcome["tests"]
    assert any("spec:2 was dropped" in told for told in played.outcome["evidence"]["assumptions"])


async def test_a_single_check_that_uses_what_nobody_has_goes_and_the_others_stay(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    lacking = f"{RIGHT}\ndef test_near():\n    assert best_sum([4]) == approx(4.0)\n"
    attack = f"{ATTACK}\ndef test_property_root():\n    assert best_sum([4]) == approx(4.0)\n"
    played = await ran(model_server, live_runs, lacking, attack=attack)
    assert roles(model_server).count("generator") == 1
    kept = [check["name"] for check in played.outcome["evidence"]["checks"] if check["origin"] != "task"]
    assert kept == ["spec:2.test_one", "adversary:1.test_property_itself", "adversary:1.test_both"]
    told = " ".join(played.outcome["evidence"]["assumptions"])
    assert "some tests of spec:2 were taken away: they cannot run" in told
    assert "some tests of adversary:1 were taken away: they cannot run" in told
    assert played.outcome["verdict"] == "verified", played.outcome["verdict_reason"]


async def test_a_suite_that_imports_what_the_task_names_stays_and_the_program_is_repaired(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    task = f"{TASK} Also define TooShort, an exception."
    plays(model_server, generator=NEVER_BREAKING, input_writer=SUM_INPUTS)
    then(model_server, "spec tester", fenced(f"from solution import TooShort\n\n{RIGHT}"))
    played = await run(live_runs, task, reference=False, budget_calls=8)
    assert "renew_tests" not in played.boxes()
    assert roles(model_server).count("spec tester") == 1
