"""Several processes as they are deployed: whoever submits, workers over a real Redis, and one of each killed."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from framework.engine import Envelope
from framework.port import keep_all
from framework.runs import Runs
from framework.secret import Secret
from framework.workers.crew import RedisCrew
from framework.workers.relay import Relay

from .places import Place
from .postgres import Server
from .processes import opened_by, serve_runs, start
from .redis_server import MISSING, redis_server
from .steps import Open
from .test_crashes import EVENTS, SPEC, assert_calls
from .toy import Happened, ToyEngine

RUNS = 12


@pytest.mark.slow
async def test_runs_end_as_if_undisturbed_though_workers_redis_and_the_database_are_killed(
    place: Place, opened: Open, tmp_path: Path, postgres_server: Server | None
) -> None:
    (tmp_path / "redis").mkdir()
    with redis_server(tmp_path / "redis") as redis:
        if redis is None:
            pytest.skip(MISSING)
        app, url = await opened(), redis.url if place.url else redis.local_url
        app.leave_to(RedisCrew(Secret(url), Relay(Secret(url), ToyEngine(), keep_all)))
        # It has begun a run, which takes more ticks, before the other one is there to do it.
        doomed = start(serve_runs, place, url, 30)
        ids = [await app.submit(SPEC, title="t") for _ in range(RUNS // 2)]
        while doomed.is_alive() and "running" not in [await app.status(one) for one in ids]:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        lasting = start(serve_runs, place, url, 0)
        # A worker that finds no database when it starts gives up, and nobody here starts it again.
        while lasting.is_alive() and not opened_by(place, lasting.pid).exists():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await asyncio.to_thread(doomed.join, 60)
        assert doomed.exitcode == -signal.SIGKILL
        redis.kill()
        ids += [await app.submit(SPEC, title="t") for _ in range(RUNS - RUNS // 2)]
        redis.start()
        if place.url and postgres_server:
            postgres_server.stop(signal.SIGKILL)
            postgres_server.start()
        for run_id in ids:
            await _followed(app, run_id)
            pending = await app.pending(run_id)
            assert pending
            await app.answer(run_id, pending.id, {"text": "yes"})
        for run_id in ids:
            await _followed(app, run_id)
            items = [item async for item in app.follow(run_id) if isinstance(item, Envelope)]
            assert await app.status(run_id) == "done"
            assert [item.seq for item in items] == list(range(len(EVENTS)))
            assert sorted(item.event.text for item in items) == EVENTS
            assert_calls(place, f"calls {run_id}", losses=1 + bool(place.url))
        assert lasting.pid
        os.kill(lasting.pid, signal.SIGTERM)
        await asyncio.to_thread(lasting.join, 60)
        assert lasting.exitcode == 0


async def _followed(app: Runs[Happened], run_id: str) -> None:
    """Until the run ends or asks, past moments in which the database is away."""
    async for _ in app.follow(run_id):
        pass
