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
    """Does one thing after the other, in a thread of its own.

    Writes that came in while it was busy, of whichever runs, become one transaction: one way to the database and one
    commit for each of them would be most of what a busy process waits for. Where that transaction fails, each write is
    tried by itself, so that a run fails for its own writes only. They are not tried again where the database kept all
    of them waiting in vain, because each would wait as long again.
    """

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
        for order in self._stored(orders):
            self._stored([order])

    def _stored(self, orders: list[_Order]) -> list[_Order]:
        """Answers each but those that it returns: they are to be tried each by itself."""
        allowed: list[_Order] = []
        try:
            with self._database.lock:
                allowed = [order for order in orders if self._is_allowed(order)]
                answers = self._answers(allowed)
        except BaseException as error:  # noqa: BLE001 - whoever asked gets it, or would wait for ever
            again = len(allowed) > 1 and not isinstance(error, StoreBusy)
            for order in allowed:
                if again:
                    self._undone(order.run_id, None)
                else:
                    self._fail(order, error)
            return allowed if again else []
        for order, answer in zip(allowed, answers, strict=True):
            order.done.set_result(answer)
        return []

    def _is_allowed(self, order: _Order) -> bool:
        """Answers one whose run may write no more: what that run waited for in vain says nothing of the others."""
        try:
            self._check(order.run_id)
        except BaseException as error:  # noqa: BLE001 - as above
            self._fail(order, error)
            return False
        return True

    def _fail(self, order: _Order, error: BaseException) -> None:
        failure = error if isinstance(error, Exception) else StoreError(f"broken off by {type(error).__name__}")
        self._undone(order.run_id, failure)
        order.done.set_exception(failure)

    def _answers(self, orders: list[_Order]) -> list[Any]:
        if not orders:
            return []
        with self._database.transaction(unread=True):
            sent = [order.write() for order in orders]
        return [answer() for answer in sent]

    def close(self) -> None:
        """Does what was still to be done."""
        self._thread.shutdown()
