"""Runs generations on a ZeroGPU Space: the GPU is borrowed for one generation, which runs in a process of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator
from functools import lru_cache
from typing import Any

from .engine import in_memory
from .job import Cancelled, Generated, Generation

LOADING_SECONDS, TOKENS_PER_SECOND, MAX_GPU_SECONDS = 15, 25, 120
"""What is assumed when a GPU is asked for: the seconds until it works, the tokens that it writes in a second, and the
most seconds for which it can be had."""

Pieces = Generator[str | Generated, None, None]


@lru_cache
def borrowing() -> Callable[[str, Generation], Pieces]:
    """Returns the generator function that asks for a GPU. It must be called once at start-up, because a Space without
    any such function is refused."""
    import spaces  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs] - patches torch when imported

    gpu: Any = spaces.GPU  # pyright: ignore[reportUnknownMemberType]
    return gpu(duration=seconds_wanted)(pieces)


def decode_on_gpu(model: str, job: Generation, emit: Callable[[str], None], cancelled: Callable[[], bool]) -> Generated:
    """Generates one reply as `Loaded.decode` does. Closing the stream tells the other process to stop."""
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
    """Yields what `Loaded.decode` gives. It runs in the process that has the GPU, which inherited the model from this
    one."""
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
    """Returns the seconds for which the GPU is asked. The quota and the place in the queue depend on them."""
    return min(MAX_GPU_SECONDS, LOADING_SECONDS + job.max_tokens // TOKENS_PER_SECOND)
