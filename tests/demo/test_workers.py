"""The app and its workers as they are deployed: a visitor's key, a worker that is killed with it, and what is left."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psycopg
import pytest
from cryptography.fernet import Fernet
from psycopg import sql

from agent.state import Task
from agent.task.order import Order
from demo.workshop import Workshop
from framework.secret import Secret
from framework.settings import Settings
from llm.errors import NoProvider
from tests.agent.command_line import agent, free_port, start
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_unhelpful_models import RIGHT, TASK, usual
from tests.framework.postgres import MISSING as NO_POSTGRES
from tests.framework.postgres import Server
from tests.framework.postgres import server as postgres_server
from tests.framework.redis_server import MISSING as NO_REDIS
from tests.framework.redis_server import Redis, redis_server

CANARY = "sk-canary-4f9a1c7e2b8d6053"
ORDER = Order(Task(TASK), {"independent_attempts": 0}, provider="openai", model="loopback", key=Secret(CANARY))


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    (tmp_path / "redis").mkdir()
    with redis_server(tmp_path / "redis") as running:
        if running is None:
            pytest.skip(NO_REDIS)
        yield running


async def test_without_the_secret_a_visitors_key_is_refused_in_one_line(redis: Redis, tmp_path: Path) -> None:
    app = await Workshop.open(Settings.from_env({"STATE_DIR": str(tmp_path), "REDIS_URL": redis.url}))
    with pytest.raises(NoProvider, match=r"^a key of your own cannot be taken here: VISITOR_KEYS_SECRET is not set$"):
        await app.runs.begin(ORDER)
    await app.aclose()


M = TypeVar("M", bound=ModelServer)


@contextmanager
def surroundings(redis: Redis, model: M) -> Iterator[tuple[Server, M, dict[str, str]]]:
    """A database, a model that writes the right program, and the settings by which apps and workers find them."""
    with postgres_server() as database:
        if database is None:
            pytest.skip(NO_POSTGRES)
        model.answer = lambda role, times: fenced(RIGHT) if role == "generator" else usual(role)
        model.start()
        addresses = {"DATABASE_URL": database.url(), "REDIS_URL": redis.url, "OPENAI_BASE_URL": model.url}
        yield database, model, {**addresses, "LLM_PROVIDER": "mock"}
        model.stop()


class Guarded(ModelServer):
    """Notes the keys that it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: set[str] = set()

    def _reply(self, handler: Any) -> None:
        self.keys.add(handler.headers["authorization"])
        super()._reply(handler)


