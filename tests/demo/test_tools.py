"""The typed endpoints, as a Gradio client and an agent over MCP find them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

from . import story
from .conftest import API_KEY, Served


@pytest.fixture(scope="module")
def program(served: Served) -> Iterator[Client]:
    client = Client(served.address, headers={"X-API-Key": API_KEY}, verbose=False, analytics_enabled=False)
    yield client
    client.close()


def test_solve_returns_the_outcome(program: Client):
    outcome = program.predict(task=story.TASK, api_name="/solve")
    assert (outcome["verdict"], outcome["code"]) == ("verified", story.RIGHT)
    assert outcome["scripted"] == "scripted demo model"


def test_a_run_is_steered_by_its_id_alone(program: Client):
    run_id = program.predict(task=story.TASK, autonomy="review_repairs", api_name="/submit")["run_id"]
    pending = _pending(program, run_id)
    answered = program.predict(run_id=run_id, question=pending["id"], action="abort", api_name="/answer")
    assert answered == {"run_id": run_id, "answered": pending["id"]}
    assert program.predict(run_id=run_id, api_name="/stop")["run_id"] == run_id


@pytest.mark.parametrize("endpoint", ["/solve", "/submit"])
def test_files_and_consent_are_handed_in(program: Client, served: Served, endpoint: str):
    files = {"a.csv": "x,y\n", "b.bin": {"base64": "AAE="}}
    program.predict(task=story.TASK, files=files, install_packages=True, web_search=True, api_name=endpoint)
    assert served.player.files[-1] == {"a.csv": b"x,y\n", "b.bin": b"\x00\x01"}
    assert served.orders[-1].options == {"autonomy": "full_auto", "install_packages": True, "web_search": True}
    with pytest.raises(AppError, match="base64"):
        program.predict(task=story.TASK, files={"b.bin": {"base64": "?"}}, api_name=endpoint)


def test_a_lone_word_is_no_task(program: Client):
    with pytest.raises(AppError, match="'doctor' alone is no task"):
        program.predict(task="doctor", api_name="/submit")


def test_a_refusal_is_one_line(program: Client):
    with pytest.raises(AppError, match="The task is empty"):
        program.predict(task=" ", api_name="/solve")


def test_without_the_api_key_no_tool_works(served: Served):
    stranger = Client(served.address, verbose=False, analytics_enabled=False)
    with pytest.raises(AppError, match="API key"):
        stranger.predict(task=story.TASK, api_name="/solve")
    stranger.close()


def test_the_page_itself_offers_no_endpoint(program: Client):
    told: Any = program.view_api(return_format="dict", print_info=False)
    assert set(told["named_endpoints"]) == {"/solve", "/submit", "/status", "/answer", "/stop"}


async def test_an_agent_finds_and_uses_the_tools_over_mcp(served: Served):
    address = f"{served.address}/gradio_api/mcp/"
    async with (
        streamablehttp_client(address, headers={"X-API-Key": API_KEY}) as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(tools) == {"solve_task", "run_code", "get_run", "answer_run", "stop_run"}
        solve = tools["solve_task"]
        assert "sandbox" in (solve.description or "")
        assert solve.inputSchema["required"] == ["task"]
        assert "verdict" in (solve.outputSchema or {})["properties"]
        notices: list[str] = []

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            notices.append(message or "")

        asked = {"task": story.TASK, "autonomy": "review_repairs"}
        paused = (await session.call_tool("solve_task", asked, progress_callback=heard)).structuredContent or {}
        assert (paused["status"], paused["verdict"]) == ("waiting", None)
        assert any("repair" in notice for notice in notices)
        given = {"run_id": paused["run_id"], "question": paused["pending"]["id"], "action": "approve"}
        answer = await session.call_tool("answer_run", given)
        assert (answer.structuredContent or {})["verdict"] == "verified"
        assert json.loads(answer.content[0].text) == answer.structuredContent  # type: ignore[union-attr]
        named = {"run_id": paused["run_id"]}
        assert ((await session.call_tool("get_run", named)).structuredContent or {})["status"] == "done"
        assert (await session.call_tool("stop_run", named)).structuredContent == {"stopped": False}
        refused = await session.call_tool("answer_run", given)
        assert refused.isError
        assert "is not open" in str(refused.content)


async def test_an_agent_hands_in_files_consents_and_forks_over_mcp(served: Served):
    address = f"{served.address}/gradio_api/mcp/"
    async with (
        streamablehttp_client(address, headers={"X-API-Key": API_KEY}) as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        data: dict[str, Any] = {"a.csv": "x,y\n", "b.bin": {"base64": "AAE="}}
        given = {"task": story.TASK, "files": data, "install_packages": True, "web_search": True}
        first = (await session.call_tool("solve_task", given)).structuredContent or {}
        assert served.player.files[-1] == {"a.csv": b"x,y\n", "b.bin": b"\x00\x01"}
        assert served.orders[-1].options == {"autonomy": "full_auto", "install_packages": True, "web_search": True}
        again = {"task": story.TASK, "parent": first["run_id"], "attempt": first["candidate"], "code": story.RIGHT}
        forked = await session.call_tool("solve_task", again)
        assert not forked.isError, forked.content
        assert (served.orders[-1].parent, served.orders[-1].attempt) == (first["run_id"], first["candidate"])
        refused = await session.call_tool("solve_task", {"task": story.TASK, "files": {"b.bin": {"base64": "?"}}})
        assert refused.isError
        refused = await session.call_tool("solve_task", {"task": "doctor"})
        assert "'doctor' alone is no task" in str(refused.content)


def _pending(program: Client, run_id: str) -> dict[str, Any]:
    for _ in range(200):
        if pending := program.predict(run_id=run_id, api_name="/status")["pending"]:
            return pending
    pytest.fail("no question came")
