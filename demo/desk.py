"""Lists, shares and deletes stored runs with what they remember, bundles them, and shows a live view of each.

A viewer may leave a live view at any time.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agent.session.memory import KEY, listed
from framework.errors import OtherVersion
from framework.storage.records import MAX_RUNS_KEPT
from framework.waiting import Lazy

from .panels.output import PICTURES
from .replay import replay_page
from .view.shot import Shot
from .view.summary import Summary, summarise
from .view.watch import watch

if TYPE_CHECKING:
    from agent.runs import AgentRuns
    from framework.storage.records import RunRow

    from .workshop import Workshop


_SHARES_ENDED = "shares ended:"
"""How the keys begin under which the store counts how often the links to a run were taken back."""
_MAX_RUNS_SEARCHED = 500
"""The newest runs that are searched for a verdict."""
ListPlace = tuple[float, str]
"""A place in the list of runs: when a run was made (Unix time), and its id."""


class Desk:
    """Gives page, REST and MCP the runs of this process, and keeps what they need to list, share and delete runs. Each
    process has one desk. It opens the `Workshop` with its `AgentRuns` once the server is up, on the server's loop."""

    def __init__(self, open_workshop: Callable[[], Awaitable[Workshop]]) -> None:
        self._workshop = Lazy(open_workshop)
        self._ended: dict[str, Summary] = {}
        """The summaries of ended runs, which never change."""

    async def workshop(self) -> Workshop:
        """Returns the workshop, and opens it on first use."""
        return await self._workshop.get()

    async def runs(self) -> AgentRuns:
        """Returns the manager of the runs, which begins, steers and reads them."""
        workshop = await self.workshop()
        return workshop.runs

    async def aclose(self) -> None:
        """Stops the live runs, which can be resumed."""
        if workshop := self._workshop.opened():
            await workshop.aclose()

    async def owner(self, run_id: str) -> str | None:
        """Returns the run's owner; "" if nobody was named, None if there is no such run."""
        runs = await self.runs()
        row = await runs.row(run_id)
        return row.owner if row is not None else None

    async def shares_ended(self, run_id: str) -> int:
        store = (await self.runs()).store
        return len(await store.do(store.memo.listed, run_id, _SHARES_ENDED))

    async def end_shares(self, run_id: str) -> None:
        store = (await self.runs()).store
        await store.do(store.memo.remember, run_id, f"{_SHARES_ENDED}{time.time()}", True)

    async def history(self, owner: str | None, query: str = "", verdict: str = "", limit: int = 20) -> list[Summary]:
        """Returns the runs of one owner (None: of all; "": none) that match the words and the verdict, newest first."""
        return [] if owner == "" else (await self.page(owner, query, verdict, limit))[0]

    async def page(
        self, owner: str | None, query: str, verdict: str, limit: int, before: ListPlace | None = None
    ) -> tuple[list[Summary], ListPlace | None]:
        """Returns a page of such runs, behind `before` if that is given, and the place behind which the next page
        begins (None: this is the last page). Owner "" means the runs for which nobody was named."""
        runs = await self.runs()
        found: list[Summary] = []
        most = _MAX_RUNS_SEARCHED if verdict else limit
        rows = await runs.store.do(runs.store.runs.list, most + 1, query, owner, before=before)
        looked = 0
        while looked < min(most, len(rows)) and len(found) < limit:
            one = await self._summary(rows[looked])
            found += [one] if verdict in ("", one.verdict) else []
            looked += 1
        last = rows[looked - 1] if looked < len(rows) else None
        return found, (last.created, last.run_id) if last else None

    async def _summary(self, row: RunRow) -> Summary:
        """Returns the summary of a run, from memory if the run has ended. Of a run that another version stored it says
        just that."""
        runs = await self.runs()
        status = await runs.status(row.run_id)
        if status == "done" and row.run_id in self._ended:
            return self._ended[row.run_id]
        try:
            summary = summarise(row, status, await runs.events(row.run_id))
        except OtherVersion as error:
            summary = replace(summarise(row, status, ()), verdict="", error=str(error))
        if status == "done":
            self._ended[row.run_id] = summary
        return summary

    async def delete(self, run_id: str) -> None:
        """Deletes a run. Raises UnknownRun, and RunBusy if it is live."""
        runs = await self.runs()
        await runs.delete(run_id)
        self._ended.pop(run_id, None)

    async def memory(self, owner: str, query: str = "", limit: int = MAX_RUNS_KEPT) -> list[dict[str, Any]]:
        """Returns what the runs of an owner remember, newest first; see `agent.session.memory.listed`."""
        store = (await self.runs()).store
        return await store.do(listed, store, owner, query, limit)

    async def forget(self, owner: str, run_id: str = "") -> int:
        """Deletes what one run of an owner remembers, or what all of them do (`run_id` ""). Returns how many runs
        forgot something."""
        store = (await self.runs()).store
        return await store.do(store.memo.forget, owner, KEY, run_id)

    async def bundle(self, run_id: str) -> bytes:
        """Returns a ZIP with the run's program, tests, evidence and journal, and a page that replays the run."""
        runs = await self.runs()
        left = await runs.store.do(runs.store.blobs.all, run_id)
        pictures = [(name, mime, content) for name, (mime, content) in left.items() if mime in PICTURES]
        return await runs.bundle(run_id, {"replay.html": replay_page(await runs.events(run_id), pictures).encode()})

    async def watch(self, run_id: str) -> AsyncGenerator[Shot]:
        async with aclosing(watch((await self.runs()), run_id)) as shots:
            async for shot in shots:
                yield shot
