"""`python -m agent worker`: drives the runs that apps with the same REDIS_URL and database submit."""

from __future__ import annotations

import sys

from agent.engine import AgentEngine, visitor_keys
from agent.events import AgentEvent
from agent.runs import open_runs
from framework.errors import SettingsError
from framework.log import setup_logging
from framework.secret import Secret
from framework.settings import Settings
from framework.workers.crew import answers, serve
from framework.workers.relay import Relay
from framework.workers.worker import RunWorker

from .metrics import MISSING, Metrics, open_metrics


def run(settings: Settings, *, check: bool = False, metrics_at: str = "") -> int:
    """Drives runs until the process is told to end, then returns 0. With `check`, returns 0 if a worker of this machine
    answers, else 3. `metrics_at` is the [HOST:]PORT where Prometheus finds the worker's figures.

    Raises SettingsError, StoreError."""
    if settings.redis_url is None:
        raise SettingsError("a worker needs REDIS_URL, e.g. redis://localhost:6379/0")
    url = settings.redis_url
    if check:
        return 0 if answers(url) else 3
    metrics = None
    if metrics_at:
        metrics = open_metrics()
        if metrics is None:
            raise SettingsError(MISSING)
        metrics.serve(metrics_at)
    serve(url, lambda: _opened(settings, url, metrics), settings.runs.running)
    return 0


async def _opened(settings: Settings, url: Secret, metrics: Metrics | None) -> RunWorker[AgentEvent]:
    engine = AgentEngine(settings, keys=visitor_keys(settings))
    # The engine's redactor is used so that keys that visitors bring are masked in the logs too.
    setup_logging(engine.redactor, level=settings.log_level.upper(), as_json=settings.environment == "production")
    runs = await open_runs(settings, engine, observer=metrics)
    sandbox = await engine.sandbox()
    level = (await sandbox.describe()).level
    worker = RunWorker(runs, settings.runs.running, Relay(url, engine, engine.redactor.data))
    worker.start()
    told = f"up to {settings.runs.running} runs at a time, programs isolated at level {level!r}"
    print(f"worker: {told}", file=sys.stderr, flush=True)
    return worker
