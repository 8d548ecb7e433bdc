"""Measures what the processes of a run have used: seconds of computing, and seconds that they were ready to compute but
queued.

Wall time says little on a busy machine. A program that loops is recognized by its CPU time; one that sleeps or is
stuck, by the time in which it neither computed nor queued; one that does neither is starved by other processes."""

from __future__ import annotations

import os
import struct
import sys
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

_NANOSECOND = 1e-9
_NEXT_TO_NOTHING = 0.05
"""At most this share of a step's CPU time counts as next to nothing."""
RUNNING = struct.Struct("<qd")
"""Layout of memory shared with a broker: pid of the program that runs for a test (0 for none), CPU seconds of earlier
ones."""


class Times(NamedTuple):
    """The limits of one run in seconds. A step is the loading of the program, one check, or one call."""

    load_cpu: float
    step_cpu: float
    step_idle: float
    """Time neither computing nor queueing: asleep, or waiting for something that never comes."""
    step_wall: float
    """Wall time, however busy the machine is."""
    run_cpu: float
    run_wall: float


def cpu_seconds(pid: int) -> float:
    """Returns the CPU time of a process with all its threads; 0.0 once it is gone. On other systems than Linux returns
    the monotonic clock, since they cannot tell."""
    if sys.platform != "linux":
        return time.monotonic()
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the kernel's clock id of another process, computed from its pid
    except OSError:
        return 0.0


class Clock:
    """Adds up the processes of one run. `cpu` is cheap; `look` reads files of the scheduler."""

    def __init__(self, pids: Iterable[int], more: Callable[[], tuple[int, float]] | None = None) -> None:
        """`more` returns the pid of one further process (0 for none) and the CPU seconds of those that ended before."""
        self._pids = tuple(pids)
        self._more = more
        self._queued: dict[str, float] = {}
        self._seen: dict[int, float] = {}
        self.tells_queueing = os.path.exists(f"/proc/self/task/{os.getpid()}/schedstat")
        """Whether this kernel counts the time in a queue. If not, sleep and starvation look the same."""
        self.waited = 0.0
        """Seconds that the processes were ready to run but had no processor, up to the last `look`. Of the threads of
        one process the one counts that waited longest since the look before: many that a program wakes at once wait for
        one another."""

    def cpu(self) -> float:
        """Returns the CPU seconds so far; a process that has ended counts as it was last seen."""
        for pid in self._pids:
            self._seen[pid] = max(self._seen.get(pid, 0.0), cpu_seconds(pid))
        pid, before = self._more() if self._more is not None else (0, 0.0)
        return sum(self._seen.values()) + before + (cpu_seconds(pid) if pid else 0.0)

    def first(self) -> float:
        """Returns the CPU seconds of the process that reports, as `cpu` saw it last."""
        return self._seen.get(self._pids[0], 0.0)

    def pids(self) -> list[int]:
        """Returns the processes that compute for the run now."""
        pid = self._more()[0] if self._more is not None else 0
        return [*self._pids, *([pid] if pid else [])]

    def look(self) -> None:
        """Brings `waited` up to date."""
        for process in self.pids():
            paths = threads(process)
            queued = {path: _queued(path) for path in paths}
            self.waited += max([0.0, *(queued[path] - self._queued.get(path, 0.0) for path in paths)])
            self._queued |= queued


def threads(pid: int) -> list[str]:
    """Returns the scheduler's file for each thread of a process; [] once the process is gone."""
    folder = f"/proc/{pid}/task"
    try:
        return [f"{folder}/{name}/schedstat" for name in os.listdir(folder)]
    except OSError:
        return []


def _queued(path: str) -> float:
    try:
        with open(path, "rb", buffering=0) as file:
            return int(file.read(100).split()[1]) * _NANOSECOND
    except (OSError, IndexError, ValueError):
        return 0.0


class LimitClock:
    """Compares what a run has used with its limits, step by step."""

    def __init__(self, times: Times, clock: Clock) -> None:
        self._times = times
        self._clock = clock
        self._started, self._cpu = time.monotonic(), clock.cpu()
        self.next()
        self._limit = times.load_cpu

    @property
    def cpu(self) -> float:
        """CPU seconds of the run so far."""
        return self._clock.cpu() - self._cpu

    @property
    def wall(self) -> float:
        return time.monotonic() - self._started

    def next(self) -> None:
        """Ends a step and begins the next one."""
        self._step_started = time.monotonic()
        self._step_cpu = self._clock.cpu()
        self._step_first = self._clock.first()
        self._step_waited = self._clock.waited
        self._limit = self._times.step_cpu

    @property
    def first_rested(self) -> bool:
        """Whether the process that reports used next to nothing of this step's CPU time."""
        step = self._clock.cpu() - self._step_cpu
        return self._clock.first() - self._step_first <= _NEXT_TO_NOTHING * step

    def look(self) -> None:
        self._clock.look()

    def left(self) -> float:
        """Returns the seconds after which, at the earliest, a CPU limit can be reached."""
        used = self._clock.cpu()
        return min(self._limit - (used - self._step_cpu), self._times.run_cpu - (used - self._cpu))

    def over(self) -> str:
        """Returns which limit has been reached: cpu, budget, idle, starved; "" for none."""
        times, now, used = self._times, time.monotonic(), self._clock.cpu()
        step = used - self._step_cpu
        if step >= self._limit:
            return "cpu"
        if used - self._cpu >= times.run_cpu:
            return "budget"
        wall = now - self._step_started
        if wall - step - (self._clock.waited - self._step_waited) >= times.step_idle:
            return "idle" if self._clock.tells_queueing else "starved"
        return "starved" if wall >= times.step_wall or now - self._started >= times.run_wall else ""
