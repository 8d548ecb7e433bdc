"""Whose runs are whose at every door: what one owner started, no other reads, steers or takes away."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, APIWebSocketRoute
from gradio_client import Client
from gradio_client.exceptions import AppError
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from demo.desk import Desk
from demo.doors.api import MCP_PATH
from demo.doors.callers import may_read, may_steer
from demo.doors.gate import Gate, NotYours
from demo.doors.owners import Caller, readable, steerable
from demo.doors.rest import rest_app
from demo.options import UiOptions
from framework.errors import UnknownRun
from framework.secret import Secret

from . import story
from .conftest import API_KEY, OTHER_KEY, Served

OF_NO_RUN = {
    "/api/health", "/api/scenarios", "/api/runs", "/api/memory", "/api/memory.jsonl", "/card.png", "/pass", "/docs",
    "/docs/oauth2-redirect", "/openapi.json", "/metrics", MCP_PATH, MCP_PATH + "/",
}  # fmt: skip
"""Everything else that the app answers besides the page is about one run."""
BODIES = {"answers": {"question": "q", "action": "approve"}, "fork": {"attempt": "c1", "code": "x = 1"}}
"""What the routes take that take something."""


async def nothing() -> Any:
    raise AssertionError("the routes are listed without the engine")


def routes(app: FastAPI) -> Iterator[tuple[str, str, Any]]:
    """(method, path, route) of everything that the app answers."""
    for context in app.router.routes:
        for route in getattr(getattr(context, "original_router", None), "routes", [context]):
            for method in sorted(getattr(route, "methods", None) or {"WEBSOCKET"}):
                yield method, route.path, route


APP = rest_app(Desk(nothing), Gate(UiOptions(storage_secret="x")))
ABOUT_RUNS = sorted({(method, path) for method, path, _ in routes(APP) if path not in OF_NO_RUN})


def test_every_route_about_a_run_asks_whose_it_is():
    assert len(ABOUT_RUNS) > 12
    for method, path, route in routes(APP):
        if path in OF_NO_RUN:
            continue
        assert isinstance(route, APIRoute | APIWebSocketRoute), path
        asked = {dependency.call for dependency in route.dependant.dependencies}
        assert asked & ({may_read, may_steer} if method in ("GET", "WEBSOCKET") else {may_steer, may_read}), path
        if method not in ("GET", "WEBSOCKET") and not path.endswith("/fork"):
            assert may_steer in asked, f"{method} {path} changes a run"


@pytest.fixture(scope="module")
def run_id(served: Served) -> str:
    """A run of the first key that has ended."""
    with served.client() as owner:
        started = owner.post("/api/runs", json={"task": story.TASK}).json()["run_id"]
        owner.get(f"/api/runs/{started}/events")
    return started


def _ask(served: Served, key: str, method: str, path: str, run: str) -> int:
    """The status with which a caller is answered."""
    address = path.replace("{run_id}", run).replace("{name:path}", "plot.png").replace("{name}", "plot.png")
    if method == "WEBSOCKET":
        try:
            with connect(
                served.address.replace("http", "ws") + address, additional_headers={"X-API-Key": key}
            ) as socket:
                return 101 if list(socket) else 204
        except InvalidStatus as refused:
            return refused.response.status_code
    with served.client(key) as client:
        return client.request(method, address, json=BODIES.get(address.rpartition("/")[2])).status_code


@pytest.mark.parametrize(("method", "path"), ABOUT_RUNS)
def test_another_key_finds_no_run_there(served: Served, run_id: str, method: str, path: str):
    before = len(served.orders)
    assert _ask(served, OTHER_KEY, method, path, run_id) == 404
    assert len(served.orders) == before
    if method in ("GET", "WEBSOCKET"):
        assert _ask(served, API_KEY, method, path, run_id) in (200, 101)


def test_a_share_is_made_on_purpose_and_only_shows(served: Served, run_id: str):
    with served.client() as owner, served.client(OTHER_KEY) as other:
        assert other.post(f"/api/runs/{run_id}/share").status_code == 404
        shared = owner.post(f"/api/runs/{run_id}/share").json()
        ref = shared["run_id"]
        assert shared["link"] == f"/?run={ref}"
        for method, path in ABOUT_RUNS:
            seen = _ask(served, OTHER_KEY, method, path, ref)
            assert seen == (403 if method not in ("GET", "WEBSOCKET", "POST") else seen)
            if method in ("GET", "WEBSOCKET"):
                assert seen in (200, 101), path
            elif not path.endswith("/fork"):
                assert seen == 403, path
        assert other.get(f"/api/runs/{ref[:-1]}{'0' if ref[-1] != '0' else '1'}").status_code == 404
        assert owner.get(f"/api/runs/{run_id}").status_code == 200


def test_links_are_taken_back_and_a_new_one_can_be_made(served: Served, run_id: str):
    address = f"/api/runs/{run_id}/share"
    with served.client() as owner, served.client(OTHER_KEY) as other:

        def made() -> str:
            return owner.post(address).json()["run_id"]

        refs: list[str] = []
        for _ in range(2):
            refs.append(made())
            assert other.get(f"/api/runs/{refs[-1]}").status_code == 200
            assert other.delete(f"/api/runs/{refs[-1]}/share").status_code == 403
            assert owner.delete(address).status_code == 204
            assert {other.get(f"/api/runs/{ref}").status_code for ref in refs} == {404}
        assert made() not in refs


def test_lists_and_follow_ups_know_only_their_own(served: Served, run_id: str):
    with served.client(OTHER_KEY) as other, served.client() as owner:
        assert run_id in owner.get("/api/runs", params={"query": run_id}).text
        assert other.get("/api/runs", params={"query": run_id}).json()["runs"] == []
        body = {"task": "Make it faster", "parent": run_id}
        assert other.post("/api/runs", json=body).status_code == 404


async def test_agents_reach_only_their_own(served: Served, run_id: str):
    answers: dict[str, list[bool]] = {}
    for key in (API_KEY, OTHER_KEY):
        async with (
            streamablehttp_client(served.address + MCP_PATH, headers={"X-API-Key": key}) as (reading, writing, _),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            tools = [tool for tool in (await session.list_tools()).tools if "run_id" in tool.inputSchema["properties"]]
            assert len(tools) == 3
            given = {"run_id": run_id, "question": "q", "action": "approve"}
            called = [await session.call_tool(one.name, _fitting(one.inputSchema, given)) for one in tools]
            called.append(await session.call_tool("solve_task", {"task": "Faster", "parent": run_id + "x"}))
            answers[key] = ["there is no run" in str(answer.content).lower() for answer in called]
    assert answers == {API_KEY: [False, False, False, True], OTHER_KEY: [True, True, True, True]}


def _fitting(schema: dict[str, Any], given: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in given.items() if name in schema["properties"]}


def test_gradio_clients_reach_only_their_own(served: Served, run_id: str):
    other = Client(served.address, headers={"X-API-Key": OTHER_KEY}, verbose=False, analytics_enabled=False)
    calls: list[Callable[[], Any]] = [
        lambda: other.predict(run_id=run_id, api_name="/status"),
        lambda: other.predict(run_id=run_id, question="q", action="approve", api_name="/answer"),
        lambda: other.predict(run_id=run_id, api_name="/stop"),
        lambda: other.predict(task="Faster", parent=run_id, api_name="/solve"),
    ]
    for call in calls:
        with pytest.raises(AppError, match="There is no run"):
            call()
    other.close()


def test_no_event_of_the_page_reaches_the_run_of_another_browser(served: Served, run_id: str):
    """Posted to the queue by hand, each with the run in every field that can name one."""
    with served.client(OTHER_KEY) as browser:
        config = browser.get("/config").json()
        events = [one for one in config["dependencies"] if one["backend_fn"] and one["api_visibility"] == "private"]
        components = {one["id"]: one for one in config["components"]}
        joined: dict[str, bool] = {}
        for event in events:
            asked = [components[one] for one in event["inputs"]]
            data = [_value(one, run_id) for one in asked]
            told = {"data": data, "fn_index": event["id"], "session_hash": "other", "event_data": {"name": run_id}}
            answer = browser.post("/gradio_api/queue/join", json=told).raise_for_status()
            joined[answer.json()["event_id"]] = any(one["props"].get("label") == "Run" for one in asked)
        assert sum(joined.values()) > 15
        for event_id, told in _all_told(browser, "other", len(events)):
            assert not re.search(r"merge_intervals|Neighbours|plot\.png", told)
            assert "There is no run" in told or not joined[event_id]


def _value(component: dict[str, Any], run_id: str) -> object:
    match component["type"]:
        case "browserstate":
            return {"owner": "another browser", "run": run_id}
        case "slider" | "number" | "radio":
            return component["props"].get("value")
        case _:
            label, words = component["props"].get("label"), "some words" if component["type"] == "textbox" else None
            return run_id if label in ("Run", "Compare", "with") else words


def _all_told(browser: httpx.Client, session: str, count: int) -> Iterator[tuple[str, str]]:
    """(event, all that the server tells of it) as each of so many events ends."""
    told: dict[str, str] = {}
    with browser.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as stream:
        for line in stream.iter_lines():
            message = json.loads(line[5:]) if line.startswith("data:") else {}
            event = message.get("event_id", "")
            told[event] = told.get(event, "") + json.dumps(message.get("output"))
            if message.get("msg") == "process_completed":
                count -= 1
                yield event, told[event]
            if not count:
                return


@dataclass(frozen=True, slots=True)
class Rows:
    """A desk that knows one run."""

    owned: str

    async def owner(self, run_id: str) -> str | None:
        return self.owned if run_id == "run" else None


@pytest.mark.parametrize(
    ("owned", "names", "beside", "keyed", "seen", "steered"),
    [
        ("key:a", ("key:a",), False, True, True, True),
        ("key:a", ("key:b",), True, True, False, False),
        ("key:a", (), True, True, False, False),
        ("browser", (), True, False, True, False),
        ("browser", (), False, False, False, False),
        ("browser", ("account:1", "browser"), False, False, True, True),
        ("", (), False, False, True, True),
    ],
)
async def test_who_may_see_and_steer(
    owned: str, names: tuple[str, ...], beside: bool, keyed: bool, seen: bool, steered: bool
):
    gate = Gate(UiOptions(storage_secret="x", api_keys=(Secret("k"),) if keyed else ()))
    caller = Caller(names, {}, "10.0.0.1", beside)
    for act, wanted in ((readable, seen), (steerable, steered)):
        with nullcontext() if wanted else pytest.raises(NotYours if seen else UnknownRun):
            assert await act(Rows(owned), gate, "run", caller) == "run"  # type: ignore[arg-type]
