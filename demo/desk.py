"""What is stored of runs: lists, reports, files and memory, read, shared and deleted; and a live view of each run that
anybody may leave at any time."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any

from agent.events import AgentEvent
from agent.memory import KEY, listed
from agent.outcome.bundle import build as build_bundle
from agent.outcome.report import report_of
from agent.transcript import SAID
from framework.engine import Envelope
from framework.follow import past_outages
from framework.lazy import Lazy
from framework.records import MOST_RUNS

from .panels.output import PICTURES
from .replay import replay_page
from .view.shot import Shot
from .view.summary import Summary, summarise
from .view.watch import still, stored, watch

if TYPE_CHECKING:
    from framework.records import RunRow

    from .workshop import Workshop


_SHARES_ENDED = "shares ended:"
"""Begins the keys under which the store counts how often the links to a run were taken back."""
_LOOKED_THROUGH = 500
"""Runs that are looked through for a verdict, newest first."""
ListPlace = tuple[float, str]
"""In the list of runs: when one was made, and its id."""


class Desk:
    """One per process. What is behind it is opened once the server is up, on the server's loop."""

    def __init__(self, open_workshop: Callable[[], Awaitable[Workshop]]) -> None:
        self._workshop = Lazy(open_workshop)
        self._ended: dict[str, Summary] = {}
        """Runs that have ended never change; as many as the store keeps."""

    async def workshop(self) -> Workshop:
        """Where runs are started and steered."""
        return await self._workshop.get()

    async def aclose(self) -> None:
        """Stops the live runs; they can be resumed."""
        if workshop := self._workshop.opened():
            await workshop.aclose()

    async def owner(self, run_id: str) -> str | None:
        """Whose run it is, "" where nobody was named; None if there is no such run."""
        row = await (await self.workshop()).runs.row(run_id)
        return row.owner if row is not None else None

    async def shares_ended(self, run_id: str) -> int:
        """How often the links to a run were taken back."""
        store = (await self.workshop()).runs.store
        return len(await store.do(store.memo.listed, run_id, _SHARES_ENDED))

    async def end_shares(self, run_id: str) -> None:
        """Takes back every link to a run that was made so far."""
        store = (await self.workshop()).runs.store
        await store.do(store.memo.remember, run_id, f"{_SHARES_ENDED}{time.time()}", True)

    async def history(self, owner: str | None, query: str = "", verdict: str = "", limit: int = 20) -> list[Summary]:
        """The runs of one browser (None: of all), newest first, that carry these words and this verdict."""
        return [] if owner == "" else (await self.page(owner, query, verdict, limit))[0]

    async def page(
        self, owner: str | None, query: str, verdict: str, limit: int, before: ListPlace | None = None
    ) -> tuple[list[Summary], ListPlace | None]:
        """Returns a page of such runs, also of nobody's, from a place in the list on, and where the next one begins."""
        runs = (await self.workshop()).runs
        found: list[Summary] = []
        most = _LOOKED_THROUGH if verdict else limit
        rows = await runs.store.do(runs.store.runs.list, most + 1, query, owner, before=before)
        looked = 0
        while looked < min(most, len(rows)) and len(found) < limit:
            one = await self._summary(rows[looked])
            found += [one] if verdict in ("", one.verdict) else []
            looked += 1
        last = rows[looked - 1] if looked < len(rows) else None
        return found, (last.created, last.run_id) if last else None

    async def _summary(self, row: RunRow) -> Summary:
        runs = (await self.workshop()).runs
        status = await runs.status(row.run_id)
        if status == "done" and row.run_id in self._ended:
            return self._ended[row.run_id]
        summary = summarise(row, status, await stored(runs, row.run_id))
        if status == "done":
            self._ended[row.run_id] = summary
        return summary

    async def delete(self, run_id: str) -> None:
        """Raises UnknownRun, and RunBusy for one that is live."""
        await (await self.workshop()).runs.delete(run_id)
        self._ended.pop(run_id, None)

    async def memory(self, owner: str, query: str = "", limit: int = MOST_RUNS) -> list[dict[str, Any]]:
        """What the runs of an owner remember, newest first; see `agent.memory.listed`."""
        store = (await self.workshop()).runs.store
        return await store.do(listed, store, owner, query, limit)

    async def forget(self, owner: str, run_id: str = "") -> int:
        """Deletes what one run of an owner remembers, or all of them ("")."""
        store = (await self.workshop()).runs.store
        return await store.do(store.memo.forget, owner, KEY, run_id)

    async def shot(self, run_id: str) -> Shot:
        """The run as it stands, from its journal alone."""
        runs = (await self.workshop()).runs
        return await still(runs, run_id)

    async def dialogue(self, run_id: str) -> list[dict[str, Any]]:
        """What each role of a run was told and answered; see `agent.transcript.said_in`."""
        store = (await self.workshop()).runs.store
        return await store.do(store.memo.listed, run_id, SAID)

    async def envelopes(self, run_id: str) -> list[Envelope[AgentEvent]]:
        """The stored events of a run."""
        return await stored((await self.workshop()).runs, run_id)

    async def report(self, run_id: str) -> dict[str, Any]:
        """The --json object as it stands, with no verdict until the run has concluded. Raises UnknownRun."""
        runs = (await self.workshop()).runs
        status = await runs.status(run_id)
        pending = await runs.pending(run_id) if status == "waiting" else None
        report = report_of(run_id, await self.envelopes(run_id))
        told = report.as_json(pending)
        if report.finished:
            return told
        # What the journal tells last may be long past: a process that died told nothing of it.
        return {**told, "verdict": None, "status": status if status in ("queued", "running", "waiting") else "stopped"}

    async def bundle(self, run_id: str) -> bytes:
        """The ZIP to take away: program, tests, evidence, journal, and a page that replays the run."""
        envelopes = await self.envelopes(run_id)
        workshop = await self.workshop()
        store = workshop.runs.store
        left = await store.do(store.blobs.all, run_id)
        pictures = [(name, mime, content) for name, (mime, content) in left.items() if mime in PICTURES]
        outcome = report_of(run_id, envelopes).as_json()
        replay = replay_page(envelopes, pictures).encode()
        task = await workshop.task_of(run_id)
        return build_bundle(outcome, envelopes, left, task=task, extra={"replay.html": replay})

    async def file(self, run_id: str, name: str) -> tuple[str, bytes] | None:
        """(mime, bytes) of a file that the program left."""
        store = (await self.workshop()).runs.store
        return await store.do(store.blobs.load, run_id, name)

    async def outcome(self, run_id: str) -> dict[str, Any]:
        """Waits until the run ends or asks; the --json object then."""
        async with aclosing(self.tail(run_id)) as envelopes:
            async for _ in envelopes:
                pass
        return await self.report(run_id)

    async def tail(self, run_id: str, after: int = -1) -> AsyncGenerator[Envelope[AgentEvent]]:
        """Stored events, then those that come, until the run ends, asks or is stopped."""
        runs = (await self.workshop()).runs
        async with aclosing(past_outages(partial(runs.tail, run_id), after)) as items:
            async for item in items:
                if isinstance(item, Envelope):
                    yield item

    async def watch(self, run_id: str) -> AsyncGenerator[Shot]:
        """The run as it grows; see `watch.watch`."""
        async with aclosing(watch((await self.workshop()).runs, run_id)) as shots:
            async for shot in shots:
                yield shot
