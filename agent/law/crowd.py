"""Counts how many of the jobs that a function is given run at the same time. The text of this module goes into the
sandbox as a file beside the program, so it imports only the standard library."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any

_PATIENCE = 0.5
"""Seconds that a job waits for one more job than may run at once. A job does not wait when none is left to come."""
_LONGEST = 8.0
"""Seconds after which an asynchronous function is given up."""


class Crowd:
    """Counts how many jobs run at the same time. There is one job more than may run together, and each waits for the
    one too many."""

    def __init__(self, limit: int) -> None:
        self.limit, self.jobs = limit, limit + 1
        self.running = self.most = self.ended = 0
        self._changed = threading.Condition()

    def blocked(self, item: Any = 0) -> Any:
        """Runs as a job in a thread. Returns `item` once a job too many runs or no other job can start, at the latest
        after _PATIENCE seconds."""
        self._begin()
        with self._changed:
            self._changed.wait_for(self._is_over, _PATIENCE)
        self._end()
        return item

    async def waited(self, item: Any = 0) -> Any:
        """Runs as a job in an event loop. Returns `item` after a pause in which every job that may run has begun."""
        self._begin()
        await asyncio.sleep(_PATIENCE / 10)
        self._end()
        return item

    def _is_over(self) -> bool:
        return self.running > self.limit or self.running + self.ended == self.jobs

    def _begin(self) -> None:
        with self._changed:
            self.running += 1
            self.most = max(self.most, self.running)
            self._changed.notify_all()

    def _end(self) -> None:
        with self._changed:
            self.running -= 1
            self.ended += 1


def counted(entry: Callable[..., Any], limit: int, roles: Mapping[str, str], plain: Mapping[str, Any]) -> list[Any]:
    """Calls the function once and returns [the most jobs that ran at once, jobs that ended, name of the exception or
    ""]. `roles` says by parameter what to pass: "function", "functions", "coroutines" or "items" after "waited|" or
    "blocked|". `plain` holds the other arguments."""
    crowd, raised = Crowd(limit), ""
    try:
        if inspect.iscoroutinefunction(entry):
            asyncio.run(_awaited(entry, crowd, roles, plain))
        else:
            entry(**plain, **_arguments(crowd, roles))
    except Exception as error:  # noqa: BLE001 a program may raise anything on what it does not take
        raised = type(error).__name__
    return [crowd.most, crowd.ended, raised]


async def _awaited(entry: Callable[..., Any], crowd: Crowd, roles: Mapping[str, str], plain: Mapping[str, Any]) -> None:
    await asyncio.wait_for(entry(**plain, **_arguments(crowd, roles)), _LONGEST)


def _arguments(crowd: Crowd, roles: Mapping[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, told in roles.items():
        how, _, role = told.partition("|")
        job: Callable[..., Any] = crowd.waited if how == "waited" else crowd.blocked
        jobs = {"items": list(range(crowd.jobs)), "function": job, "functions": [job] * crowd.jobs}
        made[name] = [job() for _ in range(crowd.jobs)] if role == "coroutines" else jobs[role]
    return made
