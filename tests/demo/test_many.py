"""Twenty visitors at once, each over the page's own queue and stream: nobody sees anybody else's run, or fails."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from llm.scenarios import get_scenario

from .conftest import API_KEY, Served

VISITORS = 20


async def visit(served: Served, number: int) -> tuple[str, list[list[Any]]]:
    """Opens the page, starts an example and watches it to its end; the run's id and every frame."""
    headers = {"X-API-Key": API_KEY}
    async with httpx.AsyncClient(base_url=served.address, headers=headers, timeout=60) as browser:
        assert (await browser.get("/")).status_code == 200
        config = (await browser.get("/config")).json()
        example = next(one["id"] for one in config["dependencies"] if one["targets"] and one["api_name"] == "example")
        asked = [1, {"owner": f"visitor {number}"}]
        frames = await _event(browser, f"visitor{number}", example, asked, {"name": "interval_merging"})
        return frames[0][0], frames


async def _event(
    browser: httpx.AsyncClient, session: str, event: int, data: list[Any], told: dict[str, str]
) -> list[list[Any]]:
    """What the server sent for one event, frame by frame."""
    joined = {"data": data, "fn_index": event, "session_hash": session, "event_data": told}
    (await browser.post("/gradio_api/queue/join", json=joined)).raise_for_status()
    frames: list[list[Any]] = []
    async with browser.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as stream:
        async for line in stream.aiter_lines():
            message = json.loads(line[5:]) if line.startswith("data:") else {}
            if message.get("msg") in ("process_generating", "process_completed"):
                assert message["success"], message
                frames.append(message["output"].get("data") or [])
            if message.get("msg") == "process_completed":
                return frames
    raise AssertionError("the stream ended before the event did")


async def _all(served: Served) -> list[tuple[str, list[list[Any]]]]:
    return await asyncio.gather(*(visit(served, number) for number in range(VISITORS)))


@pytest.mark.slow
def test_twenty_visitors_at_once_each_see_their_own_run_to_its_end(served: Served):
    example = get_scenario("interval_merging")
    assert example is not None
    seen = asyncio.run(_all(served))
    assert len({run_id for run_id, _ in seen}) == VISITORS
    for run_id, frames in seen:
        told = json.dumps(frames)
        assert "Verified" in told
        assert example.task.splitlines()[0].replace("`", "")[:30] in told
        assert f"runs/{run_id}." in told
        assert not [other for other, _ in seen if other != run_id and other in told]
