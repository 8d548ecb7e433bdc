"""What a script is given to run with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from agent.by_output.running import show
from agent.config import AgentConfig
from agent.examples.types import Demand
from agent.state import Task
from sandbox.types import Program


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("megabytes", "seconds", "memory"), [(0, 10, 512), (5, 20, 572), (100, 70, 1712), (200, 70, 2048)]
)
async def test_reading_much_data_has_its_own_time_and_room(megabytes: int, seconds: float, memory: int) -> None:
    given: list[Program] = []

    class Started(Exception): ...

    async def run_fresh(program: Program) -> None:
        given.append(program)
        raise Started

    task = Task("Print the first letter of a.txt", files={"a.txt": bytes(megabytes << 20)})
    context: Any = SimpleNamespace(task=task, run_fresh=run_fresh)
    with pytest.raises(Started):
        await show(context, AgentConfig(execution_timeout=5.0), "print(1)", Demand())
    assert (given[0].limits.timeout, given[0].limits.memory_mb) == (seconds, memory)
