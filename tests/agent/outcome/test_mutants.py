"""What is told of the small changes that no check noticed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from agent.config import AgentConfig
from agent.outcome.mutants import measure
from agent.state import AgentState, Candidate, Check, CheckOutcome, Mutation, Run, Suite, Task
from agent.state.domain import Domain
from sandbox import Sandbox
from sandbox.types import Execution, Isolation

CLIPPED = """
def clipped(n):
    if n > 9:
        return 9
    return n
"""
"""Two of its mutants, `n >= 9` and `n > 8`, answer every whole number as the program does."""
CHECK = Check("spec:1.test_far", "test_far", "spec", "def test_far():\n    assert clipped(20) == 9")
ALLOWED = Domain("", "clipped", (), tuple(f"clipped({n})" for n in range(30)), ())


async def measured(sandbox: Sandbox, domains: list[Domain]) -> Mutation:
    candidate = Candidate("c1", CLIPPED, "first", None, "c1")
    passed = Run(
        "c1", "spec:1", Execution("pass", Isolation("limits", *["open"] * 6)), True, {CHECK.id: CheckOutcome("pass")}
    )
    state = AgentState(
        task=Task("Write clipped(n)."),
        config=AgentConfig(),
        candidates=[candidate],
        suites=[Suite("spec:1", "spec", "", (CHECK,))],
        runs=[passed],
        domains=domains,
    )
    port = SimpleNamespace(recall=lambda _key: None, remember=lambda *_: None)
    context: Any = SimpleNamespace(
        session=SimpleNamespace(sandbox=sandbox, port=port),
        task=state.task,
        equipped=lambda program: program,
        execute=sandbox.run,
    )
    found = await measure(state, context, candidate)
    assert found is not None
    return found


@pytest.mark.asyncio(loop_scope="session")
async def test_a_change_that_shows_on_no_allowed_input_is_counted_apart(sandbox: Sandbox) -> None:
    found = await measured(sandbox, [ALLOWED])
    assert found.alike == 2
    assert not any("n >= 9" in change for change in found.survivors)
    assert found.killed + len(found.survivors) + found.alike == found.total


@pytest.mark.asyncio(loop_scope="session")
async def test_a_change_that_shows_is_told_with_the_allowed_input_and_both_values(sandbox: Sandbox) -> None:
    found = await measured(sandbox, [ALLOWED])
    shown = [change for change in found.survivors if "`10`" in change]
    assert shown == ["line 3: `9` became `10`, which changes clipped(10) from 9 to 10"]


@pytest.mark.asyncio(loop_scope="session")
async def test_without_a_validator_nobody_knows_which_changes_matter(sandbox: Sandbox) -> None:
    found = await measured(sandbox, [])
    assert found.alike == 0
    assert any("n >= 9" in change for change in found.survivors)
