"""The port through which a driven run reaches journal, viewers, paid work and artifacts."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic

from .bus import EventBus
from .engine import E, Engine, Envelope, Live, Observer, Redact
from .journal import Entry
from .store import Store

Published = Envelope[E] | Live[E] | None
"""What travels on the bus of a run; None: something about its liveness changed."""


@dataclass(slots=True)
class _Said:
    """What is to be published, in its turn and not before it is stored."""

    tell: Callable[[], None] | None


class StorePort(Generic[E]):
    """RunPort over the store and the bus.

    What is written goes to the store's thread, one write after the other, and the run goes on meanwhile; whoever needs
    it stored waits in `settled`. After a write that failed nothing more is written, so that the journal ends without a
    gap, and `on_failure` is called.
    """

    def __init__(
        self,
        run_id: str,
        engine: Engine[E],
        store: Store,
        bus: EventBus[Published[E]],
        observer: Observer | None,
        redact: Redact,
    ) -> None:
        self._run_id = run_id
        self._engine = engine
        self._store = store
        self._bus = bus
        self._observer = observer
        self._redact = redact
        self.on_failure: Callable[[], None] = lambda: None
        self._loop = asyncio.get_running_loop()
        self._line: deque[_Said] = deque()
        self._last: Future[Any] | None = None
        self._memo: dict[str, str] = {}
        self.failure: Exception | None = None
        self.driven_before = 0.0

    @property
    def run_id(self) -> str:
        return self._run_id

    async def open(self) -> None:
        """Reads what the run remembers; to be awaited before anything else."""
        self._memo = await self._store.do(self._store.memo.written, self._run_id)
        row = await self._store.do(self._store.runs.get, self._run_id)
        self.driven_before = row.seconds if row else 0.0

    def emit(self, event: E, identity: str) -> None:
        kind, data = self._engine.encode(event)
        clean = self._redact(data)

        def tell(entry: Entry | None) -> None:
            if entry is None:
                return
            shown = event if clean == data else self._engine.decode(kind, clean)
            self._bus.publish(self._run_id, Envelope(self._run_id, entry.seq, entry.ts, kind, shown))
            if self._observer:
                self._observer.on_event(self._run_id, kind, clean, identity)

        self._write(self._store.journal.append, self._run_id, identity, kind, clean, time.time(), then=tell)

    def emit_once(self, event: E) -> None:
        """Emits an event that no re-execution can repeat."""
        self.emit(event, uuid.uuid4().hex)

    def emit_live(self, event: E) -> None:
        self._line.append(_Said(lambda: self._bus.publish(self._run_id, Live(event))))
        self._tell()

    def recall(self, key: str) -> Any | None:
        written = self._memo.get(key)
        return None if written is None else json.loads(written)

    def remember(self, key: str, value: Any) -> None:
        if key not in self._memo:
            self._memo[key] = json.dumps(value, ensure_ascii=False)
            self._write(self._store.memo.remember_written, self._run_id, key, self._memo[key])

    def record(self, key: str, value: Mapping[str, Any]) -> None:
        """Keeps what a person may read later, redacted; the first value of a key stays."""
        self.remember(key, self._redact(value))

    async def recorded(self, key: str, most: int) -> dict[str, Any]:
        """What other runs of the same owner recorded under the key, by their ids, the newest first."""

        def look() -> dict[str, Any]:
            row = self._store.runs.get(self._run_id)
            found = self._store.memo.of_owner(row.owner, key, most) if row else []
            return {run_id: value for run_id, _, value in found if run_id != self._run_id}

        return await self._store.do(look)

    async def save_blob(self, name: str, mime: str, data: bytes) -> None:
        await self._store.do(self._store.blobs.save, self._run_id, name, mime, data)

    async def settled(self) -> None:
        if self._last is not None:
            # Shielded: a write that has not begun would be left out if its future were cancelled.
            await asyncio.shield(asyncio.wrap_future(self._last))
        if self.failure is not None:
            raise self.failure

    def reopen(self) -> None:
        """Writes again after a failure."""
        self.failure, self._last = None, None

    def _write(self, act: Callable[..., Any], *arguments: Any, then: Callable[[Any], None] = lambda _: None) -> None:
        said = _Said(None)
        self._line.append(said)
        self._last = self._store.submit(self._guarded, act, *arguments)

        def done(future: Future[Any]) -> None:
            # A loop that is closed has no viewers.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stored, said, future, then)

        self._last.add_done_callback(done)

    def _guarded(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a write in the store's thread, inside the run's own lock."""
        with self._store.writing(self._run_id):
            return act(*arguments)

    def _stored(self, said: _Said, future: Future[Any], then: Callable[[Any], None]) -> None:
        try:
            stored = future.result()
        except Exception as error:  # noqa: BLE001 - kept in `failure`, which ends the drive
            said.tell = lambda: None
            self.failure = self.failure or error
            self.on_failure()
        else:
            said.tell = lambda: then(stored)
        self._tell()

    def _tell(self) -> None:
        """Publishes what is at the head of the line and stored."""
        while self._line and (tell := self._line[0].tell) is not None:
            self._line.popleft()
            tell()


def keep_all(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return data
