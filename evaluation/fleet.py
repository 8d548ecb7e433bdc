"""`--engine celery`: lets Celery workers make and grade trials on any machine.

REDIS_URL carries trials there and results back. A worker is started with `python -m evaluation worker` and its own
settings, so that model keys never travel.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import time
import uuid
from collections import Counter, deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from framework.command_line import CommandParser
from framework.errors import FrameworkError, SettingsError
from framework.settings import Settings
from framework.workers.broker import CONNECT_S, celery_address, celery_app

from .console import whole
from .harness import Choice, Harness, Job, failed, run_trial
from .suites import Problem
from .trials import Trial

NAME, QUEUE = "evaluation.trial", "evaluation"
POLL_S, PING_S, PONG_S = 0.1, 10.0, 2.0
"""The seconds between two looks for ended trials, between two pings of the workers, and for the answers to a ping."""
AHEAD = 2
"""The trials that are sent for each place of a worker. What a killed client leaves in the queue is made for nobody."""
SILENT_PINGS = 2
"""A worker that misses so many pings in a row is lost, and what it had begun is made again within 30 seconds. A slow
worker misses one."""
VISIBILITY_S = 3600
"""The seconds after which Redis delivers a task again. No trial takes so long. The client does not wait for this: it
sends the trials of a lost worker again itself, and takes no other answer for them."""
NO_WORKER = "no worker answers at REDIS_URL; start one with: python -m evaluation worker"


class NoFleet(FrameworkError):
    """Celery, its broker or its workers are missing. The message is one line."""


def application(settings: Settings) -> Any:
    """Returns the Celery application with the one task that a worker can do. Raises NoFleet."""
    if settings.redis_url is None:
        raise NoFleet("--engine celery needs REDIS_URL, e.g. redis://localhost:6379/0")
    try:
        app = celery_app(
            QUEUE,
            settings.redis_url,
            visibility_s=VISIBILITY_S,
            result_backend=celery_address(settings.redis_url),
            result_expires=24 * 3600,
            redis_socket_connect_timeout=CONNECT_S,
            redis_retry_on_timeout=False,
            task_track_started=True,
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
    async with Harness.open(settings, choice, settings.state_dir / "evaluation") as bench:
        return await run_trial(bench, job)


async def trials(settings: Settings, choice: Choice, jobs: Sequence[Job]) -> AsyncGenerator[Trial]:
    """Yields trials as workers finish them. Another worker makes the trials of a worker that died. Raises NoFleet if no
    worker is there, or none is left."""
    app, watch = application(settings), WorkerWatch()
    watch.heard(await _answering(app))
    if not watch.there:
        raise NoFleet(NO_WORKER)
    named, unsent = {job.key: job for job in jobs}, deque(jobs)
    waiting: dict[str, Any] = {}
    asked = time.monotonic()
    try:
        while waiting or unsent:
            while unsent and len(waiting) < AHEAD * sum(watch.there.values()):
                job = unsent.popleft()
                waiting[job.key] = await asyncio.to_thread(_send, app, job, choice)
            ready = [key for key, pending in waiting.items() if await asyncio.to_thread(pending.ready)]
            for key in ready:
                told: Any = await asyncio.to_thread(waiting.pop(key).get, propagate=False)
                lost = isinstance(told, BaseException)
                yield failed(named[key], "", f"the worker: {told!r}") if lost else Trial(**told)
            if not ready:
                await asyncio.sleep(POLL_S)
            if time.monotonic() - asked > PING_S:
                watch.heard(await _answering(app))
                for key in await asyncio.to_thread(watch.lost, waiting):
                    waiting[key] = await asyncio.to_thread(_send, app, named[key], choice)
                asked = time.monotonic()
    finally:
        with contextlib.suppress(OSError):
            await asyncio.to_thread(_give_up, app, [pending.id for pending in waiting.values()])


def _send(app: Any, job: Job, choice: Choice) -> Any:
    return app.send_task(NAME, (job.problem.as_json(), job.sample, asdict(choice)))


def _give_up(app: Any, ids: list[str]) -> None:
    """Takes back the trials that were sent, and closes the application."""
    if ids:
        app.control.revoke(ids, terminate=True)
    app.close()


class WorkerWatch:
    """Tells by the answers to pings which workers there are."""

    def __init__(self) -> None:
        self.there: Mapping[str, int] = {}
        """How many trials each worker makes at the same time, by its name."""
        self._silent: Counter[str] = Counter()

    def heard(self, answers: Mapping[str, int]) -> None:
        """Takes the workers that answered a ping."""
        missing = (set(self.there) | set(self._silent)) - set(answers)
        self._silent = Counter({name: self._silent[name] + 1 for name in missing})
        self.there = answers

    def lost(self, waiting: Mapping[str, Any]) -> list[str]:
        """Returns the keys of the trials that lost workers had begun. Raises NoFleet if all workers are lost."""
        gone = {name for name, missed in self._silent.items() if missed >= SILENT_PINGS}
        if gone and not self.there:
            raise NoFleet(NO_WORKER)
        begun = {key: one.info for key, one in waiting.items() if one.state == "STARTED"} if gone else {}
        # A trial that ended between the two looks now shows its answer, which names no worker.
        return [key for key, info in begun.items() if isinstance(info, dict) and info.get("hostname") in gone]


async def _answering(app: Any) -> Mapping[str, int]:
    """Returns how many trials each answering worker makes at the same time, by its name. Raises NoFleet if Redis does
    not answer."""
    try:
        answers: dict[str, Any] = await asyncio.to_thread(app.control.inspect(timeout=PONG_S).stats) or {}
    except (OSError, importlib.import_module("kombu.exceptions").KombuError) as error:
        raise NoFleet(f"REDIS_URL does not answer: {error}") from None
    return {name: int(told.get("pool", {}).get("max-concurrency", 1)) for name, told in answers.items()}


def main(argv: Sequence[str]) -> int:
    """Makes trials until it is stopped. Returns the exit code. Raises FrameworkError without Celery or REDIS_URL."""
    parser = CommandParser(prog="python -m evaluation worker", description="A Celery worker for `run --engine celery`.")
    parser.add_argument("--workers", type=whole, default=2, metavar="N", help="trials at the same time")
    arguments = parser.parse_args(argv)
    app = application(Settings.from_env())
    # Each process gets a name of its own, so that a restarted worker does not answer for one that was killed.
    named = ["--hostname", f"{uuid.uuid4().hex}@%h", "--loglevel", "warning", "--without-gossip"]
    app.worker_main(["worker", "--concurrency", str(arguments.workers), *named])
    return 0
