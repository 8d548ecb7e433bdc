"""Finds out by trying with which device, number type and threads this machine computes best."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from .job import Options

SIDE = 4096
"""The side of the matrix that is multiplied. It is too large for the processor's cache."""
_REPEATS = 3
"""How often each piece of work is timed; the quickest time counts."""
PROMPT_ROWS = 32
"""The rows of the matrix that stand for a prompt."""
PROMPT_TOKENS, REPLY_TOKENS = 1000, 200
"""The tokens that are read and written in the call by which a setting is judged."""
WORTH = 0.9
"""How much faster one more thread must make a call: to at most this share of its time."""


@dataclass(frozen=True, slots=True)
class Machine:
    """With what this machine computes."""

    device: str
    dtype: str
    threads: int
    """The CPU threads of one generation; without effect on a GPU."""
    cores: int

    def describe(self) -> str:
        if self.device != "cpu":
            return f"{self.device}, {self.dtype}"
        return f"CPU, {self.dtype}, {self.threads} of {self.cores} cores"


def probe(options: Options) -> Machine:
    """Returns what to run with. Settings win over measurements. The measurement takes about a second, once per
    process."""
    cores = usable_cores()
    device = options.device if options.device != "auto" else _device(options.zero_gpu)
    if device == "cpu":
        dtype, threads = _measured(cores, options.dtype, options.threads)
        return Machine("cpu", dtype, threads, cores)
    halves = "bfloat16" if options.zero_gpu or (device == "cuda" and torch.cuda.is_bf16_supported()) else "float16"
    return Machine(device, halves if options.dtype == "auto" else options.dtype, _most_threads(cores), cores)


def usable_cores(quota_file: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """Returns the number of cores that this process may use, as the scheduler and the container see it."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    try:
        quota, period = quota_file.read_text().split()
        return cores if quota == "max" else max(1, min(cores, int(quota) // int(period)))
    except (OSError, ValueError):
        return cores  # no container limit is set, or none that can be read


def choose(costs: Iterable[tuple[str, int, float]]) -> tuple[str, int]:
    """Returns number type and threads from (number type, threads, seconds of a typical call): the fastest, or fewer
    threads if they do nearly as well."""
    best = min(costs := list(costs), key=lambda cost: cost[2])
    enough = [cost for cost in costs if cost[2] * WORTH <= best[2]]
    dtype, threads, _ = min(enough, key=lambda cost: (cost[1], cost[2]))
    return dtype, threads


def _device(zero_gpu: bool) -> str:
    if zero_gpu or torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _most_threads(cores: int) -> int:
    return max(1, cores - 1)


@lru_cache
def _measured(cores: int, dtype: str, threads: int | None) -> tuple[str, int]:
    kinds = ["float32", "bfloat16"] if dtype == "auto" else [dtype]
    counts = [threads] if threads else [n for n in (1, 2, 3, 4, 6, 8, 12, 16) if n <= _most_threads(cores)]
    if len(kinds) == len(counts) == 1:
        return kinds[0], counts[0]
    before = torch.get_num_threads()
    try:
        return choose((kind, count, _call_seconds(kind, count)) for kind in kinds for count in counts)
    finally:
        torch.set_num_threads(before)


def _call_seconds(dtype: str, threads: int) -> float:
    """Returns the seconds of a typical call's multiplications, scaled from one matrix."""
    torch.set_num_threads(threads)
    kind: Any = getattr(torch, dtype)
    weights = torch.full((SIDE, SIDE), 0.5, dtype=kind)
    many, one = torch.ones(PROMPT_ROWS, SIDE, dtype=kind), torch.ones(1, SIDE, dtype=kind)
    with torch.inference_mode():
        reading = _quickest(lambda: many @ weights.T) / PROMPT_ROWS
        writing = _quickest(lambda: one @ weights.T)
    return PROMPT_TOKENS * reading + REPLY_TOKENS * writing


def _quickest(work: Callable[[], object]) -> float:
    work()
    times: list[float] = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)
