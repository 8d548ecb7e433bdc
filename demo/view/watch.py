"""Shows a run live. A viewer may leave at any time without touching the run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from agent.events import AgentEvent
from framework.engine import Envelope, Live
from framework.errors import StoreError, UnknownRun
from framework.follow import past_outage
from framework.waiting import in_batches

from .fold import RunView, fold, view_of
from .shot import Shot

if TYPE_CHECKING:
    from agent.runs import AgentRuns

FRAME = 0.25
"""The shortest time between two frames, in seconds. Even a late frame followed by a punctual one stays below five
frames a second."""
BEAT = 2.0
"""The seconds after which a silent run is looked at again, because its place in the line may have changed."""
_LOOK = 0.5
"""The seconds between two looks at a run that stands still."""
_PATIENCE = 4 * 3600.0
"""The seconds for which a page watches a run that stands still."""


async def watch(runs: AgentRuns, run_id: str) -> AsyncGenerator[Shot]:
    """Yields the run as it grows, at most four times a second, and never holds back the last change.

    While nothing happens, the same shot comes again every two seconds, so that Gradio notices a viewer who is gone.
    """
    view, shot, late = RunView(), None, False
    began: float | None = None
    at = 0.0
    async with aclosing(in_batches(_follow(runs, run_id), interval=FRAME, heartbeat=BEAT)) as batches:
        async for batch in batches:
            for item in filter(None, batch):
                if isinstance(item, Envelope):
                    began = item.ts if began is None else began
                    at = item.ts - began
                view = fold(view, item.event, at)
            try:
                shot, late = await _developed(runs, run_id, view), False
            except StoreError:
                # The page keeps what it shows.
                late = True
            if shot:
                yield shot
    if late:
        yield await past_outage(partial(_developed, runs, run_id, view))


async def still(runs: AgentRuns, run_id: str) -> Shot:
    """Returns the run as it stands, from its journal alone. Raises UnknownRun."""
    return await _developed(runs, run_id, view_of(await runs.events(run_id)))


async def _developed(runs: AgentRuns, run_id: str, view: RunView) -> Shot:
    """Returns the shot of a view, with what only the manager of runs knows."""
    status = await runs.status(run_id)
    pending = await runs.pending(run_id) if status == "waiting" else None
    files = await runs.store.do(runs.store.blobs.list, run_id) if view.conclusion is not None else []
    # A run whose process died has no event that says that it stopped.
    halted = status == "stopped" or (status == "new" and not view.error)
    row = await runs.row(run_id)
    title = row.title if row else ""
    queued = await runs.position(run_id) if status == "queued" else None
    return Shot(run_id, replace(view, halted=halted), status, pending, tuple(files), queued, title)


async def _follow(runs: AgentRuns, run_id: str) -> AsyncGenerator[Envelope[AgentEvent] | Live[AgentEvent] | None]:
    """Follows the run. While it stands still, this looks whether another page woke it. None means: look again."""
    after = -1
    while True:
        async with aclosing(runs.follow(run_id, after)) as items:
            async for item in items:
                if isinstance(item, Envelope):
                    after = item.seq
                yield item
        yield None
        if await past_outage(partial(runs.status, run_id)) == "done":
            return
        for _ in range(int(_PATIENCE / _LOOK)):
            await asyncio.sleep(_LOOK)
            if await past_outage(partial(_moved, runs, run_id, after)):
                break
        else:
            return


async def _moved(runs: AgentRuns, run_id: str, after: int) -> bool:
    """Returns whether the run is live, or has events after `after`."""
    try:
        if await runs.is_live(run_id):
            return True
        return bool(await runs.store.do(runs.store.journal.events, run_id, after, limit=1))
    except UnknownRun:
        return False
