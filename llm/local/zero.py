"""Generations on a ZeroGPU Space: the GPU is borrowed for one generation, which runs in a process of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator
from functools import lru_cache
from typing import Any

from .engine import in_memory
from .job import Cancelled, Generated, Generation

LOADING_SECONDS, TOKENS_PER_SECOND, MAX_GPU_SECONDS = 15, 25, 120

Pieces = Generator[str | Generated, None, None]


@lru_cache
def borrowing() -> Callable[[str, Generation], Pieces]:
    """The generator that asks for a GPU. Call it once at start-up: a Space without any such function is refused."""
    import spaces  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs] - patches torch when imported

    gpu: Any = spaces.GPU  # pyright: ignore[reportUnknownMemberType]
    return gpu(duration=seconds_wanted)(pieces)


def decode_on_gpu(model: str, job: Generation, emit: Callable[[str], None], cancelled: Callable[[], bool]) -> Generated:
    """Like `Loaded.decode`. Closing the stream tells the other process to stop."""
    stream = borrowing()(model, job)
    try:
        for item in stream:
            if cancelled():
                raise Cancelled
            if isinstance(item, Generated):
                return item
            emit(item)
    finally:
        stream.close()
    raise RuntimeError("the GPU process ended without an outcome")


def pieces(model: str, job: Generation) -> Pieces:
    """`Loaded.decode` as a generator, for the process that has the GPU: it inherited the model from this one."""
    loaded = in_memory(model)
    if loaded is None:
        raise RuntimeError(f"{model} was loaded after the GPU process had started")
    arrived: queue.SimpleQueue[str | Generated | BaseException] = queue.SimpleQueue()
    gone = threading.Event()

    def run() -> None:
        try:
            arrived.put(loaded.decode(job, arrived.put, gone.is_set))
        except BaseException as error:  # noqa: BLE001 - handed over to the generator's caller
            arrived.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        while not isinstance(item := arrived.get(), Generated):
            if isinstance(item, BaseException):
                raise item
            yield item
        yield item
    finally:
        gone.set()


def seconds_wanted(model: str, job: Generation) -> int:  # noqa: ARG001 - called with the generator's arguments
    """How long the GPU is asked for: quota and queue place depend on it."""
    return min(MAX_GPU_SECONDS, LOADING_SECONDS + job.max_tokens // TOKENS_PER_SECOND)
