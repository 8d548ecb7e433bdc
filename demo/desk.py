"""The desk between screen and engine: short commands, and a live view of a run that anybody may leave at any time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from agent.codec import decode_event, encode_config, encode_task
from agent.events import AgentEvent
from framework.engine import Envelope, Live, Status
from framework.lazy import Lazy
from framework.secret import Secret
from framework.stream import in_batches

from .intake import Order
from .shot import LeftFile, Shot
from .view import RunView, fold

if TYPE_CHECKING:
    from framework.journal import Entry
    from framework.records import RunRow
    from framework.runs import Runs

FRAME = 0.1
"""Seconds between two frames, at least."""
_IDLE = 0.5
_PATIENCE = 4 * 3600.0
"""Seconds that a page goes on watching a run that waits or was stopped."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One task that the demo model can play."""

    name: str
    task: str
    kind: str
    shows: str
    code: str | None = None
    tests: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


class Workshop(Protocol):
    """Everything behind the desk; opened once the server is up, on the server's loop."""

    @property
    def runs(self) -> Runs[AgentEvent]: ...

    def scenarios(self) -> Sequence[Scenario]: ...

    def lend(self, run_id: str, provider: str, base_url: str, key: Secret | None) -> None:
        """Keeps a visitor's key in memory for one run."""
        ...

    async def check(self, provider: str, model: str, base_url: str, key: Secret | None) -> str:
        """Tells in a few lines whether the model was reached; a model that does not answer is no exception."""
        ...


class Desk:
    """One per process."""

    def __init__(self, open_workshop: Callable[[], Awaitable[Workshop]]) -> None:
        self._workshop = Lazy(open_workshop)

    async def workshop(self) -> Workshop:
        return await self._workshop.get()

    async def submit(self, order: Order) -> str:
        """Starts a run and returns its id, a secret of whoever asked. Raises FrameworkError or the engine's refusal."""
        workshop = await self.workshop()
        if order.key is not None or order.base_url:
            workshop.lend(order.run_id, order.provider, order.base_url, order.key)
        title = order.task.text.splitlines()[0][:120]
        return await workshop.runs.submit(spec_of(order), title=title, run_id=order.run_id, owner=order.owner)

    async def stop(self, run_id: str) -> bool:
        return await (await self.workshop()).runs.stop(run_id)

    async def resume(self, run_id: str) -> None:
        await (await self.workshop()).runs.resume(run_id)

    async def answer(self, run_id: str, question_id: str, action: str, text: str) -> None:
        """Raises StaleAnswer when the question was answered before."""
        await (await self.workshop()).runs.answer(run_id, question_id, {"action": action, "text": text})

    async def knows(self, run_id: str) -> bool:
        return (await self.workshop()).runs.store.runs.get(run_id) is not None

    async def history(self, owner: str) -> Sequence[tuple[RunRow, Status]]:
        """The runs of one browser, newest first."""
        runs = (await self.workshop()).runs
        rows = runs.store.runs.list(limit=30, owner=owner) if owner else []
        return [(row, await runs.status(row.run_id)) for row in rows]

    async def shot(self, run_id: str) -> Shot:
        """The run as it stands, from its journal alone."""
        runs = (await self.workshop()).runs
        clock, view = Clock(), RunView()
        for entry in await self.entries(run_id):
            view = fold(view, decode_event(entry.kind, entry.data), clock.since_start(entry.ts))
        return await _developed(runs, run_id, view)

    async def entries(self, run_id: str) -> list[Entry]:
        """The stored events of a run."""
        journal = (await self.workshop()).runs.store.journal
        found: list[Entry] = []
        while page := journal.events(run_id, found[-1].seq if found else -1):
            found += page
        return found

    async def file(self, run_id: str, name: str) -> tuple[str, bytes] | None:
        """(mime, bytes) of a file that the program left."""
        return (await self.workshop()).runs.store.blobs.load(run_id, name)

    async def watch(self, run_id: str) -> AsyncGenerator[Shot]:
        """The run as it grows, at most ten times a second, the last change never held back."""
        runs = (await self.workshop()).runs
        clock, view = Clock(), RunView()
        async with aclosing(in_batches(_follow(runs, run_id), interval=FRAME)) as batches:
            async for batch in batches:
                for item in filter(None, batch):
                    at = clock.since_start(item.ts) if isinstance(item, Envelope) else clock.last
                    view = fold(view, item.event, at)
                yield await _developed(runs, run_id, view)


class Clock:
    """Seconds since the first event of a run."""

    def __init__(self) -> None:
        self._first: float | None = None
        self.last = 0.0

    def since_start(self, ts: float) -> float:
        self._first = ts if self._first is None else self._first
        self.last = ts - self._first
        return self.last


def spec_of(order: Order) -> dict[str, Any]:
    """What the engine is given, and the store keeps: never a key."""
    return {
        **encode_task(order.task),
        "config": encode_config(order.config),
        "provider": order.provider,
        "model": order.model,
        "base_url": order.base_url,
    }


async def _developed(runs: Runs[AgentEvent], run_id: str, view: RunView) -> Shot:
    status = await runs.status(run_id)
    pending = await runs.pending(run_id) if status == "waiting" else None
    done = status == "done" or view.outcome is not None
    files = tuple(LeftFile(blob.name, blob.mime, blob.bytes) for blob in runs.store.blobs.list(run_id)) if done else ()
    halted = status == "stopped" or (status == "new" and not view.error)
    return Shot(run_id, replace(view, halted=halted), status, pending, files, runs.position(run_id))


async def _follow(
    runs: Runs[AgentEvent], run_id: str
) -> AsyncGenerator[Envelope[AgentEvent] | Live[AgentEvent] | None]:
    """Tails the run; while it waits or stands still, looks whether another page woke it. None: look again."""
    after, waited = -1, 0.0
    while waited < _PATIENCE:
        async with aclosing(runs.tail(run_id, after)) as items:
            async for item in items:
                waited = 0.0
                if isinstance(item, Envelope):
                    after = item.seq
                yield item
        yield None
        if await runs.status(run_id) == "done":
            return
        await asyncio.sleep(_IDLE)
        waited += _IDLE
