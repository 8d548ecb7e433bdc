"""What carries events: bus, batches for screens, things opened once, and rates."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from framework.bus import EventBus
from framework.rate import Rate, RateLimiter
from framework.waiting import Lazy, in_batches


async def test_publishing_reaches_the_subscribers_of_a_topic_and_waits_for_nobody() -> None:
    bus: EventBus[int] = EventBus(inbox_size=2)
    bus.publish("a", 0)
    with bus.subscribe("a") as first, bus.subscribe("a") as second, bus.subscribe("b") as other:
        for number in (1, 2, 3):
            bus.publish("a", number)
        assert [await first.get(), await first.get(), await first.get(0.0)] == [2, 3, None]
        waiting = asyncio.create_task(other.get())
        await asyncio.sleep(0)
        bus.publish("b", 9)
        assert await waiting == 9
        assert await second.get() == 2


async def test_the_first_batch_comes_at_once_and_the_last_without_fail() -> None:
    steps = [asyncio.Event() for _ in range(2)]

    async def source() -> AsyncGenerator[int]:
        yield 1
        await steps[0].wait()
        for number in (2, 3, 4):
            yield number
        await steps[1].wait()
        yield 5

    batches: list[list[int]] = []
    async for batch in in_batches(source(), interval=0.01):
        batches.append(batch)
        steps[min(len(batches), 2) - 1].set()
    assert batches[0] == [1]
    assert batches[-1][-1] == 5
    assert [number for batch in batches for number in batch] == [1, 2, 3, 4, 5]


async def test_a_burst_is_one_batch() -> None:
    async def source() -> AsyncGenerator[int]:
        for number in range(1000):
            yield number

    assert sum([len(batch) async for batch in in_batches(source(), interval=10)]) == 1000
    assert len([batch async for batch in in_batches(source(), interval=10)]) <= 2


async def test_between_two_batches_at_least_the_interval_passes() -> None:
    async def source() -> AsyncGenerator[int]:
        for number in range(20):
            yield number
            await asyncio.sleep(0.001)

    batches = [batch async for batch in in_batches(source(), interval=10)]
    assert batches == [[0], list(range(1, 20))]


async def test_a_silent_source_gives_heartbeats_until_it_ends() -> None:
    over = asyncio.Event()

    async def source() -> AsyncGenerator[int]:
        await over.wait()
        yield 1

    batches: list[list[int]] = []
    async for batch in in_batches(source(), interval=0.0, heartbeat=0.01):
        batches.append(batch)
        if len(batches) == 2:
            over.set()
    assert batches[:2] == [[], []]
    assert batches[-1] == [1]


async def test_closing_the_batches_closes_the_source() -> None:
    closed = asyncio.Event()

    async def source() -> AsyncGenerator[int]:
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            closed.set()

    async with aclosing(in_batches(source())) as batches:
        assert await anext(batches) == [1]
    assert closed.is_set()


async def test_an_error_of_the_source_comes_after_what_came_before_it() -> None:
    async def source() -> AsyncGenerator[int]:
        yield 1
        raise ValueError("broken")

    batches = in_batches(source())
    assert await anext(batches) == [1]
    with pytest.raises(ValueError, match="broken"):
        await anext(batches)


async def test_something_lazy_is_opened_once_for_all_even_if_the_first_user_leaves() -> None:
    opened = 0
    go = asyncio.Event()

    async def open_it() -> str:
        nonlocal opened
        opened += 1
        await go.wait()
        return "open"

    lazy = Lazy(open_it)
    first, second = asyncio.create_task(lazy.get()), asyncio.create_task(lazy.get())
    await asyncio.sleep(0)
    assert lazy.opened() is None
    first.cancel()
    go.set()
    assert (await second, await lazy.get(), opened, lazy.opened()) == ("open", "open", 1, "open")


async def test_a_failed_opening_is_tried_again() -> None:
    left = 1

    async def open_it() -> str:
        nonlocal left
        left -= 1
        if left == 0:
            raise ValueError("not yet")
        return "open"

    lazy = Lazy(open_it)
    with pytest.raises(ValueError, match="not yet"):
        await lazy.get()
    assert await lazy.get() == "open"


def test_something_lazy_is_not_shared_with_another_loop() -> None:
    async def open_it() -> str:
        return "open"

    lazy = Lazy(open_it)
    assert asyncio.run(lazy.get()) == "open"
    with pytest.raises(RuntimeError, match="another event loop"):
        asyncio.run(lazy.get())


def test_a_bucket_allows_a_burst_then_one_action_each_time_it_has_refilled() -> None:
    now = 100.0
    limiter = RateLimiter(Rate.parse("3/minute"), clock=lambda: now)
    assert [limiter.take("me") for _ in range(3)] == [0.0, 0.0, 0.0]
    assert limiter.take("me") == pytest.approx(20.0)
    assert limiter.take("you") == 0.0
    now += 20.0
    assert (limiter.take("me"), limiter.take("me")) == (0.0, pytest.approx(20.0))
    now += 3600.0
    assert [limiter.take("me") for _ in range(4)][:3] == [0.0, 0.0, 0.0]
    assert limiter.take("me") > 0


def test_without_a_rate_everything_is_allowed() -> None:
    limiter = RateLimiter(None)
    assert {limiter.take("me") for _ in range(100)} == {0.0}


def test_callers_beyond_the_memory_of_the_limiter_do_not_reset_a_busy_one() -> None:
    limiter = RateLimiter(Rate(1, 60.0), clock=lambda: 0.0)
    allowed = 0
    for number in range(10_050):
        limiter.take(str(number))
        allowed += limiter.take("busy") == 0
    assert allowed == 1


@pytest.mark.parametrize("text", ["", "0/minute", "10", "10/fortnight", "-1/minute", "1.5/second", "10/minute/x"])
def test_a_bad_rate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no rate like 10/minute"):
        Rate.parse(text)
