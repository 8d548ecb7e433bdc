"""The one thread that goes to the database, and what it writes for many runs at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from .database.base import Database
from .errors import StoreBusy, StoreError

P = ParamSpec("P")
R = TypeVar("R")
Write = Callable[[], Callable[[], R]]
"""Sends what is to be written, and returns what gives its answer once that is stored."""


@dataclass(slots=True)
class _Order:
    run_id: str
    write: Write[Any]
    done: Future[Any] = field(default_factory=Future[Any])


class Clerk:
    """Does one thing after the other. The writes that came while it was busy, of whichever runs, are one transaction in
    the place of the first of them: a way to the database and a commit for each would be most of what a busy
    process waits for. Where that transaction fails each is tried by itself, so that a run fails for its own writes
    alone, and keeps those before; but not where all waited in vain, for each would wait as long again."""

    def __init__(
        self, database: Database, check: Callable[[str], None], undone: Callable[[str, Exception | None], None]
    ) -> None:
        """`check` raises where a run may write no more. `undone` is told whose writes were rolled back, with the error
        where they are not tried again."""
        self._database, self._check, self._undone = database, check, undone
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._waiting: list[_Order] = []
        self._lock = threading.Lock()
        """Of `_waiting`."""

    def submit(self, act: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> Future[R]:
        """Has anything done."""
        return self._thread.submit(act, *arguments, **named)

    def write(self, run_id: str, write: Write[R]) -> Future[R]:
        """Has a run's write done, as a part of a transaction. Raises RuntimeError once it is closed."""
        order = _Order(run_id, write)
        with self._lock:
            if not self._waiting:
                self._thread.submit(self._store_waiting)
            self._waiting.append(order)
        return order.done

    def _store_waiting(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        orders = [order for order in waiting if order.done.set_running_or_notify_cancel()]
        if orders and not self._stored(orders):
            for order in orders:
                self._stored([order])

    def _stored(self, orders: list[_Order]) -> bool:
        """Answers each; False, and none is answered, where each is to be tried by itself."""
        try:
            with self._database.lock:
                answers = self._answers(orders)
        except BaseException as error:  # noqa: BLE001 - whoever asked gets it, or would wait for ever
            again = len(orders) > 1 and not isinstance(error, StoreBusy)
            failure = error if isinstance(error, Exception) else StoreError(f"broken off by {type(error).__name__}")
            for order in orders:
                self._undone(order.run_id, None if again else failure)
                if not again:
                    order.done.set_exception(failure)
            return not again
        for order, answer in zip(orders, answers, strict=True):
            order.done.set_result(answer)
        return True

    def _answers(self, orders: list[_Order]) -> list[Any]:
        for run_id in {order.run_id for order in orders}:
            self._check(run_id)
        with self._database.transaction(unread=True):
            sent = [order.write() for order in orders]
        return [answer() for answer in sent]

    def close(self) -> None:
        """Does what was still to be done."""
        self._thread.shutdown()
