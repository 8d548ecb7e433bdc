"""The workers, to those who submit runs; and a process of Celery's that drives runs.

A message of Celery's is the id of a run and means: look at this one. What is to be driven stands in the table of runs.
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

from .broker import celery_app
from .bus import EventBus
from .engine import E
from .port import Published
from .relay import Relay
from .secret import Secret
from .worker import RunWorker

_NAME, _TASK = "runs", "runs.drive"
_PING_S, _PAUSE_S = 5.0, 1.0
"""Seconds."""
_VISIBILITY_S = 60
"""Seconds after which Celery delivers a message again that nobody has acknowledged. Whoever gets it while the run is
driven finds its lease taken."""
_logger = logging.getLogger(__name__)


class RedisCrew(Generic[E]):
    """Reached through Redis."""

    def __init__(self, url: Secret, relay: Relay[E]) -> None:
        """Raises SettingsError."""
        self._app = _application(url)
        self._relay = relay
        # Of its own: wakes do not stand in line behind other work, and all go over one connection.
        self._waking = ThreadPoolExecutor(1, thread_name_prefix="wake workers")

    def join(self, bus: EventBus[Published[E]]) -> None:
        """What ends here, a run that is stopped before a worker begins it, is heard by the other web processes, too."""
        self._relay.bring_to(bus)
        self._relay.send_from(bus)

    def wake(self, run_id: str) -> None:
        with suppress(RuntimeError):  # this process ends: the run is listed, and a worker finds it when it looks
            self._waking.submit(self._send, run_id)

    def _send(self, run_id: str) -> None:
        kombu: Any = importlib.import_module("kombu.exceptions")
        try:
            self._app.send_task(_TASK, (run_id,), retry=False)
        except (OSError, kombu.KombuError) as error:
            _logger.warning("no worker could be woken, run %s begins when one looks: %s", run_id, error)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._waking.shutdown)
        await self._relay.aclose()
        await asyncio.to_thread(self._app.close)


def serve(url: Secret, open_worker: Callable[[], Coroutine[Any, Any, RunWorker[Any]]], at_once: int) -> None:
    """Drives runs until this process is told to end. Raises SettingsError, and what `open_worker` raises.

    SIGTERM or Ctrl-C leaves the runs to other workers, which go on from their last checkpoints.
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
            # Celery waits for its tasks, which end with their drives; a signal handler must not wait for them.
            threading.Thread(target=call, args=(worker.leave(),)).start()

        signals.worker_shutting_down.connect(leave)
        try:
            # Celery gives up where Redis is killed while a message is not acknowledged yet; the worker must not.
            while True:
                _hear(url, drive, at_once)
                # Nobody but Celery hears of a SIGHUP, and it would obey it again and again.
                if state.should_stop is not None or told_to_end.wait(_PAUSE_S):
                    break
                _logger.error("Celery ended by itself; it is started again")
        finally:
            call(worker.aclose())


def _hear(url: Secret, drive: Callable[[str], None], at_once: int) -> None:
    """Does what Celery's messages say until Celery ends."""
    # One that gave up leaves its loop behind, broken.
    importlib.import_module("kombu.asynchronous").set_event_loop(None)
    app = _application(url)
    app.task(name=_TASK)(drive)
    argv = ["--quiet", "worker", "--pool", "threads", "--concurrency", str(at_once), "--loglevel", "warning"]
    app.worker_main([*argv, "--without-gossip", "--without-mingle"])


def answers(url: Secret) -> bool:
    """Whether a worker of this machine does. Raises SettingsError."""
    app, kombu = _application(url), importlib.import_module("kombu.exceptions")
    try:
        return bool(app.control.ping(destination=[f"celery@{socket.gethostname()}"], timeout=_PING_S))
    except (OSError, kombu.KombuError):
        return False


def _application(url: Secret) -> Any:
    return celery_app(_NAME, url, visibility_s=_VISIBILITY_S, task_ignore_result=True, worker_hijack_root_logger=False)


@contextmanager
def _loop() -> Generator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """An event loop in a thread of its own, and what runs something there from any other thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="runs", daemon=True)
    thread.start()
    try:
        yield lambda act: asyncio.run_coroutine_threadsafe(act, loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
