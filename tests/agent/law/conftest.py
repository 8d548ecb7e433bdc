"""Programs looked at against the clauses of a task, in the real sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from agent.config import AgentConfig
from agent.examples import read_brief
from agent.law import Bench, inspect
from agent.law.bench import given_of
from agent.law.source import Source
from agent.state import Check, Finding, Task
from sandbox import LocalSandbox
from sandbox.types import Sandbox

Inspect = Callable[..., Awaitable[list[Finding]]]


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def sandbox() -> AsyncIterator[Sandbox]:
    opened = LocalSandbox(1)
    yield opened
    await opened.aclose()


@pytest.fixture
def inspected(sandbox: Sandbox) -> Inspect:
    """The findings on one program; `calls`: inputs that a model thought of, besides the task's own examples."""

    async def looking(task: str, code: str, *calls: str, passed: tuple[Check, ...] = ()) -> list[Finding]:
        brief = read_brief(task, None, ())
        assert brief.clauses, "no clause was read"
        entry = brief.entry_point or ""
        stated = [given_of(example.call, entry, stated=True) for example in brief.examples if example.call]
        known = [*stated, *(given_of(call, entry, stated=False) for call in calls)]
        bench = Bench(
            execute=sandbox.run,
            config=AgentConfig(),
            task=Task(task),
            brief=brief,
            source=Source(code),
            known=tuple(given for given in known if given is not None),
            tried=(),
            passed=passed,
        )
        return list((await inspect(bench, "c1")).findings)

    return looking
