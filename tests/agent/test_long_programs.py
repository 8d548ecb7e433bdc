"""A program too long for a model's window is repaired by the parts that matter, and comes back whole."""

from __future__ import annotations

import json

import pytest

from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from tests.agent.conftest import follow
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_unhelpful_models import DIAGNOSIS

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]
MANY = "".join(f"def unused_{n}(x):\n    return x + {n}\n\n\n" for n in range(2200))
BROKEN = "def wanted(x):\n    return x * 3\n"
FIXED = "def wanted(x):\n    return x * 2\n"
QUICK = {"mutation_seconds": 0, "adversary": False, "critic": False, "spec_tests": False, "independent_attempts": 0}


async def test_a_program_longer_than_a_prompt_is_repaired(model_server: ModelServer, live_runs: AgentRuns) -> None:
    code = MANY + BROKEN
    assert len(code) > 80_000, "more than the prompt of any role may hold"
    model_server.answer = lambda role, times: DIAGNOSIS if role == "debugger" else fenced(FIXED)
    task = Task("Fix this: wanted(2) should return 4 but returns 6.", code=code)
    played = await follow(live_runs, await live_runs.begin(Order(task, QUICK)))
    assert played.report.error is None
    told = dict(model_server.prompts)
    assert "def wanted(x):" in told["debugger"]
    assert "def wanted(x):" in told["generator"]
    assert all(len(words) < 60_000 for words in told.values())
    assert played.outcome["code"] == MANY + FIXED
    assert "too small" not in json.dumps(played.outcome)
