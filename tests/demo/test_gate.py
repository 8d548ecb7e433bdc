"""Where a key is demanded, nothing is shown, started or stopped without it, whoever posts to which address."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from agent.task.request import BadInput
from demo.doors.gate import COOKIE, VISITOR_RATE, Denied, Gate, TooOften
from demo.options import UiOptions
from framework.secret import Secret

from . import story
from .conftest import API_KEY, Served


def gate(**options: Any) -> Gate:
    return Gate(UiOptions(storage_secret="browser", api_keys=(Secret(API_KEY),), **options))


def test_a_locked_page_opens_for_the_key_and_for_its_pass():
    door = gate()
    with pytest.raises(Denied):
        door.enter({})
    with pytest.raises(Denied):
        door.enter({"cookie": f"{COOKIE}=forged"})
    with pytest.raises(Denied):
        door.exchange("wrong")
    door.enter({"x-api-key": API_KEY})
    door.enter({"cookie": f"other=1; {COOKIE}={door.exchange(API_KEY)}"})


def test_a_pass_tells_nothing_of_the_key_and_ends_with_it():
    door = gate()
    assert API_KEY not in door.exchange(API_KEY)
    other = Gate(UiOptions(storage_secret="browser", api_keys=(Secret("another-key-entirely"),)))
    with pytest.raises(Denied):
        other.enter({"cookie": f"{COOKIE}={door.exchange(API_KEY)}"})


async def test_a_page_opened_on_purpose_has_limits_of_its_own():
    door = gate(public_page=True)
    door.enter({})
    for _ in range(VISITOR_RATE.count):
        await door.count({}, "1.2.3.4")
    with pytest.raises(TooOften):
        await door.count({}, "1.2.3.4")
    for _ in range(VISITOR_RATE.count + 1):
        await door.count({"x-api-key": API_KEY}, "1.2.3.4")


def test_without_a_key_in_the_settings_everybody_enters():
    Gate(UiOptions(storage_secret="browser")).enter({})


@pytest.fixture
def stranger(served: Served) -> Iterator[httpx.Client]:
    with served.client(key="") as client:
        yield client


@pytest.mark.slow
def test_no_event_of_the_page_works_by_hand(served: Served, stranger: httpx.Client):
    with served.client() as owner:
        run_id = owner.post("/api/runs", json={"task": story.TASK + " hold"}).json()["run_id"]
        with owner.stream("GET", f"/api/runs/{run_id}/events") as told:
            next(told.iter_lines())  # it is at work
    started = len(served.player.specs)
    events = _events(stranger)
    assert len(events) > 20
    own = _run_ids(stranger)
    for event in events:
        _post(stranger, event["id"], [run_id if one in own else None for one in event["inputs"]])
    assert _ended(stranger, len(events)) == [False] * len(events)
    assert len(served.player.specs) == started
    with served.client() as owner:
        assert owner.post(f"/api/runs/{run_id}/stop").json() == {"stopped": True}


def test_bundle_and_files_ask_for_the_key_too(served: Served, stranger: httpx.Client):
    with served.client() as owner:
        run_id = owner.post("/api/runs", json={"task": story.TASK}).json()["run_id"]
        owner.get(f"/api/runs/{run_id}/events")
        for path in ("bundle.zip", "solution.py", "files/plot.png"):
            assert stranger.get(f"/runs/{run_id}/{path}").status_code == 401, path
            assert owner.get(f"/runs/{run_id}/{path}").status_code == 200, path


def test_a_browser_gets_its_pass_for_the_key(stranger: httpx.Client):
    assert stranger.post("/pass", json={"key": "wrong"}).status_code == 401
    answer = stranger.post("/pass", json={"key": API_KEY})
    assert answer.status_code == 200
    assert "httponly" in answer.headers["set-cookie"].lower()
    assert stranger.get("/runs/nope/bundle.zip").status_code == 404


def test_a_pasted_link_shows_the_app_itself(stranger: httpx.Client):
    for path in ("/", "/insights"):
        page = stranger.get(path, headers={"X-Forwarded-Host": "space.example", "X-Forwarded-Proto": "https"}).text
        told = dict(re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)"', page))
        assert told["og:image"] == told["twitter:image"] == "https://space.example/card.png", path
        assert told["og:title"] == "Self-Healing Code Agent"
        assert page.count('"og:title"') == 1, "Gradio's own words are gone"
        assert "Click to try out" not in page
        assert page.count('class="early-home"><h1>') == (path == "/"), "read before any script"
    assert stranger.get("/card.png").content.startswith(b"\x89PNG")


def test_refusals_are_bad_input():
    assert issubclass(Denied, BadInput)


def _events(client: httpx.Client) -> list[dict[str, Any]]:
    """Those of all pages that run something on the server, but for the typed endpoints, which check the key too."""
    config = client.get("/config").json()
    return [one for one in config["dependencies"] if one["backend_fn"] and one["api_visibility"] == "private"]


def _run_ids(client: httpx.Client) -> set[int]:
    components = client.get("/config").json()["components"]
    return {one["id"] for one in components if one["props"].get("label") == "Run"}


def _post(client: httpx.Client, event: int, data: list[object]) -> None:
    join = {"data": data, "fn_index": event, "session_hash": "stranger", "event_data": {"name": "interval_merging"}}
    client.post("/gradio_api/queue/join", json=join).raise_for_status()


def _ended(client: httpx.Client, count: int) -> list[bool]:
    """How so many events of the session ended: with an answer, or not."""
    found: list[bool] = []
    with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": "stranger"}) as stream:
        for line in stream.iter_lines():
            told = json.loads(line[5:]) if line.startswith("data:") else {}
            if told.get("msg") == "process_completed":
                found.append(bool(told["success"]))
            if len(found) == count:
                break
    return found
