"""The tool that reads an installed library's real signatures and documentation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from agent.config import AgentConfig
from agent.tools import TOOLS, ToolError
from sandbox.types import Sandbox

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
        ("pandas.DataFrame.groupby", ["as_index"]),
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
