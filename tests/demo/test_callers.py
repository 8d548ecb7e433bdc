"""Who a caller is, and how often they may start a run."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import uvicorn

from agent.task.order import Order
from agent.task.request import BadInput
from demo.desk import Desk
from demo.doors.gate import Gate, TooOften
from demo.doors.rest import rest_app
from demo.options import UiOptions
from framework.errors import (
    NotResumable,
    RunBusy,
    StaleAnswer,
    StoreBroken,
    StoreBusy,
    StoreError,
    TooManyRuns,
    UnknownRun,
)
from framework.rate import Rate
from framework.secret import Secret
from framework.settings import Settings, trust_proxies
from llm.errors import AuthFailed, Overloaded, RateLimited
from sandbox.types import LevelTooLow, SandboxBroken


async def seen(peer: str, forwarded: str) -> str:
    """The caller's address, as the web server that Gradio starts gives it to the app."""
    found: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        found.append(scope["client"][0])

    config = uvicorn.Config(app, log_config=None, lifespan="off")
    config.load()
    scope: Any = {"type": "http", "client": (peer, 1), "headers": [(b"x-forwarded-for", forwarded.encode())]}
    await config.loaded_app(scope, None, None)  # type: ignore[arg-type]
    return found[0]


@pytest.mark.parametrize(
    ("variables", "peer", "forwarded", "address"),
    [
        ({}, "127.0.0.1", "1.1.1.1", "127.0.0.1"),
        ({"TRUSTED_PROXIES": "10.0.0.0/8, 127.0.0.1"}, "127.0.0.1", "1.1.1.1, 9.9.9.9, 10.1.2.3", "9.9.9.9"),
        ({"TRUSTED_PROXIES": "10.0.0.0/8"}, "192.0.2.1", "1.1.1.1", "192.0.2.1"),
        ({"SPACE_ID": "me/it"}, "10.16.1.1", "1.1.1.1, 9.9.9.9", "9.9.9.9"),
    ],
)
async def test_only_a_proxy_that_is_named_says_who_calls(
    variables: dict[str, str], peer: str, forwarded: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    trust_proxies(Settings.from_env(variables).server.trusted_proxies)
    assert await seen(peer, forwarded) == address


async def test_each_key_has_a_rate_of_its_own_wherever_it_calls_from() -> None:
    door = Gate(UiOptions(storage_secret="x", rate=Rate(1, 3600.0), api_keys=(Secret("one"), Secret("two"))))
    await door.count({"x-api-key": "one"}, "10.0.0.1")
    with pytest.raises(TooOften):
        await door.count({"authorization": "bearer one"}, "10.0.0.2")
    await door.count({"x-api-key": "two"}, "10.0.0.1")


async def test_a_name_that_nobody_demands_buys_no_more_runs() -> None:
    door = Gate(UiOptions(storage_secret="x", rate=Rate(1, 3600.0)))
    await door.count({"x-api-key": "one"}, "10.0.0.1")
    with pytest.raises(TooOften):
        await door.count({"x-api-key": "two"}, "10.0.0.1")


class FullDesk(Desk):
    """Takes one run; for the second there is no room, and then the store fails."""

    def __init__(self) -> None:
        self._answers: list[str | Exception] = ["r", TooManyRuns("full"), StoreError("the disk is full")]

    async def runs(self) -> Any:
        return self

    async def begin(self, order: Order) -> str:
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def test_a_refusal_for_now_says_when_to_come_again() -> None:
    app = rest_app(FullDesk(), Gate(UiOptions(storage_secret="x", rate=Rate(3, 3600.0))))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as client:
        told = [await client.post("/api/runs", json={"task": "do"}) for _ in range(4)]
    assert [one.status_code for one in told] == [201, 429, 503, 429]
    waits = [one.headers.get("retry-after") for one in told]
    assert waits[:3] == [None, "5", "5"]
    assert 0 < int(waits[3] or 0) <= 3600


class Refusing(Desk):
    """Knows one run of nobody's, and does nothing for it but say why not."""

    def __init__(self, error: Exception) -> None:
        for name in ("begin", "stop", "resume", "reply", "delete", "outcome", "bundle", "page", "end_shares"):
            setattr(self, name, self._refuse)
        self.store = SimpleNamespace(do=self._refuse, blobs=SimpleNamespace(load=None))
        self._error = error

    async def workshop(self) -> Any:
        return self

    async def runs(self) -> Any:
        return self

    async def _refuse(self, *_: object) -> Any:
        raise self._error

    async def owner(self, run_id: str) -> str:
        return ""

    async def shares_ended(self, run_id: str) -> int:
        return 0


ASKED = {
    "POST /api/runs": {"task": "do"},
    "GET /api/runs": None,
    "GET /api/runs/r": None,
    "DELETE /api/runs/r": None,
    "POST /api/runs/r/stop": None,
    "POST /api/runs/r/resume": None,
    "POST /api/runs/r/answers": {"question": "q", "action": "approve"},
    "POST /api/runs/r/fork": {"attempt": "c1"},
    "DELETE /api/runs/r/share": None,
    "GET /api/runs/r/bundle": None,
    "GET /api/runs/r/files/plot.png": None,
}


@pytest.mark.parametrize(
    ("error", "code", "wait"),
    [
        (UnknownRun("no"), 404, None),
        (RunBusy("no"), 409, None),
        (StaleAnswer("no"), 409, None),
        (NotResumable("no"), 409, None),
        (BadInput("no"), 422, None),
        (TooManyRuns("no"), 429, "5"),
        (TooOften(6.5), 429, "7"),
        (StoreError("no"), 503, "5"),
        (StoreBusy("no"), 503, "5"),
        (StoreBroken("no"), 503, None),
        (SandboxBroken("no"), 503, "5"),
        (LevelTooLow("no"), 503, None),
        (Overloaded("no"), 503, "5"),
        (RateLimited("no", retry_after=8.5), 503, "9"),
        (AuthFailed("no"), 503, None),
    ],
)
async def test_a_refusal_has_the_same_code_at_every_route(error: Exception, code: int, wait: str | None) -> None:
    app = rest_app(Refusing(error), Gate(UiOptions(storage_secret="x")))
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
        for asked, body in ASKED.items():
            method, _, path = asked.partition(" ")
            told = await client.request(method, path, json=body)
            assert (told.status_code, told.headers.get("retry-after")) == (code, wait), asked
            assert set(told.json()) == {"error"}, asked


@pytest.mark.parametrize(("status", "code", "wait"), [("ok", 200, None), ("degraded", 200, None), ("down", 503, "5")])
async def test_an_app_that_is_down_says_when_to_look_again(status: str, code: int, wait: str | None) -> None:
    class Ill:
        async def workshop(self) -> Any:
            return self

        async def health(self) -> dict[str, Any]:
            part = {"ok": False, "detail": "away"}
            return {"status": status, "version": "1", "broker": None, "database": part, "sandbox": part, "models": part}

    desk: Any = Ill()
    transport = httpx.ASGITransport(rest_app(desk, Gate(UiOptions(storage_secret="x"))), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
        told = await client.get("/api/health")
    assert (told.status_code, told.headers.get("retry-after")) == (code, wait)
