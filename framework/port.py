"""Connects a driven run to the outside: journal, viewers, paid work and files.

It also keeps what could not be stored.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from .bus import EventBus
from .engine import E, Engine, Envelope, Live, Observer, Redact
from .storage.database.base import Rows, SqlStatement
from .storage.journal import whole, written
from .storage.store import Store
from .waiting import shielded

MAX_UNSTORED_CHARS = 32 * 2**20
"""How many characters `Unstored` keeps, of all runs together."""
_logger = logging.getLogger(__name__)
R = TypeVar("R")
Published = Envelope[E] | Live[E] | None
"""What travels on the bus of a run. None means that a drive of the run ended."""


class Unstored:
    """Keeps what runs paid for while the database was away, in this process, until a later drive of the run stores it.

    Beyond MAX_UNSTORED_CHARS it forgets the run that has waited longest, which then pays again. All of it is lost when
    the process ends.
    """

    def __init__(self) -> None:
        self._by_run: dict[str, dict[str, str]] = {}

    def of(self, run_id: str) -> Mapping[str, str]:
        """Returns the run's values as JSON text, by key."""
        return self._by_run.get(run_id, {})

    def keep(self, run_id: str, memo: Mapping[str, str]) -> None:
        """Adds the values to those that are kept for the run. A drive that failed before it read those does not hand
        them in again."""
        if memo:
            self._by_run[run_id] = {**self._by_run.pop(run_id, {}), **memo}
        while sum(len(k) + len(v) for kept in self._by_run.values() for k, v in kept.items()) > MAX_UNSTORED_CHARS:
            oldest = next(iter(self._by_run))
            _logger.warning("what run %s paid for while the database was away is forgotten: it is too much", oldest)
            self.forget(oldest)

    def forget(self, run_id: str) -> None:
        self._by_run.pop(run_id, None)


@dataclass(slots=True)
class _Queued:
    """An event, text or value that is told once it is stored and all that was written before it has been told."""

    tell: Callable[[Rows], None]
    stored: Rows | None = None
    """The rows that storing it gave; None until it is stored."""


