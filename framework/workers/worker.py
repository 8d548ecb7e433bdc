"""Drives runs that other processes submitted, and takes over runs whose worker died.

The table of runs says what is to be driven, and the lease of a run says who may drive it. How many workers are woken
changes only how soon a run begins.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Coroutine
from math import inf
from typing import Any, Generic

from ..drive import REPLY_S
from ..engine import E
from ..errors import NotResumable, RunError, StoreError
from ..runs import Runs
from ..storage.lease import holder
from ..storage.records import RunRow
from .relay import Relay

LOOK_S = 2.0
"""The seconds between two looks for runs that nobody drives."""
ITS_OWN_S = REPLY_S + 2 * LOOK_S
"""The seconds for which a run is left to the worker that drove it last. If the database was away and that worker was
not, it knows what was paid for meanwhile, and may still wait for replies."""
_LOST, _MAX_LOST_WORKERS = "framework.lost:", 10
"""The memo keys that count the workers that died while they drove a run, and the number of them after which the run is
given up."""
_logger = logging.getLogger(__name__)


class RunWorker(Generic[E]):
    """A worker, bound to the loop of its `runs`. Nobody else may begin drives there."""

    def __init__(self, runs: Runs[E], at_once: int, relay: Relay[E] | None = None) -> None:
        """Takes in `relay` what carries this process's news to those who show the runs. The relay is closed with the
        worker."""
        self._runs = runs
        self._relay = relay
        if relay:
            relay.send_from(runs.driver.bus)
        self._driver = runs.driver
        self._driver.worker = True
        self._slots = asyncio.Semaphore(at_once)
        self._tasks: set[asyncio.Task[None]] = set()
        self._me = holder(worker=True)
        self._of_others: dict[str, float] = {}
        """The runs that another worker drove and nobody drives now, each with the time.monotonic() at which that was
        first seen."""
        self._next: set[str] = set()
        """The runs that were begun earlier and go on here, or will in the next free slot."""

    def start(self) -> None:
        """Looks every LOOK_S seconds from now on for runs that nobody drives, and fills the free slots with them."""
        self._begin(self._look_for_ever())

    def _begin(self, act: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(act)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def drive(self, run_id: str) -> None:
        """Waits for a free slot, then drives the run to its end if it is to be driven and nobody else drives it."""
        async with self._slots:
            try:
                if not self._driver.leaving and await self.take_over(run_id):
                    await self._driver.ended(run_id)
            except StoreError as error:
                _logger.error("run %s could not be taken over: %s", run_id, error)

    async def _look_for_ever(self) -> None:
        while True:
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001 - whatever it was, the runs that wait are looked for again
                _logger.error("no look for runs: %s", error)
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Looks once for runs that nobody drives. Runs that were begun earlier queue for a slot, because new runs could
        otherwise take every slot that becomes free.

        Raises StoreError.
        """
        store = self._runs.store

        def idle(*, begun: bool) -> list[tuple[str, str]]:
            listed = [one for one in store.runs.for_workers() if one[1] or not begun]
            return [one for one in listed if store.lease(one[0]).is_free()]

        found = await store.do(idle, begun=self._slots.locked())
        now = time.monotonic()
        of_others = [run_id for run_id, driver in found if driver not in ("", self._me)]
        self._of_others = {run_id: self._of_others.get(run_id, now) for run_id in of_others}
        for run_id, driver in sorted(found, key=lambda one: one[1] != self._me):
            if run_id in self._next or now - self._of_others.get(run_id, -inf) < ITS_OWN_S:
                continue
            if driver:
                self._begin(self._go_on(run_id))
            elif not self._slots.locked():
                self._begin(self.drive(run_id))
            # This lets the run take its slot before the next one is looked at.
            await asyncio.sleep(0)

    async def _go_on(self, run_id: str) -> None:
        """Drives a run that was begun earlier, in the next free slot."""
        self._next.add(run_id)
        try:
            await self.drive(run_id)
        finally:
            self._next.discard(run_id)

    async def take_over(self, run_id: str) -> bool:
        """Begins a drive from the last checkpoint. Returns False if the run is not to be driven, or another process
        drives it.

        Raises StoreError.
        """
        store = self._runs.store
        lease = await store.do(store.lease, run_id)
        if run_id in self._driver or not await lease.take():
            return False
        begun = False
        try:
            row = await self._runs.row(run_id)
            if row is not None and row.for_workers:
                await store.do(self._count_loss, row)
                await self._driver.launch(row, await self._runs.standing.continuation(row), lease)
                begun = True
        except NotResumable:
            # The run's worker died after the last step, before it could store that the run had ended.
            await store.do(store.runs.let_go, run_id, None)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - told as the end of the run, else it would be tried for ever
            await self._driver.conclude(run_id, lease, error)
        finally:
            if not begun:
                self._driver.give_back(lease)
        return begun

    def _count_loss(self, row: RunRow) -> None:
        """Counts a worker that died while it drove the run. Raises RunError if too many workers have died of it."""
        if row.holder == "":
            return
        memo = self._runs.store.memo
        if len(memo.listed(row.run_id, _LOST)) >= _MAX_LOST_WORKERS:
            raise RunError(f"{_MAX_LOST_WORKERS} workers died while they drove the run")
        memo.remember(row.run_id, f"{_LOST}{uuid.uuid4().hex}", row.holder)

    async def leave(self) -> None:
        """Leaves the runs that are driven here to other workers."""
        self._driver.leaving = True
        await self._driver.aclose()

    async def aclose(self) -> None:
        await self.leave()
        for task in self._tasks:
            task.cancel()
        await self._runs.aclose()
        if self._relay:
            await self._relay.aclose()
