"""Shares each local model of this process.

A model is loaded once and generates one reply after another, in order of arrival.
"""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import logging
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import ContextTooLong, LLMError, NoProvider, Overloaded, ProviderError
from ..types import Note
from .job import Cancelled, Generated, Options

if TYPE_CHECKING:
    from .load import Loaded

logger = logging.getLogger(__name__)

PACKAGES = ("torch", "transformers", "accelerate", "llguidance")

Emit = Callable[[str], None]
IsGone = Callable[[], bool]
"""Returns whether nobody waits for the work any more."""
Work = Callable[["Loaded", Emit, IsGone], Generated]
"""Generates a reply in the model's thread."""


@dataclass(frozen=True, slots=True)
class _Failed:
    """How work in the thread failed."""

    error: BaseException


_Item = Note | str | Generated | _Failed


class LocalEngine:
    """Owns the thread in which one model loads and computes. `share` gives the engine."""

    def __init__(self, model: str, options: Options) -> None:
        self.model, self._options = model, options
        self.loaded: Loaded | None = None
        self._busy, self._used = False, 0.0
        self._idle: threading.Timer | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="local-model")

    async def stream(self, work: Work) -> AsyncGenerator[Note | str | Generated]:
        """Yields notes on loading, pieces of text, then the outcome. Leaving the generator stops the work within one
        forward pass.

        Raises errors of `llm.errors`. Any error in the thread reaches the caller.
        """
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[_Item] = asyncio.Queue()
        gone = threading.Event()

        def post(item: _Item) -> None:
            if not gone.is_set():
                loop.call_soon_threadsafe(arrived.put_nowait, item)

        job = self._thread.submit(copy_context().run, self._run, work, post, gone)
        try:
            while not isinstance(item := await arrived.get(), Generated):
                if isinstance(item, _Failed):
                    raise as_llm_error(item.error) from item.error
                yield item
            yield item
        finally:
            gone.set()
            job.cancel()

    def leave(self, *, unused_s: float = 0.0) -> Future[bool] | None:
        """Frees weights that were not used for `unused_s` seconds; the next question loads them again. Returns None if
        nothing is loaded or the model is at work, else a future that tells whether memory was freed."""
        if self.loaded is None or self._busy:
            return None

        def free() -> bool:
            if self.loaded is None or time.monotonic() - self._used < unused_s:
                return False
            logger.info("%s leaves the memory: it was not used for a while, or the memory is needed", self.model)
            self.loaded = None
            gc.collect()
            if torch := sys.modules.get("torch"):
                torch.cuda.empty_cache()
            return True

        return self._thread.submit(free)

    def _rest(self) -> None:
        """Starts the timer after which unused weights are freed."""
        self._busy, self._used = False, time.monotonic()
        if self._idle is not None:
            self._idle.cancel()
        if self.loaded is not None:
            self._idle = threading.Timer(self._options.idle_s, self.leave, kwargs={"unused_s": self._options.idle_s})
            self._idle.daemon = True
            self._idle.start()

    def _run(self, work: Work, post: Callable[[_Item], None], gone: threading.Event) -> None:
        """Does the work in the thread and posts its outcome, unless nobody waits any more."""
        self._busy = True
        outcome: Generated | _Failed
        try:
            if gone.is_set():
                raise Cancelled
            outcome = work(self._ready(post), post, gone.is_set)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the caller has to learn of it
            outcome = _Failed(error)
        self._rest()
        post(outcome)

    def _ready(self, post: Callable[[_Item], None]) -> Loaded:
        """Returns the model, and loads it first if it is not in memory."""

        def tell(words: str) -> None:
            logger.info("%s", words)
            post(Note(words))

        if self.loaded is None:
            from .load import load  # noqa: PLC0415 - torch and transformers take seconds to import

            self.loaded = load(self.model, self._options, tell, lambda: make_room(self))
        return self.loaded


def require_packages() -> None:
    """Raises NoProvider, which says what to install, if a package is missing."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        how = f"run `make local`, or pip install {' '.join(PACKAGES)}"
        raise NoProvider(f"Local models need {', '.join(missing)}: {how}")


def as_llm_error(error: BaseException) -> LLMError:
    """Returns the error of `llm.errors` for an exception of the model's thread."""
    if isinstance(error, LLMError):
        return error
    first = str(error).strip().partition("\n")[0]
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return ContextTooLong(f"The local model ran out of memory while it answered: {first}")
    if type(error).__module__.startswith(
        "gradio"
    ):  # ZeroGPU says with a Gradio error that the quota is spent or the queue is full
        return Overloaded(f"The Space's GPU cannot be had now: {first}")
    return ProviderError(f"The local model failed: {type(error).__name__}: {first}")


ENGINES: dict[tuple[str, Options], LocalEngine] = {}
_LOCK = threading.Lock()


def share(model: str, options: Options) -> LocalEngine:
    """Returns the process's engine for this model. Its first generation loads the weights."""
    key = model, replace(options, token=None)
    with _LOCK:
        return ENGINES.get(key) or ENGINES.setdefault(key, LocalEngine(model, options))


def in_memory(model: str) -> Loaded | None:
    """Returns the model if an engine of this process has loaded it, else None."""
    with _LOCK:
        return next((engine.loaded for (name, _), engine in ENGINES.items() if name == model and engine.loaded), None)


def make_room(wanting: LocalEngine) -> bool:
    """Frees the other models that are not at work, for one that does not fit beside them. Returns whether any memory
    was freed."""
    with _LOCK:
        others = [engine for engine in ENGINES.values() if engine is not wanting]
    leaving = [left for engine in others if (left := engine.leave()) is not None]
    return any([left.result() for left in leaving])
