"""What each role was told and answered can be read later, without secrets, or is not kept at all."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agent.cli.show import run, stored
from agent.events.transcript import as_text
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from framework.errors import UnknownRun
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

pytestmark = pytest.mark.asyncio(loop_scope="session")
KEY = "sk-canary-0123456789abcdef"
TASK = f"Write f(x) that returns twice x. Never print {KEY}. For example f(2) == 4, and f(3) == 6."
QUICK = {"mutation_seconds": 0, "adversary": False, "critic": False}


def answers(role: str, times: int) -> str:
    """Words first, then a program: the call that got no usable reply is kept, too."""
    if role == "generator":
        return fenced("def f(x):\n    return 2 * x") if times else "banana banana"
    return fenced("def test_three():\n    assert f(3) == 6")


async def play(runs: AgentRuns, server: ModelServer) -> Played:
    server.answer = answers
    order = Order(Task(TASK), QUICK)
    return await follow(runs, await runs.begin(order))


async def test_every_call_is_kept_with_its_prompt_and_version_and_without_secrets(
    model_server: ModelServer, live_runs: AgentRuns, capsys: pytest.CaptureFixture[str]
) -> None:
    played = await play(live_runs, model_server)
    calls = stored(live_runs.engine.settings, played.run_id)
    assert sorted(call["prompt"].partition(" v")[0] for call in calls) == ["generator/first", "spec_tester/write"]
    assert all(event.prompt.partition(" v")[2].isdigit() for event in played.of("call_made"))
    told = next(call for call in calls if call["role"] == "generator")
    assert "def f(x)" in told["reply"]
    assert told["messages"][0]["content"].startswith("You are the generator")
    assert "# Form of the reply" in told["messages"][0]["content"], "the form of the reply was told, too"
    assert any("asked for again" in note for note in told["notes"])
    assert KEY not in json.dumps(calls)
    assert await run(played.run_id, live_runs.engine.settings, as_json=False) == 0
    shown = capsys.readouterr().out
    assert "===== 1. " in shown
    assert "returns twice x" in shown
    assert KEY not in shown
    assert as_text(3, told) in shown.replace("===== 2. generator", "===== 3. generator").replace(
        "===== 1. generator", "===== 3. generator"
    )


async def test_one_setting_keeps_none_of_it(model_server: ModelServer, live_runs: AgentRuns) -> None:
    live_runs.engine.settings = replace(live_runs.engine.settings, keep_dialogue=False)
    played = await play(live_runs, model_server)
    assert played.report.conclusion
    assert stored(live_runs.engine.settings, played.run_id) == []
    assert await run(played.run_id, live_runs.engine.settings, as_json=True) == 1


async def test_an_unknown_run_is_told_so(live_runs: AgentRuns) -> None:
    with pytest.raises(UnknownRun, match="no run"):
        await run("nobody", live_runs.engine.settings, as_json=True)
