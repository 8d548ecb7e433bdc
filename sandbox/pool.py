"""Keeps the workers of one sandbox: starts them when needed, gives each one run at a time, and replaces those that died
or are old."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import tempfile
import weakref
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Coroutine, Sequence
from typing import Any

from .backends import Backend
from .cleanup import PREFIX, remove_folders
from .launch import Flavour, Place
from .link import Link
from .packages import lacking
from .types import SandboxBroken

RECYCLE_AFTER = 2000
"""Runs after which a fresh worker takes the place of a worker."""
_NEEDED = "import pytest, pytest_asyncio, coverage"
"""What every worker but a bare one imports."""
Kind = tuple[Flavour, tuple[str, ...], int]
"""Flavour, extra import folders, and the seed of str hashes."""


class WorkerPool:
    """Allows at most `size` runs at a time, over workers of every flavour. A pool belongs to one event loop."""

    def __init__(self, backend: Backend, size: int, walls: tuple[str, ...] | None = None) -> None:
        self._backend = backend
        self._walls = backend.WALLS if walls is None else walls
        self._slots = asyncio.Semaphore(size)
        self._idle: defaultdict[Kind, deque[Link]] = defaultdict(deque)
        self._all: set[Link] = set()
        self._numbers = itertools.count()
        self._home = os.path.realpath(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        self._remove_home = weakref.finalize(self, remove_folders, self._home)
        self._chores: set[asyncio.Task[None]] = set()
        self._doubled: set[Kind] = set()
        self._closed = False

    @property
    def home(self) -> str:
        """The folder that holds one folder per worker."""
        return self._home

    def pids(self) -> list[int]:
        """Returns the process ids of the live workers."""
        return [link.pid for link in self._all if link.alive]

    @contextlib.asynccontextmanager
    async def worker(self, flavour: Flavour, paths: tuple[str, ...] = (), seed: int = 0) -> AsyncGenerator[Link]:
        """Lends a worker for one run. On cancellation the run is ended at once, and the worker is kept if it is still
        fit."""
        kind = (flavour, paths, seed)
        async with self._slots:
            link = await self._take(kind)
            try:
                yield link
            except asyncio.CancelledError:
                self._later(self._after_cancel(kind, link))
                raise
            except SandboxBroken:
                self._later(self._retire(link))
                raise
            self._give_back(kind, link)

    async def _take(self, kind: Kind) -> Link:
        idle = self._idle[kind]
        while idle:
            link = idle.popleft()
            if link.alive:
                if not idle and kind not in self._doubled and kind[0] != "data":
                    self._doubled.add(kind)
                    self._later(self._add_worker(kind))
                return link
            await self._retire(link)
        return await self._start(kind)

    async def warm(self, wanted: Sequence[tuple[Flavour, int]]) -> None:
        """Starts a worker of each flavour and seed that has none. Raises SandboxBroken."""
        kinds: list[Kind] = [(flavour, (), seed) for flavour, seed in wanted if not self._idle[flavour, (), seed]]
        for kind, link in zip(kinds, await asyncio.gather(*map(self._start, kinds)), strict=True):
            self._idle[kind].append(link)

    async def _add_worker(self, kind: Kind) -> None:
        """Starts one spare worker, so that the last one used has time to clean up and to fork a new child."""
        with contextlib.suppress(SandboxBroken):
            self._idle[kind].append(await self._start(kind))

    async def _start(self, kind: Kind) -> Link:
        if self._closed:
            raise SandboxBroken("the sandbox is closed")
        flavour, paths, seed = kind
        if flavour != "bare" and (absent := lacking([_NEEDED])):
            raise SandboxBroken(f"what these tests are run with is not installed: {', '.join(absent)}")
        root = os.path.join(self.home, f"w{next(self._numbers)}")
        place = Place(root, os.path.join(self.home, "cache"), paths, seed)
        link = await Link.start(self._backend, place, flavour, self._walls)
        if self._closed:
            await self._retire(link)
            raise SandboxBroken("the sandbox is closed")
        self._all.add(link)
        return link

    def _give_back(self, kind: Kind, link: Link) -> None:
        if link.runs >= RECYCLE_AFTER or not link.alive or self._closed:
            self._later(self._retire(link))
        elif link.tidy:
            self._idle[kind].append(link)
        else:
            self._later(self._once_tidy(kind, link))

    async def _once_tidy(self, kind: Kind, link: Link) -> None:
        """Returns a worker that has much to remove to the pool later, so that the next run does not wait for it."""
        await link.until_tidy()
        self._give_back(kind, link)

    async def _after_cancel(self, kind: Kind, link: Link) -> None:
        if await link.cancel():
            self._give_back(kind, link)
        else:
            await self._retire(link)

    async def _retire(self, link: Link) -> None:
        """Ends a worker and removes its folder, with what the worker could not remove itself."""
        self._all.discard(link)
        await link.stop()
        await asyncio.to_thread(remove_folders, self._home if self._closed else link.place.root)

    def _later(self, chore: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    async def close(self) -> None:
        """Kills every worker and removes their folders. Whatever programs left behind, this never raises."""
        self._closed = True
        links, chores = list(self._all), list(self._chores)
        for chore in chores:
            chore.cancel()
        await asyncio.gather(*chores, return_exceptions=True)
        await asyncio.gather(*(link.stop() for link in {*links, *self._all}))
        self._all.clear()
        await asyncio.to_thread(self._remove_home)
