"""Several processes as they are deployed: whoever submits, workers over a real Redis, and one of each killed."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from framework.crew import RedisCrew
from framework.engine import Envelope
from framework.port import keep_all
from framework.relay import Relay
from framework.secret import Secret

from .places import Place
from .processes import serve_runs, start
from .redis_server import MISSING, redis_server
from .steps import Open
from .test_crashes import EVENTS, SPEC, assert_calls
from .toy import ToyEngine

RUNS = 12
TAKEN_OVER_S = 30


@pytest.mark.slow
async def test_runs_end_as_if_undisturbed_though_workers_and_redis_are_killed(
    place: Place, opened: Open, tmp_path: Path
) -> None:
    (tmp_path / "redis").mkdir()
    with redis_server(tmp_path / "redis") as redis:
        if redis is None:
            pytest.skip(MISSING)
        doomed, mortal, lasting = (start(serve_runs, place, redis.url, tick) for tick in (40, 200, 0))
        app = await opened()
        app.leave_to(RedisCrew(Secret(redis.url), Relay(Secret(redis.url), ToyEngine(), keep_all)))
        ids = [await app.submit(SPEC, title="t") for _ in range(RUNS // 2)]
        await asyncio.to_thread(doomed.join, 60)
        assert doomed.exitcode == -signal.SIGKILL
        killed = time.monotonic()
        redis.kill()
        ids += [await app.submit(SPEC, title="t") for _ in range(RUNS - RUNS // 2)]
        redis.start()
        for run_id in ids:
            async for _ in app.tail(run_id):
                pass
            pending = await app.pending(run_id)
            assert pending
            await app.answer(run_id, pending.id, {"text": "yes"})
        for run_id in ids:
            items = [item async for item in app.tail(run_id) if isinstance(item, Envelope)]
            assert await app.status(run_id) == "done"
            assert [item.seq for item in items] == list(range(len(EVENTS)))
            assert sorted(item.event.text for item in items) == EVENTS
            assert_calls(place, f"calls {run_id}")
        print(f"all done {time.monotonic() - killed:.1f} s after the first kill")
        await asyncio.to_thread(mortal.join, 60)
        assert mortal.exitcode == -signal.SIGKILL
        assert lasting.pid
        os.kill(lasting.pid, signal.SIGTERM)
        await asyncio.to_thread(lasting.join, 60)
        assert lasting.exitcode == 0
