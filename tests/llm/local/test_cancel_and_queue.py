"""Leaving a reply stops the model, failures reach the caller, and callers are served in order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from llm.errors import ProviderError
from llm.local.engine import LocalEngine, in_memory, share
from llm.local.job import Cancelled, Generated, Generation, Options
from llm.types import Note

from .conftest import Open, ask

pytest.importorskip("torch", reason="needs the extra `local` (torch)")
pytestmark = pytest.mark.local

PLAIN = Options(dtype="float32", threads=1, device="cpu")
DONE = Generated(text="", tokens=0, reused=0, ended=True)


def tokens_kept(folder: str) -> int:
    loaded = in_memory(folder)
    assert loaded is not None
    return max(len(prompt) for prompt in loaded.prefixes.prompts())


@pytest.mark.parametrize("lookup", [False, True])
async def test_at_most_two_tokens_come_after_a_cancel(llama: str, open_local: Open, lookup: bool) -> None:
    await open_local().complete(ask(max_tokens=1), model=llama)
    loaded = in_memory(llama)
    assert loaded is not None
    pieces: list[str] = []
    cancelled_at = 10

    def stop() -> bool:
        return len(pieces) >= cancelled_at

    prompt = tuple(range(100, 160))
    with pytest.raises(Cancelled):
        loaded.decode(Generation(prompt=prompt, max_tokens=2000, lookup=lookup), pieces.append, stop)
    assert len(pieces) <= cancelled_at + 2


async def test_a_cancel_is_heard_inside_a_long_prompt(llama: str, open_local: Open) -> None:
    await open_local().complete(ask(max_tokens=1), model=llama)
    loaded = in_memory(llama)
    assert loaded is not None
    asked = 0

    def after_two_slices() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    with pytest.raises(Cancelled):
        loaded.decode(Generation(prompt=tuple(range(3, 600)) * 4, max_tokens=10), lambda _: None, after_two_slices)
    assert tokens_kept(llama) <= 2 * 256


async def test_cancelling_the_task_stops_the_thread(llama: str, open_local: Open) -> None:
    provider = open_local()
    started = asyncio.Event()

    async def listen() -> None:
        async for _ in provider.stream(ask(max_tokens=3500), model=llama):
            started.set()

    task = asyncio.create_task(listen())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await provider.complete(ask("Other", max_tokens=1), model=llama)  # waits for the thread
    assert tokens_kept(llama) < 2000


async def test_leaving_the_loop_stops_the_thread(llama: str, open_local: Open) -> None:
    provider = open_local()
    stream = provider.stream(ask(max_tokens=3500), model=llama)
    await anext(stream)
    await stream.aclose()
    await provider.complete(ask("Other", max_tokens=1), model=llama)
    assert tokens_kept(llama) < 2000


async def test_a_failure_in_the_thread_reaches_the_caller(llama: str) -> None:
    def fails(*_: object) -> Generated:
        raise ValueError("tensor shapes differ")

    engine = share(llama, PLAIN)
    with pytest.raises(ProviderError, match="ValueError: tensor shapes differ"):
        async with asyncio.timeout(60):
            await only_outcome(engine, fails)
    assert await only_outcome(engine, lambda *_: DONE) is DONE, "the next caller is served"


async def test_callers_are_served_one_at_a_time_in_order_of_arrival(llama: str) -> None:
    engine = share(llama, PLAIN)
    order: list[int] = []
    busy = threading.Lock()
    gate = threading.Event()

    def turn(number: int) -> Callable[..., Generated]:
        def work(*_: object) -> Generated:
            assert busy.acquire(blocking=False), "two generations at once"
            gate.wait()
            order.append(number)
            busy.release()
            return DONE

        return work

    tasks = [asyncio.create_task(only_outcome(engine, turn(number))) for number in range(6)]
    await asyncio.sleep(0)
    tasks[3].cancel()
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [0, 1, 2, 4, 5], "in order, and the one that left while waiting never ran"


async def test_concurrent_requests_get_their_own_answers(llama: str, open_local: Open) -> None:
    provider = open_local()
    texts = [f"Question {number}" for number in range(6)]
    together = await asyncio.gather(*(provider.complete(ask(text), model=llama) for text in texts))
    alone = [(await open_local(prefix_mb=0).complete(ask(text), model=llama)).text for text in texts]
    assert [completion.text for completion in together] == alone
    assert len(set(alone)) == len(texts)


async def only_outcome(engine: LocalEngine, work: Callable[..., Generated]) -> Generated:
    items = [item async for item in engine.stream(work) if not isinstance(item, Note)]
    assert len(items) == 1
    assert isinstance(items[0], Generated)
    return items[0]
