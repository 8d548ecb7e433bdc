"""Benches for one test each: the real graph in a real sandbox, with the demo model or with recordings of the test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from agent.engine import AgentEngine
from agent.runs import open_runs
from evaluation.harness import Choice, Harness, Job, run_trial
from evaluation.suites import Problem
from evaluation.trials import Trial
from framework.settings import Settings
from sandbox import open_sandbox
from sandbox.types import Sandbox

Play = Callable[[Problem, Choice], Awaitable[Trial]]


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def warm() -> AsyncIterator[Sandbox]:
    opened = open_sandbox(2)
    yield opened
    await opened.aclose()


class Shared:
    """The session's sandbox, which one test must not close."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.run, self.describe = sandbox.run, sandbox.describe
        self.packages, self.install = sandbox.packages, sandbox.install

    async def aclose(self) -> None: ...


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def play(warm: Sandbox, state_dir: Path) -> Play:
    """One trial of a problem."""

    async def playing(problem: Problem, choice: Choice) -> Trial:
        settings = Settings.from_env({"STATE_DIR": str(state_dir), "LLM_PROVIDER": "mock"})
        runs = await open_runs(settings, AgentEngine(settings, Shared(warm), choice.options))
        try:
            return await run_trial(Harness(runs, warm, choice), Job(problem, 0))
        finally:
            await runs.aclose()

    return playing
