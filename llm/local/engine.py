"""One model of this process and its queue: loaded once, shared, one generation after another in order of arrival."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import logging
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import ContextTooLong, LLMError, NoProvider, Overloaded, ProviderError
from .job import Cancelled, Options, Outcome

if TYPE_CHECKING:
    from .load import Loaded

logger = logging.getLogger(__name__)

PACKAGES = ("torch", "transformers", "accelerate", "llguidance")

Emit = Callable[[str], None]
Asked = Callable[[], bool]
"""Whether nobody waits any more."""
Work = Callable[["Loaded", Emit, Asked], Outcome]
"""Runs in the model's thread."""


@dataclass(frozen=True, slots=True)
class _Failed:
    error: BaseException


_Item = str | Outcome | _Failed


class Engine:
    """Owns the thread in which a model loads and computes. Obtained by `share`, given back by `release`."""

    def __init__(self, model: str, options: Options) -> None:
        self.model, self._options = model, options
        self.loaded: Loaded | None = None
        self.users = 0
        self.listeners: set[Callable[[str], None]] = set()
        self._closing = threading.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="local-model")

    async def stream(self, work: Work) -> AsyncGenerator[str | Outcome]:
        """Pieces of text, then the outcome. Leaving the generator stops the work within one forward pass.

        Raises errors of `llm.errors`; nothing that goes wrong in the thread leaves the caller waiting.
        """
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[_Item] = asyncio.Queue()
        gone = threading.Event()

        def post(item: _Item) -> None:
            if not gone.is_set():
                loop.call_soon_threadsafe(arrived.put_nowait, item)

        job = self._thread.submit(copy_context().run, self._run, work, post, gone)
        try:
            while not isinstance(item := await arrived.get(), Outcome):
                if isinstance(item, _Failed):
                    raise worded(item.error) from item.error
                yield item
            yield item
        finally:
            gone.set()
            job.cancel()

    async def close(self) -> None:
        """Stops what runs, waits for it and frees the memory."""
        self._closing.set()
        await asyncio.to_thread(self._thread.shutdown)
        self.loaded = None
        gc.collect()
        if torch := sys.modules.get("torch"):
            torch.cuda.empty_cache()

    def _run(self, work: Work, post: Callable[[_Item], None], gone: threading.Event) -> None:
        def unwanted() -> bool:
            return gone.is_set() or self._closing.is_set()

        try:
            if unwanted():
                raise Cancelled
            post(work(self._ready(), post, unwanted))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the caller has to learn of it
            post(_Failed(error))

    def _ready(self) -> Loaded:
        if self.loaded is None:
            from .load import load  # noqa: PLC0415 - torch and transformers take seconds to import

            self.loaded = load(self.model, self._options, self._tell)
        return self.loaded

    def _tell(self, words: str) -> None:
        """Also where a load or a download is given up: they speak up every few seconds."""
        if self._closing.is_set():
            raise Cancelled
        logger.info("%s", words)
        for listener in tuple(self.listeners):
            listener(words)


def require_packages() -> None:
    """Raises NoProvider that says what to install."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise NoProvider(f"Local models need {', '.join(missing)}: pip install {' '.join(PACKAGES)}")


def worded(error: BaseException) -> LLMError:
    """What happened in the model's thread, as an error of this room."""
    if isinstance(error, LLMError):
        return error
    if isinstance(error, Cancelled):
        return ProviderError("The local model was closed while it answered.")
    first = str(error).strip().partition("\n")[0]
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return ContextTooLong(f"The local model ran out of memory while it answered: {first}")
    if type(error).__module__.startswith("gradio"):  # how ZeroGPU says that the quota is spent or the queue is full
        return Overloaded(f"The Space's GPU cannot be had now: {first}")
    return ProviderError(f"The local model failed: {type(error).__name__}: {first}")


_ENGINES: dict[tuple[str, Options], Engine] = {}
_LOCK = threading.Lock()


def share(model: str, options: Options) -> Engine:
    """The process's engine for this model; weights are loaded by its first generation."""
    key = model, replace(options, token=None)
    with _LOCK:
        engine = _ENGINES.get(key) or _ENGINES.setdefault(key, Engine(model, options))
        engine.users += 1
        return engine


def in_memory(model: str) -> Loaded | None:
    """The model, if an engine of this process has loaded it."""
    with _LOCK:
        return next((engine.loaded for (name, _), engine in _ENGINES.items() if name == model and engine.loaded), None)


async def release(engine: Engine) -> None:
    """The last user's release frees the model."""
    with _LOCK:
        engine.users -= 1
        last = engine.users == 0
        for key in [key for key, known in _ENGINES.items() if last and known is engine]:
            del _ENGINES[key]
    if last:
        await engine.close()
