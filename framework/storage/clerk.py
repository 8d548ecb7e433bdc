"""Owns the one thread that goes to the database, and joins the writes of many runs into one transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from ..errors import StoreBusy, StoreError
from .database.base import Database

P = ParamSpec("P")
R = TypeVar("R")
Write = Callable[[], Callable[[], R]]
"""Sends the statements of one write and returns a function that gives its answer once the write is stored."""


@dataclass(slots=True)
class _QueuedWrite:
    """A write that waits for the thread, and the future that its caller holds."""

    run_id: str
    write: Write[Any]
    done: Future[Any] = field(default_factory=Future[Any])


class Clerk:
    """Does one call after the other in a thread of its own.

    Writes that arrive while the thread is busy become one transaction, whichever runs they belong to: a round trip and
    a commit for each of them would be most of what a busy process waits for. If that transaction fails, each write is
    tried by itself, so that a run fails for its own writes only. The writes are not tried again if the database kept
    them waiting until its time limit, because each would wait as long again.
    """

    def __init__(
        self, database: Database, check: Callable[[str], None], undone: Callable[[str, Exception | None], None]
    ) -> None:
        """Takes `check`, which raises if a run may write no more, and `undone`, which is called for each run whose
        write was rolled back: with the error, or with None if the write is tried again."""
        self._database, self._check, self._undone = database, check, undone
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._waiting: list[_QueuedWrite] = []
        self._lock = threading.Lock()
        """Guards `_waiting`."""

    def submit(self, act: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> Future[R]:
        """Queues any call for the thread and returns its future."""
        return self._thread.submit(act, *arguments, **named)

    def write(self, run_id: str, write: Write[R]) -> Future[R]:
        """Queues a run's write, which becomes part of a transaction, and returns its future. Raises RuntimeError after
        `close`."""
        queued = _QueuedWrite(run_id, write)
        with self._lock:
            if not self._waiting:
                self._thread.submit(self._store_waiting)
            self._waiting.append(queued)
        return queued.done

    def _store_waiting(self) -> None:
        """Stores the writes that wait, together or else each by itself."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        batch = [queued for queued in waiting if queued.done.set_running_or_notify_cancel()]
        for queued in self._stored(batch):
            self._stored([queued])

    def _stored(self, batch: list[_QueuedWrite]) -> list[_QueuedWrite]:
        """Stores the writes in one transaction and settles their futures. Returns those that are to be tried again,
        each by itself."""
        allowed: list[_QueuedWrite] = []
        try:
            with self._database.lock:
                allowed = [queued for queued in batch if self._is_allowed(queued)]
                answers = self._answers(allowed)
        except BaseException as error:  # noqa: BLE001 - whoever asked gets it, or would wait for ever
            again = len(allowed) > 1 and not isinstance(error, StoreBusy)
            for queued in allowed:
                if again:
                    self._undone(queued.run_id, None)
                else:
                    self._fail(queued, error)
            return allowed if again else []
        for queued, answer in zip(allowed, answers, strict=True):
            queued.done.set_result(answer)
        return []

    def _is_allowed(self, queued: _QueuedWrite) -> bool:
        """Returns whether the run may still write, and fails the write if not. One run's failure must not fail the
        others' writes."""
        try:
            self._check(queued.run_id)
        except BaseException as error:  # noqa: BLE001 - as above
            self._fail(queued, error)
            return False
        return True

    def _fail(self, queued: _QueuedWrite, error: BaseException) -> None:
        failure = error if isinstance(error, Exception) else StoreError(f"broken off by {type(error).__name__}")
        self._undone(queued.run_id, failure)
        queued.done.set_exception(failure)

    def _answers(self, batch: list[_QueuedWrite]) -> list[Any]:
        """Runs the writes in one transaction and returns their answers."""
        if not batch:
            return []
        with self._database.transaction(unread=True):
            sent = [queued.write() for queued in batch]
        return [answer() for answer in sent]

    def close(self) -> None:
        """Does what is still queued, then ends the thread."""
        self._thread.shutdown()
