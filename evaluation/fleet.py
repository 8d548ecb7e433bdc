"""`--engine celery`: trials are made and graded by Celery workers anywhere; REDIS_URL carries them there and back.

A worker is started with `python -m evaluation worker`, with its own settings: model keys never travel.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from framework.broker import CONNECT_S, celery_app
from framework.errors import FrameworkError, SettingsError
from framework.settings import Settings

from .console import Parser, say, whole
from .harness import Bench, Choice, Job, run_trial
from .suites import Problem
from .trials import Trial

NAME, QUEUE = "evaluation.trial", "evaluation"
POLL_S, PING_S = 0.1, 20.0
VISIBILITY_S = 3600
"""Longer than any trial takes: one that is delivered again is made again."""
NO_WORKER = "no worker answers at REDIS_URL; start one with: python -m evaluation worker"


class NoFleet(FrameworkError):
    """Celery, its broker or its workers are not there; the message is one line."""


def application(settings: Settings) -> Any:
    """The Celery application, with the one task a worker can do. Raises NoFleet."""
    if settings.redis_url is None:
        raise NoFleet("--engine celery needs REDIS_URL, e.g. redis://localhost:6379/0")
    try:
        app = celery_app(
            QUEUE,
            settings.redis_url,
            visibility_s=VISIBILITY_S,
            result_backend=settings.redis_url.reveal(),
            result_expires=24 * 3600,
            redis_socket_connect_timeout=CONNECT_S,
            redis_retry_on_timeout=False,
        )
    except SettingsError as error:
        raise NoFleet(f"--engine celery: {error}") from None

    @app.task(name=NAME)
    def trial(  # pyright: ignore[reportUnusedFunction]
        problem: Mapping[str, Any], sample: int, choice: Mapping[str, Any]
    ) -> dict[str, Any]:
        job = Job(Problem.from_json(problem), sample)
        return asdict(asyncio.run(_one(settings, job, Choice(**choice))))

    return app


async def _one(settings: Settings, job: Job, choice: Choice) -> Trial:
    async with Bench.open(settings, choice, settings.state_dir / "evaluation") as bench:
        return await run_trial(bench, job)


async def trials(settings: Settings, choice: Choice, jobs: Sequence[Job]) -> AsyncGenerator[Trial]:
    """Trials in the order in which workers finish them. Raises NoFleet when no worker is there, or none is any more."""
    app = application(settings)
    await _answering(app)
    waiting = {job.key: await asyncio.to_thread(_send, app, job, choice) for job in jobs}
    asked = time.monotonic()
    try:
        while waiting:
            ready = [key for key, pending in waiting.items() if await asyncio.to_thread(pending.ready)]
            for key in ready:
                yield Trial(**await asyncio.to_thread(waiting.pop(key).get))
            if not ready:
                await asyncio.sleep(POLL_S)
            if time.monotonic() - asked > PING_S:
                await _answering(app)
                asked = time.monotonic()
    finally:
        with contextlib.suppress(OSError):
            await asyncio.to_thread(_give_up, app, [pending.id for pending in waiting.values()])


def _send(app: Any, job: Job, choice: Choice) -> Any:
    return app.send_task(NAME, (job.problem.as_json(), job.sample, choice.as_json()))


def _give_up(app: Any, ids: list[str]) -> None:
    if ids:
        app.control.revoke(ids, terminate=True)
    app.close()


async def _answering(app: Any) -> None:
    """Raises NoFleet unless some worker answers."""
    try:
        answers = await asyncio.to_thread(app.control.ping, timeout=2.0)
    except (OSError, importlib.import_module("kombu.exceptions").KombuError) as error:
        raise NoFleet(f"REDIS_URL does not answer: {error}") from None
    if not answers:
        raise NoFleet(NO_WORKER)


def main(argv: Sequence[str]) -> int:
    """Makes trials until it is stopped; returns the exit code, 3 without Celery or REDIS_URL."""
    parser = Parser(prog="python -m evaluation worker", description="A Celery worker for `run --engine celery`.")
    parser.add_argument("--workers", type=whole, default=2, metavar="N", help="trials at the same time")
    arguments = parser.parse_args(argv)
    try:
        app = application(Settings.from_env())
    except FrameworkError as error:
        say(f"python -m evaluation worker: {error}")
        return 3
    app.worker_main(["worker", "--concurrency", str(arguments.workers), "--loglevel", "warning", "--without-gossip"])
    return 0
