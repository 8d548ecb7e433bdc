"""What debuggers are shown of a failing call, line by line."""

from __future__ import annotations

import pytest

from agent.checks.trace import HEAD_LINES, TAIL_LINES, trace_failure
from agent.state import AgentState, Candidate, Check, Task
from sandbox.types import Sandbox
from tests.agent.alone import alone

pytestmark = pytest.mark.asyncio(loop_scope="session")

CODE = """
def total(numbers):
    found = 0
    for number in numbers:
        print("@ own words")
        found += number
    if found > 99:
        raise ValueError("too much")
    return found
"""
SUMMED = """
total([1, 2])
before line 3: numbers = [1, 2]
before line 4: found = 0
before line 5: number = 1
before line 4: found = 1
before line 5: number = 2
before line 4: found = 3
line 9 returns 3
"""
RAISED = """
total([100])
before line 3: numbers = [100]
before line 4: found = 0
before line 5: number = 100
before line 4: found = 100
raised ValueError: too much
"""


async def told(sandbox: Sandbox, *calls: str | None) -> str:
    """The trace for checks of which each makes this call, or none."""
    state = AgentState(task=Task("Write total(numbers)."))
    checks = [Check(f"spec:1.test_{at}", f"test_{at}", "spec", "", call, "0") for at, call in enumerate(calls)]
    return await trace_failure(state, alone(sandbox, state.task), Candidate("c1", CODE, "first", None, "c1"), checks)


@pytest.mark.parametrize(
    ("calls", "trace"),
    [
        (("total([1, 2])",), SUMMED),
        ((None, "total([1, 2])", "total([100])"), SUMMED),
        (("total([100])",), RAISED),
        ((None,), ""),
        ((), ""),
        (("total([1]) + 1",), ""),
        (("total(",), ""),
    ],
)
async def test_the_first_plain_call_is_shown_with_what_changed_before_each_line_and_its_end(
    sandbox: Sandbox, calls: tuple[str | None, ...], trace: str
) -> None:
    assert await told(sandbox, *calls) == trace.strip()


async def test_a_long_trace_keeps_its_beginning_and_its_end(sandbox: Sandbox) -> None:
    call, *lines = (await told(sandbox, f"total({[0, 1] * 20})")).splitlines()
    (gap,) = [at for at, line in enumerate(lines) if line.endswith("lines left out ...]")]
    assert (call[:9], gap, len(lines) - gap - 1) == ("total([0,", HEAD_LINES, TAIL_LINES)
    assert lines[-1] == "line 9 returns 20"
