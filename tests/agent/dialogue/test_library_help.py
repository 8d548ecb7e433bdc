"""The tool that reads an installed library's real signatures and documentation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from agent.config import AgentConfig
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from agent.tools import TOOLS, ToolError
from sandbox.types import Sandbox
from tests.agent.conftest import follow
from tests.agent.model_server import ModelServer, fenced

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def ask(sandbox: Sandbox, name: str) -> str:
    bench: Any = SimpleNamespace(
        state=SimpleNamespace(config=AgentConfig()), context=SimpleNamespace(execute=sandbox.run)
    )
    return await TOOLS["library_help"].use(bench, {"name": name})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("json.dumps", ["json.dumps(obj, *, skipkeys=False", "Serialize"]),
        ("collections.OrderedDict.move_to_end", ["Move an existing element"]),
        ("heapq", ["public names: ", "heappush"]),
        pytest.param("pandas.DataFrame.groupby", ["as_index"], marks=pytest.mark.slow),
        ("statistics.medain", ["there is no statistics.medain", "median"]),
        ("nothing_here.f", ["nothing_here is not installed"]),
    ],
)
async def test_it_tells_what_is_installed(name: str, words: list[str], sandbox: Sandbox) -> None:
    told = await ask(sandbox, name)
    assert all(word in told for word in words), told
    assert len(told) <= 2100


@pytest.mark.parametrize("name", ["os; print(1)", "os\nimport sys", "", "a..b", "__import__('os')"])
async def test_only_a_name_is_looked_up(name: str, sandbox: Sandbox) -> None:
    with pytest.raises(ToolError, match="no name of"):
        await ask(sandbox, name)


LOOK = '{"tool": "library_help", "arguments": {"name": "statistics.median"}}'
HALF = "import numpy\n\n\ndef middle(xs):\n    return float(numpy.median(xs))\n"


@pytest.mark.slow
@pytest.mark.parametrize(("words", "used"), [(" using numpy", 1), ("", 0)])
async def test_whoever_writes_a_program_may_look_at_the_library_that_the_task_names(
    words: str, used: int, model_server: ModelServer, live_runs: AgentRuns
) -> None:
    replies = {"generator": [LOOK, fenced(HALF)] if used else [fenced(HALF)]}
    model_server.answer = lambda role, times: replies.get(role, ["?"])[min(times, used)]
    task = Task(f"Write middle(xs) that returns the median{words}, e.g. middle([1, 2, 4]) == 2.0")
    options = {"spec_tests": False, "adversary": False, "critic": False, "independent_attempts": 0}
    order = Order(task, options)
    played = await follow(live_runs, await live_runs.begin(order))
    assert [event.tool for event in played.of("tool_used")] == ["library_help"] * used
    assert played.outcome["code"].strip() == HALF.strip()
    prompts = [text for role, text in model_server.prompts if role == "generator"]
    assert ("Return the median (middle value) of numeric data" in prompts[-1]) == bool(used)
    assert played.outcome["usage"]["by_role"]["generator"]["calls"] == 1 + used
