"""What a run may spend: worst cases are held before a call, real costs settled after it."""

from __future__ import annotations

import asyncio

import pytest

from llm import errors
from llm.meter import Meter, PaidCall
from llm.types import Answer, Usage

from .conftest import ask
from .scripted import Scripted, router_of, says

GOOD = says('{"ok": true}')
QUESTION = ask(schema={"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]})


async def test_a_call_beyond_the_budget_is_not_made() -> None:
    provider, meter = Scripted("a", GOOD), Meter(max_usd=3.0)
    router = router_of(provider)
    await router.ask(QUESTION, meter)

    async def ask_on() -> None:
        for _ in range(20):
            await router.ask(QUESTION, meter)

    with pytest.raises(errors.BudgetExceeded):
        await ask_on()
    assert meter.known_usd <= 3.0
    assert len(provider.requests) == len(meter.settled)
    assert len(provider.requests) >= 5


async def test_calls_are_counted_against_their_limit() -> None:
    provider, meter = Scripted("free", GOOD), Meter(max_calls=2)
    router = router_of(provider)
    for _ in range(2):
        await router.ask(QUESTION, meter)
    assert "2 model calls" in meter.exhausted()
    with pytest.raises(errors.BudgetExceeded, match="2 model calls"):
        await router.ask(QUESTION, meter)


async def test_calls_at_the_same_time_cannot_pass_the_budget_together() -> None:
    provider, meter = Scripted("a", GOOD), Meter(max_usd=3.0)
    router = router_of(provider)
    tried = await asyncio.gather(*(router.ask(QUESTION, meter) for _ in range(10)), return_exceptions=True)
    assert {type(outcome) for outcome in tried} == {Answer, errors.BudgetExceeded}
    assert meter.known_usd <= 3.0


async def test_a_second_call_waits_for_the_first_instead_of_ending_the_run() -> None:
    """Each could cost all that is there, and costs a tenth of it: one after the other they fit."""
    provider, meter = Scripted("a", says('{"ok": true}', usage=Usage(100, 50))), Meter(max_usd=3.5)
    answers = await asyncio.gather(*(router_of(provider).ask(QUESTION, meter) for _ in range(3)))
    assert [answer.cost_usd for answer in answers] == [0.15] * 3
    assert provider.most_active == 1


async def test_tokens_are_a_budget_too() -> None:
    meter = Meter(max_tokens=3000)
    router = router_of(Scripted("free", says('{"ok": true}', usage=Usage(400, 600))))
    await router.ask(QUESTION, meter)
    with pytest.raises(errors.BudgetExceeded, match=r"up to 2\d+ tokens; 1000 of 3000"):
        await router.ask(QUESTION, meter)
    again = Meter(max_tokens=1000, rows=[call.row() for call in meter.settled])
    assert again.exhausted() == "the budget of 1000 tokens is used up"


async def test_an_unknown_price_stays_unknown() -> None:
    meter = Meter(max_usd=1.0)
    answer = await router_of(Scripted("odd", GOOD)).ask(QUESTION, meter)
    assert answer.cost_usd is None
    assert [call.cost_usd for call in meter.settled] == [None]


async def test_a_failed_call_pays_what_was_used() -> None:
    fault = errors.TruncatedStream("x", usage=Usage(80, 20))
    meter = Meter()
    answer = await router_of(Scripted("a", fault, GOOD)).ask(QUESTION, meter)
    assert len(meter.settled) == 2
    assert answer.cost_usd == pytest.approx(0.25)
    assert sum(call.usage.input or 0 for call in meter.settled) == 180


async def test_a_cancelled_call_pays_an_estimate_of_what_was_written() -> None:
    provider, meter, heard = Scripted("a", "x" * 300), Meter(), asyncio.Event()
    task = asyncio.create_task(
        router_of(provider).ask(QUESTION, meter, on_text=lambda text: heard.set() if text else None)
    )
    await heard.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    spent = meter.settled[0]
    assert spent.usage.estimated
    assert spent.usage.output == 100
    assert provider.active == 0


async def test_a_meter_goes_on_where_it_was() -> None:
    first = Meter(max_calls=3)
    router = router_of(Scripted("a", GOOD))
    await router.ask(QUESTION, first)
    again = Meter(max_calls=3, rows=[call.row() for call in first.settled])
    assert again.settled == first.settled
    assert Meter(max_calls=1, rows=[call.row() for call in first.settled]).exhausted()


async def test_a_settled_call_is_told_at_once() -> None:
    told: list[PaidCall] = []
    await router_of(Scripted("a", says("no"), GOOD)).ask(QUESTION, Meter(on_settle=told.append))
    assert [call.model for call in told] == ["a:m1", "a:m1"]


async def test_what_is_held_and_not_settled_is_given_back() -> None:
    meter = Meter(max_usd=1.0, max_calls=1)

    async def another() -> None:
        async with meter.hold(1.0):
            pass

    async with meter.hold(0.9):
        waiting = asyncio.create_task(another())
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting
    assert meter.settled == ()
    with pytest.raises(errors.BudgetExceeded):
        async with Meter(max_usd=1.0).hold(1.1):
            pass
