"""The port through which a driven run reaches journal, viewers, paid work and artifacts."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Generic

from .bus import EventBus
from .engine import E, Engine, Envelope, Live, Observer, Redact
from .store import Store

Published = Envelope[E] | Live[E] | None
"""What travels on the bus of a run; None: something about its liveness changed."""


class StorePort(Generic[E]):
    """RunPort over the store and the bus."""

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

    @property
    def run_id(self) -> str:
        return self._run_id

    def emit(self, event: E, identity: str) -> None:
        kind, data = self._engine.encode(event)
        clean = self._redact(data)
        entry = self._store.journal.append(self._run_id, identity, kind, clean)
        if entry is None:
            return
        shown = event if clean == data else self._engine.decode(kind, clean)
        self._bus.publish(self._run_id, Envelope(self._run_id, entry.seq, entry.ts, kind, shown))
        if self._observer:
            self._observer.on_event(self._run_id, kind, clean)

    def emit_once(self, event: E) -> None:
        """Emits an event that no re-execution can repeat."""
        self.emit(event, uuid.uuid4().hex)

    def emit_live(self, event: E) -> None:
        self._bus.publish(self._run_id, Live(event))

    def recall(self, key: str) -> Any | None:
        return self._store.memo.recall(self._run_id, key)

    def remember(self, key: str, value: Any) -> None:
        self._store.memo.remember(self._run_id, key, value)

    def record(self, key: str, value: Mapping[str, Any]) -> None:
        """Keeps what a person may read later, redacted; the first value of a key stays."""
        self._store.memo.remember(self._run_id, key, self._redact(value))

    def save_blob(self, name: str, mime: str, data: bytes) -> None:
        self._store.blobs.save(self._run_id, name, mime, data)


def keep_all(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return data