@pytest.mark.slow
async def test_a_run_with_a_visitors_key_outlives_its_worker_and_the_key_is_nowhere(
    redis: Redis, tmp_path: Path
) -> None:
    with surroundings(redis, Guarded()) as (database, model, addresses):
        settings = {**addresses, "LOG_LEVEL": "debug", "VISITOR_KEYS_SECRET": Fernet.generate_key().decode()}
        ports = [free_port(), free_port()]
        workers = [
            await start("worker", "--metrics", str(port), state=tmp_path / "state", env=settings) for port in ports
        ]
        app = await Workshop.open(Settings.from_env({**settings, "STATE_DIR": str(tmp_path / "state")}))
        undisturbed = await _driven(app, await app.runs.begin(ORDER))
        release = model.hold("adversarial tester", seconds=120)
        asked = model.asked.total()
        run_id = await app.runs.begin(ORDER)
        while not model.prompts or len(model.prompts) < asked + 3:  # noqa: ASYNC110 - a server's thread is no event
            await asyncio.sleep(0.05)
        row = await app.runs.row(run_id)
        holder = re.fullmatch(r"worker pid (\d+) on .*", row.holder if row else "")
        assert holder
        assert (await agent("worker", "--check", state=tmp_path / "state", env=settings)).code == 0
        dump = redis.saved()
        assert f"visitor-key:{run_id}".encode() in dump
        os.kill(int(holder[1]), signal.SIGKILL)
        release()
        assert await _driven(app, run_id) == undisturbed
        assert undisturbed[0] == "verified"
        assert model.asked.total() == 2 * asked + 1, "only the call that was held is made again"
        assert model.keys == {f"Bearer {CANARY}"}
        [lasting] = [port for worker, port in zip(workers, ports, strict=True) if worker.pid != int(holder[1])]
        told = (await asyncio.to_thread(httpx.get, f"http://127.0.0.1:{lasting}/metrics")).text
        assert re.search(r'^agent_runs_total\{verdict="verified"\} [12]\.0$', told, re.MULTILINE)
        await app.aclose()
        left = [dump, redis.saved(), *_rows(database.url())]
        for worker in workers:
            with suppress(ProcessLookupError):
                worker.terminate()
            left += await worker.communicate()
    left += [path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert not [text[:200] for text in left if CANARY.encode() in text or CANARY.encode().hex().encode() in text]


@pytest.mark.slow
async def test_runs_end_once_though_one_of_two_apps_and_workers_redis_and_the_database_are_killed(
    redis: Redis, tmp_path: Path
) -> None:
    with surroundings(redis, ModelServer()) as (database, model, addresses):
        settings = {**addresses, "OPENAI_API_KEY": "k", "RUNS_RUNNING": "2", "GRADIO_ANALYTICS_ENABLED": "False"}
        state, ports = tmp_path / "state", (free_port(), free_port())
        workers = [await start("worker", state=state, env=settings) for _ in ports]
        apps = [await start("--port", str(port), state=state, env=settings, module="app") for port in ports]
        doomed, lasting = (httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=120) for port in ports)
        for app in (doomed, lasting):
            await _until_healthy(app)
        undisturbed = await _told_by(lasting, await _started(lasting))
        calls = model.asked.total()
        release = model.hold("adversarial tester", seconds=120)
        ids = [await _started(app) for app in (doomed, lasting) for _ in range(4)]
        while [role for role, _ in model.prompts[calls:]].count("adversarial tester") < 4:  # noqa: ASYNC110 - a thread
            await asyncio.sleep(0.05)
        apps[0].kill()
        workers[0].kill()
        redis.kill()
        database.stop(signal.SIGKILL)
        release()
        redis.start()
        database.start()
        assert [await _told_by(lasting, run_id) for run_id in ids] == [undisturbed] * len(ids)
        assert undisturbed[0] == "verified"
        assert model.asked.total() <= (len(ids) + 1) * calls + 4, "only the calls that were held are made again"
        for process in (*workers, *apps):
            with suppress(ProcessLookupError):
                process.terminate()
            await process.communicate()
        for app in (doomed, lasting):
            await app.aclose()


async def _until_healthy(app: httpx.AsyncClient) -> None:
    while True:
        with suppress(httpx.TransportError):
            if (await app.get("/api/health")).status_code == 200:
                return
        await asyncio.sleep(0.1)


async def _started(app: httpx.AsyncClient) -> str:
    order = {"task": TASK, "provider": "openai", "model": "loopback"}
    return (await app.post("/api/runs", json=order)).raise_for_status().json()["run_id"]


async def _told_by(app: httpx.AsyncClient, run_id: str) -> tuple[str, list[str], int]:
    """As `_driven`, over REST; past moments in which the database is away."""
    while (report := await app.get(f"/api/runs/{run_id}")).status_code == 503 or report.json()["status"] != "done":
        with suppress(httpx.TransportError):
            await app.get(f"/api/runs/{run_id}/events")
        await asyncio.sleep(0.1)
    streamed = (await app.get(f"/api/runs/{run_id}/events")).text
    events = [json.loads(line[6:]) for line in streamed.splitlines() if line.startswith("data: {") and "seq" in line]
    assert [event["seq"] for event in events] == list(range(len(events)))
    return report.json()["verdict"], sorted(event["kind"] for event in events), report.json()["usage"]["calls"]


async def _driven(app: Workshop, run_id: str) -> tuple[str, list[str], int]:
    """Verdict, kinds of events, and paid calls of a run that has ended."""
    told = (await app.runs.ended(run_id)).outcome()
    events = await app.runs.events(run_id)
    assert [event.seq for event in events] == list(range(len(events)))
    return told.verdict or "", sorted(event.kind for event in events), told.usage.calls


def _rows(database: str) -> Iterator[bytes]:
    """All that the tables hold."""
    with psycopg.connect(database) as connection:
        for (table,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall():
            with connection.cursor().copy(sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table))) as copied:
                yield b"".join(copied)
