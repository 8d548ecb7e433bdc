"""Wakes the workers for those who submit runs, and runs the Celery process that drives runs.

A Celery message holds the id of a run and means only "look at this run". The table of runs says what is to be driven.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import socket
import threading
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, Generic

from ..bus import EventBus
from ..engine import E
from ..port import Published
from ..secret import Secret
from .broker import celery_app
from .relay import Relay
from .worker import RunWorker

_NAME, _TASK = "runs", "runs.drive"
_PING_S, _PAUSE_S = 5.0, 1.0
"""The seconds that `answers` waits for a worker's reply, and the seconds between two starts of Celery."""
_VISIBILITY_S = 60
"""The seconds after which Celery delivers an unacknowledged message again. A worker that gets a message for a run that
is being driven finds the run's lease taken."""
_logger = logging.getLogger(__name__)


class RedisCrew(Generic[E]):
    """The workers as they are reached through Redis."""

    def __init__(self, url: Secret, relay: Relay[E]) -> None:
        """Raises SettingsError if a package is missing."""
        self._app = _application(url)
        self._relay = relay
        # This thread does nothing else, so that wakes do not queue behind other work and all use one connection.
        self._waking = ThreadPoolExecutor(1, thread_name_prefix="wake workers")

    def join(self, bus: EventBus[Published[E]]) -> None:
        """Connects the bus with the workers in both directions. This process publishes, too: other web processes must
        hear of a run that is stopped here before a worker begins it."""
        self._relay.bring_to(bus)
        self._relay.send_from(bus)

    def wake(self, run_id: str) -> None:
        """Wakes a worker for the run and returns at once."""
        with suppress(RuntimeError):  # this process is ending; the run is in the table, where a worker finds it
            self._waking.submit(self._send, run_id)

    def _send(self, run_id: str) -> None:
        """Sends the run's id to a worker. A failure is only logged."""
        kombu: Any = importlib.import_module("kombu.exceptions")
        try:
            self._app.send_task(_TASK, (run_id,), retry=False)
        except (OSError, kombu.KombuError) as error:
            _logger.warning("no worker could be woken; run %s begins when one looks: %s", run_id, error)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._waking.shutdown)
        await self._relay.aclose()
        await asyncio.to_thread(self._app.close)


def serve(url: Secret, open_worker: Callable[[], Coroutine[Any, Any, RunWorker[Any]]], at_once: int) -> None:
    """Drives runs until this process is told to end. Raises SettingsError, and what `open_worker` raises.

    On SIGTERM or Ctrl-C it leaves its runs to other workers, which continue from the last checkpoints.
    """
    _application(url)
    signals, state = map(importlib.import_module, ("celery.signals", "celery.worker.state"))
    told_to_end = threading.Event()
    with _loop() as call:
        worker = call(open_worker())

        def drive(run_id: str) -> None:
            call(worker.drive(run_id))

        def leave(**_: Any) -> None:
            told_to_end.set()
            # Celery waits for its tasks, which end with their drives. A signal handler must not wait for them.
            threading.Thread(target=call, args=(worker.leave(),)).start()

        signals.worker_shutting_down.connect(leave)
        try:
            # Celery gives up if Redis is killed while a message is not acknowledged yet. The worker must not.
            while True:
                _hear(url, drive, at_once)
                # A SIGHUP is told to nobody but Celery, which keeps `should_stop` set: a Celery that is started after
                # it ends at once.
                if state.should_stop is not None or told_to_end.wait(_PAUSE_S):
                    break
                _logger.error("Celery ended by itself; it is started again")
        finally:
            call(worker.aclose())


def _hear(url: Secret, drive: Callable[[str], None], at_once: int) -> None:
    """Runs Celery and does what its messages say, until Celery ends."""
    # A Celery that gave up leaves a broken event loop behind.
    importlib.import_module("kombu.asynchronous").set_event_loop(None)
    app = _application(url)
    app.task(name=_TASK)(drive)
    argv = ["--quiet", "worker", "--pool", "threads", "--concurrency", str(at_once), "--loglevel", "warning"]
    app.worker_main([*argv, "--without-gossip", "--without-mingle"])


def answers(url: Secret) -> bool:
    """Returns whether a worker on this machine answers. Raises SettingsError."""
    app, kombu = _application(url), importlib.import_module("kombu.exceptions")
    try:
        return bool(app.control.ping(destination=[f"celery@{socket.gethostname()}"], timeout=_PING_S))
    except (OSError, kombu.KombuError):
        return False


def _application(url: Secret) -> Any:
    """Returns the Celery application that carries the ids of runs. Raises SettingsError."""
    return celery_app(_NAME, url, visibility_s=_VISIBILITY_S, task_ignore_result=True, worker_hijack_root_logger=False)


@contextmanager
def _loop() -> Generator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Runs an event loop in a thread of its own and yields a function that runs a coroutine there and waits for its
    result."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="runs", daemon=True)
    thread.start()
    try:
        yield lambda act: asyncio.run_coroutine_threadsafe(act, loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
