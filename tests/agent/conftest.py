"""Runs of the real graph in the real sandbox, with the scripted demo model or a model made for one test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from agent.engine import AgentEngine
from agent.events import AgentEvent
from agent.outcome.report import Report
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from framework.engine import Envelope
from framework.settings import Settings
from sandbox import LocalSandbox
from sandbox.environments import Environments
from sandbox.types import Sandbox
from tests.agent.model_server import ModelServer
from tests.sandbox.test_environments import make_wheel

Play = Callable[..., Awaitable["Played"]]


class Played:
    """A run that was followed to its end or to its next pause."""

    def __init__(self, run_id: str, events: list[AgentEvent], report: Report, outcome: dict[str, Any]) -> None:
        self.run_id, self.events, self.report, self.outcome = run_id, events, report, outcome

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    def of(self, kind: str) -> list[Any]:
        return [event for event in self.events if event.kind == kind]

    def boxes(self) -> list[str]:
        return [event.node for event in self.of("node_started")]


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def sandbox(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Sandbox]:
    """The only package that can be installed in it is `greeting`."""
    folder, wheels = tmp_path_factory.mktemp("environments"), tmp_path_factory.mktemp("wheels")
    make_wheel(wheels, "greeting", "def same(value):\n    return value\n")
    opened = LocalSandbox(2, environments=Environments(folder, wheels=wheels))
    yield opened
    await opened.aclose()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_env({"STATE_DIR": str(tmp_path / "state"), "LLM_PROVIDER": "mock"})


@pytest_asyncio.fixture(loop_scope="session")
async def runs(settings: Settings, sandbox: Sandbox) -> AsyncIterator[AgentRuns]:
    engine = AgentEngine(settings, Shared(sandbox))
    opened = await AgentRuns.open(settings.state_dir, engine)
    assert isinstance(opened, AgentRuns)
    yield opened
    await opened.aclose()


class Shared:
    """The session's sandbox, which the runs of one test must not close."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.run, self.describe = sandbox.run, sandbox.describe
        self.packages, self.install = sandbox.packages, sandbox.install

    async def aclose(self) -> None: ...


async def follow(runs: AgentRuns, run_id: str) -> Played:
    """Everything the run has told so far, to its end or pause."""
    events: list[AgentEvent] = []
    report = Report(run_id)
    async for told in runs.follow(run_id):
        report.take(told)
        events += [told.event] if isinstance(told, Envelope) else []
    pending = await runs.pending(run_id)
    stored = await runs.standing.state(run_id)
    assert runs.engine.unreadable(stored.values) == ""
    told = report.outcome(pending).as_json()
    return Played(run_id, events, report, told)


@pytest.fixture
def play(runs: AgentRuns, settings: Settings) -> Play:
    """Submit a task and follow it."""

    async def playing(task: Task | str, options: Mapping[str, Any] | None = None, **choice: Any) -> Played:
        task = Task(task) if isinstance(task, str) else task
        order = Order(task, options or {}, **choice)
        return await follow(runs, await runs.begin(order))

    return playing


@pytest.fixture
def model_server() -> Any:
    """A loopback server that speaks the chat-completions protocol; its `answer` is set by the test."""
    server = ModelServer()
    server.start()
    yield server
    server.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def live_runs(model_server: ModelServer, tmp_path: Path, sandbox: Sandbox) -> AsyncIterator[AgentRuns]:
    """Runs whose model is the loopback server."""
    settings = Settings.from_env(
        {
            "STATE_DIR": str(tmp_path / "live"),
            "LLM_PROVIDER": "openai",
            "LLM_MODEL": "loopback",
            "OPENAI_API_KEY": "sk-canary-0123456789abcdef",
            "OPENAI_BASE_URL": model_server.url,
        }
    )
    engine = AgentEngine(settings, Shared(sandbox))
    opened = await AgentRuns.open(settings.state_dir, engine, redact=engine.redactor.data)
    assert isinstance(opened, AgentRuns)
    yield opened
    await opened.aclose()
