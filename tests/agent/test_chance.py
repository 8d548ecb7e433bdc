"""Functions that draw: an example of the task shows what one call gave, and no other call has to give it again."""

from __future__ import annotations

import pytest

from agent.runs import AgentRuns
from tests.agent.conftest import Played
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_unhelpful_models import run, usual

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

TASK = "Write dice(n), which rolls n dice at random and returns the rolls.\n\n>>> dice(2)\n[3, 5]\n"
DICE = "import random\n\n\ndef dice(n):\n    return [random.randint(1, 6) for _ in range(n)]"
OTHER = "from random import choices\n\n\ndef dice(n):\n    return choices(range(1, 7), k=n)"
TESTS = "def test_count():\n    assert len(dice(4)) == 4\n\n\ndef test_none():\n    assert dice(0) == []"


async def played(model_server: ModelServer, live_runs: AgentRuns, *programs: str, task: str = TASK) -> Played:
    def named(source: str) -> str:
        return source if "dice" in task else source.replace("dice", "odd")

    model_server.answer = lambda role, times: (
        fenced(named(programs[times % len(programs)]))
        if role == "generator"
        else fenced(named(TESTS))
        if role == "spec tester"
        else usual(role)
    )
    return await run(live_runs, task, adversary=False, valid_inputs=False)


async def test_an_example_of_a_random_function_refutes_no_program(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    found = await played(model_server, live_runs, DICE, OTHER)
    assert found.outcome["verdict"] != "failed", found.outcome["verdict_reason"]
    aside = {one["name"]: one["reason"] for one in found.outcome["evidence"]["quarantined"]}
    assert list(aside) == ["task.test_example_1"]
    assert "chance decides what dice(2) gives" in aside["task.test_example_1"]
    assert "chance decides what dice(2) gives" in found.outcome["verdict_reason"]


async def test_a_program_that_draws_where_the_task_does_not_is_refuted(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    task = TASK.replace("which rolls n dice at random and returns the rolls", "the n first odd numbers from 3 on")
    found = await played(model_server, live_runs, DICE, task=task.replace("dice", "odd"))
    assert found.outcome["verdict"] == "failed"
    assert found.outcome["evidence"]["quarantined"] == []