class StorePort(Generic[E]):
    """The way of a driven run to the outside, over the store and the bus; the engine's session gets it.

    The store's thread stores what is written, in the order in which it was written, while the run goes on; `settled`
    waits for that. After a write that failed nothing more is written, so that the journal ends without a gap, and
    `on_failure` is called once, which ends the drive.
    """

    def __init__(
        self,
        run_id: str,
        engine: Engine[E],
        store: Store,
        bus: EventBus[Published[E]],
        observers: Sequence[Observer],
        redact: Redact,
    ) -> None:
        self.run_id = run_id
        self._engine = engine
        self._store = store
        self._bus = bus
        self._observers = observers
        self._redact = redact
        self.on_failure: Callable[[], None] = lambda: None
        self._loop = asyncio.get_running_loop()
        self._queue: deque[_Queued] = deque()
        self.memo: dict[str, str] = {}
        """What the run remembers, each value as JSON text, stored or about to be."""
        self.unstored: dict[str, str] = {}
        """The part of `memo` that is not known to be stored."""
        self.failure: Exception | None = None
        self.driven_before = 0.0
        """The seconds that the run was driven before this drive, killed drives included and pauses left out."""
        self._payments: set[asyncio.Task[Any]] = set()

    async def open(self, unstored: Mapping[str, str]) -> None:
        """Reads what the run remembers and stores what an earlier drive could not. It must be awaited before any other
        method."""
        self.memo = await self._store.do(self._store.memo.written, self.run_id)
        for key, value in unstored.items():
            self._keep(key, value)
        row = await self._store.do(self._store.runs.get, self.run_id)
        self.driven_before = row.seconds if row else 0.0

    def emit(self, event: E, identity: str) -> None:
        """Stores the event in the journal, then publishes it. An event whose identity the run already has is
        dropped."""
        kind, data = self._engine.encode(event)
        (clean, text), ts = whole(self._redact(data)), time.time()

        def tell(rows: Rows) -> None:
            for (seq,) in rows:
                shown = event if clean == data else self._engine.decode(kind, clean)
                self._bus.publish(self.run_id, Envelope(self.run_id, seq, ts, kind, shown))
                for observer in self._observers:
                    observer.on_event(self.run_id, kind, clean, identity)

        self._write(self._store.journal.appending(self.run_id, identity, kind, text, ts), tell)

    def emit_once(self, event: E) -> None:
        """Emits, under a new identity, an event that no re-execution repeats."""
        self.emit(event, uuid.uuid4().hex)

    def emit_live(self, event: E) -> None:
        """Publishes the event without storing it, e.g. streamed text. A slow viewer may miss it."""
        self._queue.append(_Queued(lambda _: self._bus.publish(self.run_id, Live(event)), stored=[]))
        self._tell_stored()

    def recall(self, key: str) -> Any | None:
        """Returns what `remember` kept under this key in this run, also before a crash; None if it kept nothing."""
        value = self.memo.get(key)
        return None if value is None else json.loads(value)

    def remember(self, key: str, value: Any) -> None:
        """Keeps a JSON value under a key. A later value for the same key is dropped."""
        if key not in self.memo:
            self._keep(key, written(value))

    def record(self, key: str, value: Mapping[str, Any]) -> None:
        """Keeps a JSON value for a person to read later. It is redacted, and the run itself must not recall it."""
        self.remember(key, self._redact(value))

    async def recorded(self, key: str, most: int) -> dict[str, Any]:
        """Returns what at most `most` runs of the same owner recorded under the key, by run id, newest first and
        without this run. Raises StoreError."""

        def look() -> dict[str, Any]:
            row = self._store.runs.get(self.run_id)
            found = self._store.memo.of_owner(row.owner, key, most) if row else []
            return {run_id: value for run_id, _, value in found if run_id != self.run_id}

        return await self._store.do(look)

    async def save_blob(self, name: str, mime: str, data: bytes) -> None:
        """Stores a file that the run produced. Raises StoreError beyond the size limits."""
        await self._store.do(self._store.blobs.save, self.run_id, name, mime, data)

    async def pay(self, act: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """Runs a paid action, which must also remember its result. If the node that waits ends for any reason but a
        person's stop, the action goes on for a while, because the run would otherwise pay again."""
        await self.settled()  # a paid result belongs to a step whose checkpoint must be stored first
        paying = asyncio.create_task(act())
        self._payments.add(paying)
        paying.add_done_callback(self._payments.discard)
        return await shielded(paying)

    async def paid(self, patience: float) -> None:
        """Waits up to `patience` seconds for paid actions on their way, then cancels those that are left. They are also
        cancelled if this wait is, because nothing may be written once another process may drive the run."""
        try:
            if self._payments:
                await asyncio.wait(self._payments, timeout=patience)
        finally:
            self.give_up()
            if self._payments:
                await asyncio.wait(self._payments)

    def give_up(self) -> None:
        """Cancels the paid actions that are on their way."""
        for paying in self._payments:
            paying.cancel()

    async def settled(self) -> None:
        """Waits until all that the run wrote is stored; a paid result is used only after that. Raises StoreError."""
        await self._store.settled(self.run_id)
        if self.failure is not None:
            raise self.failure

    def reopen(self) -> None:
        """Lets the run write again after a failure."""
        self.failure = None

    def _keep(self, key: str, value: str) -> None:
        """Remembers a value under its key and writes it, unless the key has a value already."""

        def tell(rows: Rows) -> None:
            if rows:
                del self.unstored[key]

        if self.memo.setdefault(key, value) is value:
            self.unstored[key] = value
            self._write(self._store.memo.remembering(self.run_id, key, value), tell)

    def _write(self, statement: SqlStatement, tell: Callable[[Rows], None]) -> None:
        """Queues a statement for the store's thread. `tell` gets its rows once they are stored and it is their turn."""
        self._queue.append(queued := _Queued(tell))
        sql, values = statement
        stored = self._store.write(self.run_id, partial(self._store.database.send, sql, **values))
        stored.add_done_callback(partial(self._written, queued))

    def _written(self, queued: _Queued, done: Future[Rows]) -> None:
        """Hands the answer of a write to the event loop. It runs in the store's thread."""
        # A loop that is closed has no viewers.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stored, queued, done)

    def _stored(self, queued: _Queued, done: Future[Rows]) -> None:
        """Notes the answer of a write, or its failure, on the event loop."""
        failure = done.exception()
        queued.stored = [] if failure else done.result()
        if isinstance(failure, Exception) and self.failure is None:
            self.failure = failure
            self.on_failure()
        self._tell_stored()

    def _tell_stored(self) -> None:
        """Tells what is at the head of the queue, as far as it is stored."""
        while self._queue and (stored := self._queue[0].stored) is not None:
            self._queue.popleft().tell(stored)


def keep_all(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Redacts nothing."""
    return data
