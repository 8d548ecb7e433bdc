"""The desk between screen and engine: short commands, and a live view of a run that anybody may leave at any time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from agent.bundle import build as build_bundle
from agent.codec import decode_event
from agent.events import AgentEvent
from agent.report import Report
from framework.engine import Envelope, Live, Status
from framework.lazy import Lazy
from framework.secret import Secret
from framework.stream import in_batches

from .intake import Order
from .replay import with_replay
from .shot import LeftFile, Shot
from .view import RunView, fold

if TYPE_CHECKING:
    from framework.records import RunRow
    from framework.runs import Runs

FRAME = 0.1
"""Seconds between two frames, at least."""
_IDLE = 0.5
_PATIENCE = 4 * 3600.0
"""Seconds that a page goes on watching a run that waits or was stopped."""


class Scenario(Protocol):
    """One task that the demo model can play."""

    @property
    def name(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def shows(self) -> str: ...
    @property
    def code(self) -> str | None: ...
    @property
    def tests(self) -> str | None: ...
    @property
    def files(self) -> Mapping[str, bytes] | None: ...


class Workshop(Protocol):
    """Everything behind the desk; opened once the server is up, on the server's loop."""

    @property
    def runs(self) -> Runs[AgentEvent]: ...

    def scenarios(self) -> Sequence[Scenario]: ...

    async def submit(self, order: Order) -> str:
        """Starts a run; what it raises says in one line why not."""
        ...

    async def check(self, provider: str, model: str, key: Secret | None) -> str:
        """Tells in a few lines whether the model was reached."""
        ...

    async def aclose(self) -> None: ...


class Desk:
    """One per process."""

    def __init__(self, open_workshop: Callable[[], Awaitable[Workshop]]) -> None:
        self._workshop = Lazy(open_workshop)

    async def workshop(self) -> Workshop:
        return await self._workshop.get()

    async def submit(self, order: Order) -> str:
        """Starts a run and returns its id, a secret of whoever asked. Raises what says in one line why not."""
        return await (await self.workshop()).submit(order)

    async def aclose(self) -> None:
        """Stops the live runs; they can be resumed."""
        if workshop := self._workshop.opened():
            await workshop.aclose()

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
        for envelope in await self.envelopes(run_id):
            view = fold(view, envelope.event, clock.since_start(envelope.ts))
        return await _developed(runs, run_id, view)

    async def envelopes(self, run_id: str) -> list[Envelope[AgentEvent]]:
        """The stored events of a run."""
        journal = (await self.workshop()).runs.store.journal
        found: list[Envelope[AgentEvent]] = []
        while page := journal.events(run_id, found[-1].seq if found else -1):
            found += [Envelope(run_id, one.seq, one.ts, one.kind, decode_event(one.kind, one.data)) for one in page]
        return found

    async def report(self, run_id: str) -> dict[str, Any]:
        """The --json object as it stands. Raises UnknownRun."""
        workshop = await self.workshop()
        pending = await workshop.runs.pending(run_id) if await workshop.runs.status(run_id) == "waiting" else None
        question = {"id": pending.id, "kind": pending.kind, "payload": dict(pending.payload)} if pending else None
        return _report(run_id, await self.envelopes(run_id)).as_json(question)

    async def bundle(self, run_id: str) -> bytes:
        """The ZIP to take away: program, tests, evidence, journal, and a page that replays the run."""
        envelopes = await self.envelopes(run_id)
        blobs = (await self.workshop()).runs.store.blobs
        packed = build_bundle(_report(run_id, envelopes).as_json(), envelopes, blobs, run_id)
        loaded = ((one.name, blobs.load(run_id, one.name)) for one in blobs.list(run_id))
        files = [(name, stored[0], stored[1]) for name, stored in loaded if stored]
        return with_replay(packed, envelopes, files)

    async def file(self, run_id: str, name: str) -> tuple[str, bytes] | None:
        """(mime, bytes) of a file that the program left."""
        return (await self.workshop()).runs.store.blobs.load(run_id, name)

    async def outcome(self, run_id: str) -> dict[str, Any]:
        """Waits until the run ends or asks; the --json object then."""
        async with aclosing(self.tail(run_id)) as envelopes:
            async for _ in envelopes:
                pass
        return await self.report(run_id)

    async def tail(self, run_id: str, after: int = -1) -> AsyncGenerator[Envelope[AgentEvent]]:
        """Stored events, then those that come, until the run ends, asks or is stopped."""
        runs = (await self.workshop()).runs
        async with aclosing(runs.tail(run_id, after)) as items:
            async for item in items:
                if isinstance(item, Envelope):
                    yield item

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


def _report(run_id: str, envelopes: Sequence[Envelope[AgentEvent]]) -> Report:
    report = Report(run_id)
    for envelope in envelopes:
        report.add(envelope.event, envelope.ts)
    return report


class Clock:
    """Seconds since the first event of a run."""

    def __init__(self) -> None:
        self._first: float | None = None
        self.last = 0.0

    def since_start(self, ts: float) -> float:
        self._first = ts if self._first is None else self._first
        self.last = ts - self._first
        return self.last


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
