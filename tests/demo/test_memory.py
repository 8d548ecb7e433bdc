"""What runs remember, at every door: for its owner alone, and for nobody where nobody owns it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from agent.engine import spec_of
from agent.runs import _remembering  # pyright: ignore[reportPrivateUsage]
from agent.session.memory import KEY
from agent.state import Task
from agent.task.order import Order
from agent.task.request import BadInput
from demo.panels.memory import memory_panel
from framework.settings import Settings
from framework.storage.store import Store

from . import story
from .conftest import OTHER_KEY, Served

KEPT = {
    "task": "Merge ranges.",
    "about": "Merge ranges.",
    "verdict": "verified",
    "lessons": ["Touching <b>is</b> one."],
}


@pytest.fixture
def runs(served: Served) -> Iterator[list[str]]:
    """Two runs of the first key that remember something."""
    store = Store.open(served.state_dir)
    with served.client() as client:
        started = [client.post("/api/runs", json={"task": story.TASK, "memory": True}).json()["run_id"] for _ in "12"]
        for run_id in started:
            client.get(f"/api/runs/{run_id}/events")
            assert store.memo.remember(run_id, KEY, KEPT)
        store.close()
        yield started
        client.delete("/api/memory")


def ids(client: httpx.Client, **query: Any) -> list[str]:
    return [one["run_id"] for one in client.get("/api/memory", params=query).json()["memory"]]


def test_rest_lists_exports_and_deletes_what_the_caller_owns(served: Served, runs: list[str]) -> None:
    assert [order.options["memory"] for order in served.orders[-2:]] == [True, True]
    with served.client() as owner, served.client(OTHER_KEY) as other, served.client("") as nobody:
        assert ids(owner) == runs[::-1]
        assert ids(owner, limit=1, query="MERGE") == runs[1:]
        assert ids(owner, query="histogram") == []
        exported = owner.get("/api/memory.jsonl")
        assert exported.headers["content-type"].startswith("application/x-ndjson")
        assert [json.loads(line)["lessons"] for line in exported.text.splitlines()] == [KEPT["lessons"]] * 2
        assert ids(other) == []
        assert other.get("/api/memory.jsonl").text == ""
        assert other.delete(f"/api/memory/{runs[0]}").status_code == 404
        assert other.delete("/api/memory").json() == {"forgotten": 0}
        assert nobody.get("/api/memory").status_code == 401
        assert owner.delete(f"/api/memory/{runs[0]}").json() == {"forgotten": 1}
        assert owner.delete(f"/api/runs/{runs[1]}").status_code == 204
        assert ids(owner) == []
        assert owner.get(f"/api/runs/{runs[0]}").status_code == 200, "only what it remembers is forgotten"


@pytest.mark.parametrize(
    ("order", "somebodys"),
    [
        (Order(Task(story.TASK), owner="browser"), True),
        (Order(Task(story.TASK), on_this_machine=True), True),
        (Order(Task(story.TASK)), False),
    ],
)
def test_runs_of_nobody_in_particular_share_no_memory(order: Order, somebodys: bool) -> None:
    settings = Settings.from_env({"MEMORY": "on", "LLM_PROVIDER": "mock"})
    spec = spec_of(settings, order)
    assert order.is_somebodys is somebodys
    assert _remembering(spec, somebodys=somebodys).config.memory is somebodys
    assert spec.config.memory is True


def test_who_asks_for_memory_and_is_nobody_is_told_so() -> None:
    settings = Settings.from_env({"LLM_PROVIDER": "mock"})
    with pytest.raises(BadInput, match="show an API key"):
        _remembering(spec_of(settings, Order(Task(story.TASK), {"memory": True})), somebodys=False, asked=True)


def test_a_lesson_never_becomes_markup() -> None:
    shown = memory_panel([{**KEPT, "run_id": '"><i>', "created": 0.0}], 90.0)
    assert "Touching &lt;b&gt;is&lt;/b&gt; one." in shown
    assert "<i>" not in shown
