"""Programs looked at against the clauses of a task, in the real sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import pytest
import pytest_asyncio

from agent.config import AgentConfig
from agent.examples import read_brief
from agent.law import LawBench, inspect
from agent.law.bench import given_of
from agent.source.structure import Source
from agent.state import Check, Task
from agent.state.findings import Finding
from sandbox import LocalSandbox
from sandbox.types import Sandbox

Inspect = Callable[..., Awaitable[list[Finding]]]


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def sandbox() -> AsyncIterator[Sandbox]:
    opened = LocalSandbox(1)
    yield opened
    await opened.aclose()


def bench_for(
    sandbox: Sandbox,
    task: str,
    code: str,
    calls: Sequence[str],
    *,
    given: str | None = None,
    passed: Sequence[Check] = (),
) -> LawBench:
    """What checkers look at; `calls`: inputs that a model thought of, besides the task's own examples."""
    brief = read_brief(task, given, ())
    assert brief.clauses, "no clause was read"
    source = Source(code)
    entry = brief.entry_point or ""
    stated = [given_of(example.call, entry, stated=True) for example in brief.examples if example.call]
    known = [*stated, *(given_of(call, entry, stated=False) for call in calls)]
    return LawBench(
        execute=sandbox.run,
        config=AgentConfig(),
        task=Task(task, code=given),
        brief=brief,
        source=source,
        known=tuple(given for given in known if given is not None),
        tried=(),
        passed=tuple(passed),
    )


@pytest.fixture
def inspected(sandbox: Sandbox) -> Inspect:
    """The findings on one program."""

    async def looking(task: str, code: str, *calls: str, passed: tuple[Check, ...] = ()) -> list[Finding]:
        return list((await inspect(bench_for(sandbox, task, code, calls, passed=passed), "c1")).findings)

    return looking


def stated(name: str, call: str, expected: str, sentence: str) -> Check:
    return Check(f"spec.{name}", name, "spec", f"assert {call} == {expected}", call, expected, sentence=sentence)
