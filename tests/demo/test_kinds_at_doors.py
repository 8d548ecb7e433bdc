"""Several steps, packages with consent, and files that are asked for: real runs through REST and MCP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

from agent.engine import AgentEngine
from agent.runs import open_runs
from demo.server import Server
from demo.workshop import Workshop
from framework.secret import Secret
from framework.settings import Settings
from llm.scenarios import get_scenario
from sandbox import LocalSandbox
from sandbox.environments import Environments
from tests.agent.model_server import ModelServer
from tests.agent.test_packages import NEEDY
from tests.agent.test_unhelpful_models import RIGHT, TASK
from tests.sandbox.test_environments import make_wheel

pytestmark = pytest.mark.slow

NEEDS = f"{TASK} Use the package greeting."
TOTAL = "Print the total of the column amount in sales.csv"
SUMS = """
import csv
print("Total amount:", sum(float(row["amount"]) for row in csv.DictReader(open("sales.csv"))))
"""
ALSO_SUMS = """
rows = open("sales.csv").read().split()[1:]
print("Total amount is", round(sum(float(row.partition(",")[2]) for row in rows), 2))
"""
SALES = "item,amount\na,1.5\nb,40.75\n"


def said(role: str, code: str) -> str:
    tests = f"from solution import {RIGHT.split('(')[0].split()[-1]}\n"
    return f"```python\n{code if role == 'generator' else tests}\n```\n"


@pytest.fixture(scope="module")
def models() -> Iterator[ModelServer]:
    server = ModelServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def address(models: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app itself; the only package that can be installed in its sandbox is `greeting`."""
    state: Path = tmp_path_factory.mktemp("doors")
    wheels = state / "wheels"
    wheels.mkdir()
    make_wheel(wheels, "greeting", "def same(value):\n    return value\n")
    settings = Settings.from_env(
        {
            "STATE_DIR": str(state / "state"),
            "LLM_PROVIDER": "openai",
            "LLM_MODEL": "loopback",
            "OPENAI_API_KEY": "sk-canary-0123456789abcdef",
            "OPENAI_BASE_URL": models.url,
            "RATE_LIMIT": "1000/minute",
        }
    )

    async def opened() -> Workshop:
        sandbox = LocalSandbox(2, environments=Environments(state / "environments", wheels=wheels))
        engine = AgentEngine(settings, sandbox, options={"mock": {"pace": 0.0}})
        return Workshop(settings, engine, await open_runs(settings, engine), None)

    server = Server(settings, Secret("browser secret"), opened)
    yield server.launch("127.0.0.1", None).rstrip("/")
    server.page.close()


class Rest:
    """Runs over JSON; each call returns once the run has ended or asks."""

    def __init__(self, address: str) -> None:
        self._client = httpx.AsyncClient(base_url=address, timeout=120)

    async def solve(self, **given: Any) -> dict[str, Any]:
        started = await self._client.post("/api/runs", json=given)
        assert started.status_code == 201, started.text
        return await self._settled(started.json()["run_id"])

    async def answer(self, told: dict[str, Any], action: str, **more: Any) -> dict[str, Any]:
        given = {"question": told["pending"]["id"], "action": action, **more}
        answered = await self._client.post(f"/api/runs/{told['run_id']}/answers", json=given)
        assert answered.status_code == 200, answered.text
        return await self._settled(told["run_id"])

    async def _settled(self, run_id: str) -> dict[str, Any]:
        async with self._client.stream("GET", f"/api/runs/{run_id}/events") as events:
            async for _ in events.aiter_lines():
                pass
        return (await self._client.get(f"/api/runs/{run_id}")).json()


class Mcp:
    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def solve(self, **given: Any) -> dict[str, Any]:
        model = {"model": given.pop("provider")} if "provider" in given else {}
        return await self._called("solve_task", {**given, **model})

    async def answer(self, told: dict[str, Any], action: str, **more: Any) -> dict[str, Any]:
        given = {"run_id": told["run_id"], "question": told["pending"]["id"], "action": action, **more}
        return await self._called("answer_run", given)

    async def _called(self, tool: str, given: dict[str, Any]) -> dict[str, Any]:
        reply = await self._session.call_tool(tool, given)
        assert not reply.isError, reply.content
        return reply.structuredContent or {}


@asynccontextmanager
async def door(kind: str, address: str):
    if kind == "rest":
        yield Rest(address)
        return
    async with (
        streamablehttp_client(f"{address}/gradio_api/mcp/") as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        yield Mcp(session)


DOORS = pytest.mark.parametrize("kind", ["rest", "mcp"])


@DOORS
async def test_several_steps_are_taken_one_after_the_other(kind: str, address: str) -> None:
    scenario = get_scenario("rainfall_in_three_steps")
    assert scenario is not None
    async with door(kind, address) as at:
        told = await at.solve(task=scenario.task, provider="mock")
    assert (told["status"], told["verdict"]) == ("done", "partly_verified")
    assert len(told["evidence"]["steps"]) == 3
    assert all(step["left"] for step in told["evidence"]["steps"])
    assert {step["verdict"] for step in told["evidence"]["steps"]} <= {"verified", "partly_verified"}
    assert {"rain.csv", "rain.png"} <= {one["name"] for one in told["artifacts"]}
    assert "744" in told["answer"]


@DOORS
async def test_a_missing_package_is_asked_for_and_installed_with_consent(
    kind: str, address: str, models: ModelServer
) -> None:
    models.answer = lambda role, times: said(role, NEEDY)
    async with door(kind, address) as at:
        asked = await at.solve(task=NEEDS, autonomy="review_repairs")
        assert (asked["status"], asked["verdict"]) == ("waiting", None)
        assert "greeting" in json.dumps(asked["pending"]["payload"])
        told = await at.answer(asked, "approve")
        refused = await at.answer(await at.solve(task=NEEDS, autonomy="review_repairs"), "abort")
        silent = await at.solve(task=NEEDS)
        allowed = await at.solve(task=NEEDS, install_packages=True)
    for one in (told, allowed):
        assert one["verdict"] in ("verified", "partly_verified"), one["answer"]
        assert one["evidence"]["packages"][0].startswith("greeting==1.0 sha256:")
    assert "greeting" in silent["verdict_reason"]
    assert {refused["status"], silent["status"]} <= {"done", "stopped"}
    assert silent["verdict"] == "unverified"


@DOORS
async def test_a_file_that_nobody_gave_is_asked_for_and_handed_in(kind: str, address: str, models: ModelServer) -> None:
    models.answer = lambda role, times: said("generator", (SUMS, ALSO_SUMS)[times % 2])
    async with door(kind, address) as at:
        asked = await at.solve(task=TOTAL, autonomy="review_repairs")
        assert asked["status"] == "waiting"
        assert asked["usage"]["calls"] == 0
        told = await at.answer(asked, "approve", files={"sales.csv": SALES})
    assert "42.25" in told["answer"]
    assert told["verdict"] == "partly_verified"
